"""A rule as its author wrote it, checked and in one form, whichever of the two YAML forms it came in."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

TermKind = Literal["word", "extension", "regex", "whole"]
ActionKind = Literal["answer", "refuse", "route", "report"]


class Term(msgspec.Struct, frozen=True, gc=False):
    """One thing to look for. `word`: a literal, with word boundaries where its edges are letters of a script that puts
    spaces between words. `extension`: `.py`, which must end there. `regex`: RE2. `whole`: the whole text, apart from
    surrounding spaces and closing punctuation, is this."""

    kind: TermKind
    value: str


class Group(msgspec.Struct, frozen=True):
    """Holds when at least `at_least` distinct terms occur. `name` labels what it matched and is a slot in answers."""

    name: str
    terms: tuple[Term, ...]
    at_least: int = 1


class Conditions(msgspec.Struct, frozen=True):
    """Scalars; None means any. Token and turn bounds are inclusive; tokens are those of the user's last message."""

    min_tokens: int | None = None
    max_tokens: int | None = None
    min_turn: int | None = None
    max_turn: int | None = None
    roles: frozenset[str] | None = None
    entries: frozenset[str] | None = None
    endpoints: frozenset[str] | None = None
    languages: frozenset[str] | None = None
    asked: bool | None = None
    tools: bool | None = None
    images: bool | None = None
    structured: bool | None = None


class Rule(msgspec.Struct, frozen=True):
    """One declarative line: when all groups hold, no `none` term occurs and the conditions hold, `action` takes the
    request. The highest priority wins; among equals the one loaded first. `negatable`: an imperative whose negation
    (不要…, 别…, don't …) before a matched term makes the rule miss.

    `action` is what the author named: a kind (answer, refuse, route), a name defined under `actions:`, or a task type.
    `parameters` belong to the action; a text may be a string or a mapping of language to string."""

    id: str
    pack: str
    priority: int
    groups: tuple[Group, ...]
    none: tuple[Term, ...]
    conditions: Conditions
    action: str
    parameters: dict[str, Any] = {}
    negatable: bool = True
    gpu_memory: int | None = None
    examples: tuple[str, ...] = ()
    counter_examples: tuple[str, ...] = ()
    source: str = ""


class RuleHit(msgspec.Struct, frozen=True):
    """The rule that won, and where its groups matched the original text: (group name, start, end)."""

    rule: Rule
    spans: tuple[tuple[str, int, int], ...]
