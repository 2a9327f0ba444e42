"""The packs that ship, as the rules stage reads them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pointsman.packs
from pointsman.config.yaml_source import read_yaml
from pointsman.domain.rule import Asking, Looked, Rule
from pointsman.rules import compile_rules, parse_rules
from pointsman.rules.cases import plain_features
from pointsman.rules.match import RuleSet

FOLDERS = sorted(path.parent for path in Path(pointsman.packs.__file__).parent.glob("*/rules.yaml"))


@cache
def pack(name: str) -> tuple[Rule, ...]:
    folder = next(folder for folder in FOLDERS if folder.name == name)
    return parse_rules(read_yaml(folder / "rules.yaml").data, pack=name, source=name)


@cache
def ruleset(*names: str) -> RuleSet:
    """Of these packs; of all that ship, where none is named."""
    return compile_rules([rule for name in names or [folder.name for folder in FOLDERS] for rule in pack(name)])


def look(text: str, *names: str) -> Looked:
    """What these packs say of a first message to the entry."""
    return ruleset(*names).look(text, plain_features(text), Asking("auto", "chat"))


def marks(text: str, *names: str) -> set[str]:
    """The labels of what is noted."""
    return {hit.rule.parameters["label"] for hit in look(text, *names).passed}


def taken(text: str, *names: str) -> str | None:
    """The rule that takes the text."""
    hit = look(text, *names).hit
    return hit.rule.id if hit else None
