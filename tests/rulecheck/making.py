"""Rules made in a line."""

from __future__ import annotations

from typing import Any

from pointsman.domain.rule import Conditions, Group, Rule, Term


def word(text: str) -> Term:
    return Term("word", text)


def words(*texts: str, least: int = 1, name: str = "g") -> Group:
    return Group(name, tuple(map(word, texts)), least)


def wholes(*texts: str) -> Group:
    return Group("whole", tuple(Term("whole", text) for text in texts))


def regexes(*patterns: str) -> Group:
    return Group("regex", tuple(Term("regex", pattern) for pattern in patterns))


def rule(name: str, *groups: Group, none: tuple[str, ...] = (), when: Conditions | None = None, **other: Any) -> Rule:
    given: dict[str, Any] = {"pack": "p", "priority": 0, "action": "answer", "parameters": {"text": name}, **other}
    return Rule(id=name, groups=groups, none=tuple(map(word, none)), conditions=when or Conditions(), **given)
