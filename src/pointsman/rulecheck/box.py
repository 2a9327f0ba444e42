"""The circumstances in which a rule holds: for each scalar a set of values, independent of each other. Length and
language follow from the text, but are taken as free here: what holds for all circumstances then holds for the real ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pointsman.domain.features import Features
from pointsman.domain.rule import Asking, Conditions
from pointsman.rulecheck.finding import Witness

ENDPOINTS = frozenset(("chat", "completions"))
"""Where rules are looked at; see pipeline/decide.py."""
_LANGUAGES = frozenset(("zh", "en", "other"))
_BOTH = frozenset((False, True))
FLAGS = ("asked", "brief", "tools", "images", "structured")
NAMES = ("role", "key", "group", "source")
OF_TEXT = ("tokens", "characters", "language")
"""What follows from the text."""


class Span(msgspec.Struct, frozen=True):
    """low … high, both inclusive; high None: without end."""

    low: int
    high: int | None = None

    def __contains__(self, value: int) -> bool:
        return value >= self.low and (self.high is None or value <= self.high)

    def meet(self, other: Span) -> Span | None:
        low = max(self.low, other.low)
        highs = [high for high in (self.high, other.high) if high is not None]
        high = min(highs, default=None)
        return None if high is not None and high < low else Span(low, high)

    def minus(self, other: Span) -> list[Span]:
        below = self.meet(Span(0, other.low - 1)) if other.low > 0 else None
        above = self.meet(Span(other.high + 1)) if other.high is not None else None
        return [span for span in (below, above) if span is not None]

    def pick(self, wanted: int) -> int:
        return max(self.low, wanted if self.high is None else min(wanted, self.high))


class Some(msgspec.Struct, frozen=True):
    """These values; `but`: all but these, of which there are always more, and no value at all (None) is one."""

    values: frozenset[Any]
    but: bool = False

    def __contains__(self, value: Any) -> bool:
        return (value in self.values) is not self.but

    def meet(self, other: Some) -> Some | None:
        if self.but and other.but:
            return Some(self.values | other.values, True)
        if self.but or other.but:
            listed, without = (other, self) if self.but else (self, other)
            values = listed.values - without.values
        else:
            values = self.values & other.values
        return Some(values) if values else None

    def minus(self, other: Some) -> list[Some]:
        left = self.meet(Some(other.values, not other.but))
        return [] if left is None else [left]

    def pick(self, wanted: Any) -> Any:
        return wanted if wanted in self else min(self.values)


Values = Span | Some
_EVERY = Some(frozenset(), True)


class Box(msgspec.Struct, frozen=True):
    """A set of values for each scalar, in a fixed order; none of them is empty."""

    scalars: tuple[tuple[str, Values], ...]

    def __getitem__(self, name: str) -> Values:
        return dict(self.scalars)[name]

    def meet(self, other: Box) -> Box | None:
        met = []
        for (name, mine), (_, theirs) in zip(self.scalars, other.scalars, strict=True):
            both = mine.meet(theirs)  # type: ignore[arg-type]
            if both is None:
                return None
            met.append((name, both))
        return Box(tuple(met))

    def asked(self) -> Box | None:
        """Of requests with a user's message; without one, there are none that count as a turn."""
        turn = Span(1).meet(self["turn"])  # type: ignore[arg-type]
        if turn is None:
            return None
        return Box(tuple((name, turn if name == "turn" else values) for name, values in self.scalars))

    def minus(self, other: Box) -> Iterator[Box]:
        """Boxes that together are all of this one that is not in the other."""
        for place, ((name, mine), (_, theirs)) in enumerate(zip(self.scalars, other.scalars, strict=True)):
            for left in mine.minus(theirs):  # type: ignore[arg-type]
                yield Box((*self.scalars[:place], (name, left), *self.scalars[place + 1 :]))

    def holds_text(self, seen: Features) -> bool:
        """Whether a text with these features has the length and language that the box asks for."""
        of: Mapping[str, Any] = dict(self.scalars)
        return (
            seen.question_tokens in of["tokens"]
            and seen.characters in of["characters"]
            and seen.language in of["language"]
        )

    def circumstances(self, seen: Features, *, free: bool = False) -> tuple[Features, Asking]:
        """Some of the box, as plain as it allows. `seen` are the features of the text; `free` makes up its length and
        language too."""
        of: Mapping[str, Any] = dict(self.scalars)
        features = msgspec.structs.replace(
            seen,
            turns=of["turn"].pick(seen.turns),
            asked=of["asked"].pick(seen.asked),
            brief=of["brief"].pick(seen.brief),
            tools=of["tools"].pick(seen.tools),
            images=int(of["images"].pick(bool(seen.images))),
            structured=of["structured"].pick(seen.structured),
        )
        if free:
            features = msgspec.structs.replace(
                features,
                question_tokens=of["tokens"].pick(seen.question_tokens),
                characters=of["characters"].pick(seen.characters),
                language=of["language"].pick(seen.language),
            )
        entry = of["entry"].pick("auto")
        names = [of[name].pick(None) for name in NAMES]
        asking = Asking(entry, of["endpoint"].pick("chat"), *names)
        return features, asking


def box_of(conditions: Conditions, entries: frozenset[str]) -> Box | None:
    """Where the conditions hold, of a rule that stands behind these entries; None: nowhere."""

    def span(low: int | None, high: int | None) -> Span:
        return Span(low or 0, high)

    def named(wanted: frozenset[str] | None) -> Some:
        return _EVERY if wanted is None else Some(wanted)

    def among(wanted: frozenset[str] | None, valid: frozenset[str]) -> Some:
        return Some(valid if wanted is None else wanted & valid)

    def flag(wanted: bool | None) -> Some:
        return Some(_BOTH if wanted is None else frozenset((wanted,)))

    scalars: tuple[tuple[str, Values], ...] = (
        ("tokens", span(conditions.min_tokens, conditions.max_tokens)),
        ("characters", span(conditions.min_characters, conditions.max_characters)),
        ("language", among(conditions.languages, _LANGUAGES)),
        ("turn", span(conditions.min_turn, conditions.max_turn)),
        *((name, flag(getattr(conditions, name))) for name in FLAGS),
        ("endpoint", among(conditions.endpoints, ENDPOINTS)),
        ("entry", among(conditions.entries, entries)),
        ("role", named(conditions.roles)),
        ("key", named(conditions.keys)),
        ("group", named(conditions.groups)),
        ("source", named(conditions.sources)),
    )
    empty = any(isinstance(values, Some) and not values.but and not values.values for _, values in scalars)
    empty = empty or any(isinstance(values, Span) and values.meet(values) is None for _, values in scalars)
    return None if empty else Box(scalars)


def witness(text: str, seen: Features, features: Features, asking: Asking) -> Witness:
    """The text with what of its circumstances is not as in a plain request; `seen` are the text's own features."""
    given: dict[str, Any] = {}
    if features.turns != seen.turns:
        given["turn"] = features.turns
    for name in FLAGS:
        value = bool(getattr(features, name))
        if value != bool(getattr(seen, name)):
            given[name] = value
    if asking.entry != "auto":
        given["entry"] = asking.entry
    if asking.endpoint != "chat":
        given["endpoint"] = asking.endpoint
    for name in NAMES:
        value = getattr(asking, name)
        if value is not None:
            given[name] = value
    return Witness(text, given)
