"""What a program names → rule files: `builtin:NAME`, a folder of packs, a file, or plain objects."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pointsman.config.rule_files import RuleFile, read_rules
from pointsman.config.schema import Rules as Named
from pointsman.config.yaml_source import YamlSource, parse_yaml
from pointsman.domain.errors import Problem, Problems

Source = str | os.PathLike[str]
_HERE = Path()


def read_sources(sources: Sequence[Source]) -> tuple[list[RuleFile], list[Problem]]:
    """The files in the order given, which decides between rules of one priority."""
    files: list[RuleFile] = []
    problems: list[Problem] = []
    for source in sources:
        name = os.fspath(source)
        if name.startswith("builtin:") or Path(name).is_dir():
            found, wrong = read_rules(Named(packs=[name], files=[]), _HERE)
        else:
            found, wrong = read_rules(Named(packs=[], files=[name]), _HERE)
        files += found
        problems += [each if each.where else Problem("Rules.load", each.message, valid=each.valid) for each in wrong]
    return files, problems


def plain_source(data: Any, name: str) -> tuple[list[RuleFile], list[Problem]]:
    """`data` as YAML gives it, or YAML itself. `name` stands for the file, and for the pack."""
    if not isinstance(data, str):
        return [RuleFile(name, YamlSource(name, data, {}, []))], []
    try:
        source = parse_yaml(data, name)
    except Problems as error:
        return [], error.problems
    return [RuleFile(name, source)], list(source.mistakes)
