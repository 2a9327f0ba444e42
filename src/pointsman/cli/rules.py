"""The life of rules: list them, see from the log what each is worth, find the ones that are missing."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from pointsman.cli.parser import Parser
from pointsman.cli.tongue import tongue_of
from pointsman.domain.said import said, told

VERBS = {
    "ls": said("the rules in force; with --stats what the log says of each", "列出生效的规则；加 --stats 看每条的表现"),
    "review": said("rank rules by what they are worth, say what to do", "按价值给规则排名，并说明该怎么处理"),
    "mine": said("propose rules from real questions", "从真实问题中提出新规则"),
    "gaps": said("what no rule settled, in clusters", "没有规则接住的问题，按类聚合"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="rules_verb", metavar="VERB", required=True, parser_class=_Later)
    for name, purpose in VERBS.items():
        told_purpose = told(purpose, tongue_of())
        verbs.add_parser(name, help=told_purpose, description=told_purpose)


def run(options: argparse.Namespace) -> int:
    return int(_module(options.rules_verb).run(options))


class _Later(Parser):
    """Its arguments are declared once it is called: only the verb that is called is imported."""

    _declared = False

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        if not self._declared:
            self._declared = True
            _module(self.prog.rsplit(" ", 1)[-1]).declare(self)
        return super().parse_known_args(args, namespace)


def _module(verb: str) -> Any:
    return import_module(f"pointsman.cli.rules_{verb}")
