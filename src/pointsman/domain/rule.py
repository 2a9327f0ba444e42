"""A rule as its author wrote it, checked and in one form, whichever of the two YAML forms it came in."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

TermKind = Literal["word", "extension", "regex", "whole", "extract", "template"]
ActionKind = Literal["answer", "refuse", "route", "report", "mark", "act"]
Mode = Literal["enforce", "shadow", "off"]
LooksAt = Literal["question", "message"]
CaseKind = Literal["example", "counter_example", "boundary"]


class Term(msgspec.Struct, frozen=True, gc=False):
    """One thing to look for. `word`: a literal, with word boundaries where its edges are letters of a script that puts
    spaces between words. `extension`: `.py`, which must end there. `regex`: RE2. `whole`: the whole text, apart from
    surrounding spaces and closing punctuation, is this. `extract`: something of a kind (an amount, a URL), narrowed to
    those that are one of `of` where that is given. `template`: the whole text has this form; `slots` says what its
    slots may hold."""

    kind: TermKind
    value: str
    of: tuple[str, ...] = ()
    slots: dict[str, tuple[str, ...]] = {}


class Group(msgspec.Struct, frozen=True):
    """Holds when at least `at_least` distinct terms occur. `name` labels what it matched and is a slot in answers."""

    name: str
    terms: tuple[Term, ...]
    at_least: int = 1


class Conditions(msgspec.Struct, frozen=True):
    """Scalars; None means any. Bounds are inclusive; tokens and characters are those of the user's question. `keys` and
    `groups` are names of API keys and of their groups, `sources` says which program asks."""

    min_tokens: int | None = None
    max_tokens: int | None = None
    min_characters: int | None = None
    max_characters: int | None = None
    min_turn: int | None = None
    max_turn: int | None = None
    roles: frozenset[str] | None = None
    keys: frozenset[str] | None = None
    groups: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    entries: frozenset[str] | None = None
    endpoints: frozenset[str] | None = None
    languages: frozenset[str] | None = None
    asked: bool | None = None
    brief: bool | None = None
    tools: bool | None = None
    images: bool | None = None
    structured: bool | None = None


class Case(msgspec.Struct, frozen=True):
    """A text and whether its rule must take it. `given` are circumstances that the text comes with (`turn`, `asked`,
    `tools`, …); what it does not name is made to fit the rule. `why` says what the case is there for."""

    text: str
    takes: bool
    kind: CaseKind
    given: dict[str, Any] = {}
    why: str | None = None


class Rule(msgspec.Struct, frozen=True):
    """One declarative line: when all groups hold, no `none` term occurs and the conditions hold, `action` takes the
    request. The highest priority wins; among equals the one loaded first. `negatable`: an imperative whose negation
    (不要…, 别…, don't …) before a matched term makes the rule miss. `looks_at`: the user's question alone, or the whole
    message that it stands in. `mode`: enforce; shadow, which only notes that the rule would have taken the request; off.
    `share`: it counts for so many percent of those who ask, always the same ones; for the others it is in shadow.

    `action` is what the author named: a kind (answer, refuse, route, mark), a name defined under `actions:`, or a task
    type. `parameters` belong to the action; a text may be a string or a mapping of language to string. `gpu_memory`: MB
    that the action takes on the GPU; `owner` and `since` (a date) say who answers for the rule, and from when."""

    id: str
    pack: str
    priority: int
    groups: tuple[Group, ...]
    none: tuple[Term, ...]
    conditions: Conditions
    action: str
    parameters: dict[str, Any] = {}
    negatable: bool = True
    looks_at: LooksAt = "question"
    mode: Mode = "enforce"
    share: int | None = None
    gpu_memory: int | None = None
    owner: str | None = None
    since: str | None = None
    cases: tuple[Case, ...] = ()
    source: str = ""

    @property
    def passes(self) -> bool:
        """Whether a request that it holds for may go on to the next rules all the same."""
        return self.mode == "shadow" or self.action == "mark" or self.share is not None


class Asking(msgspec.Struct, frozen=True, gc=False):
    """Who asks, by which way: what conditions look at besides the text. `key` is the caller's name, `group` and `role`
    are what the config says of that key, `source` is the program. `person` tells a caller's own users apart."""

    entry: str
    endpoint: str
    role: str | None = None
    key: str | None = None
    group: str | None = None
    source: str | None = None
    person: str | None = None


class RuleHit(msgspec.Struct, frozen=True):
    """A rule that holds, and where its groups matched the original text: (group name, start, end). `shadow`: it takes
    nothing here, whatever it would have done."""

    rule: Rule
    spans: tuple[tuple[str, int, int], ...]
    shadow: bool = False


class Looked(msgspec.Struct, frozen=True):
    """What the rules say of a request: the one that takes it, and those that it passed on its way (marks, and rules in
    shadow). `cut` is set where time ran out: how many rules had been looked at."""

    hit: RuleHit | None = None
    passed: tuple[RuleHit, ...] = ()
    cut: int | None = None
