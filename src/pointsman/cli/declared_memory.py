"""The `gpu_memory` that a config declares: of its rules, and of its actions."""

from __future__ import annotations

import argparse

from pointsman.cli.source import load_config
from pointsman.config.paths import find_config
from pointsman.domain.errors import Problems
from pointsman.pipeline.rulebook import read_rulebook


def declared_figures(options: argparse.Namespace) -> list[tuple[str, int]]:
    """Name and MB of each, in the order of the config; none where there is no config. Raises Problems."""
    if find_config(options.config) is None:
        return []
    loaded = load_config(options)
    book, wrong = read_rulebook(loaded.rules)
    if loaded.problems or wrong:
        raise Problems([*loaded.problems, *wrong])
    rules = [(rule.id, rule.gpu_memory) for rule in book.rules]
    actions = [(name, action.gpu_memory) for name, action in loaded.config.actions.items()]
    return [(name, figure) for name, figure in (*rules, *actions) if figure is not None]
