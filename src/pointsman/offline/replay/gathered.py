"""Moves as they are found: counted by where from, where to and why, with some of the requests."""

from __future__ import annotations

from collections import Counter

from pointsman.offline.replay.moved import Aspect, Place
from pointsman.offline.replay.outcome import Cause, Move, RuleEffect, Sample

_Key = tuple[Place, Place, Aspect, Cause]


class Gathered:
    """`shown` samples of each move, from all over the period: every one at first, and each time that there are twice as many
    as are shown, every other one is let go and only every other one taken from there on."""

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._moves: Counter[_Key] = Counter()
        self._samples: dict[_Key, list[Sample]] = {}
        self._steps: Counter[_Key] = Counter()  # of so many requests one is taken, as a power of two
        self._before: Counter[str] = Counter()
        self._after: Counter[str] = Counter()
        self._lost: dict[str, Counter[str]] = {}
        self._won: dict[str, Counter[str]] = {}

    def took(self, before: str | None, after: str | None) -> None:
        """Rules that took a request, and would take it."""
        if before is not None:
            self._before[before] += 1
        if after is not None:
            self._after[after] += 1

    def wants(self, key: _Key) -> bool:
        """Whether the next one of that move is to be a sample."""
        return bool(self._shown) and self._moves[key] % (1 << self._steps[key]) == 0

    def add(self, key: _Key, sample: Sample | None, rules: tuple[str | None, str | None]) -> None:
        """One more; `rules` that took it and would take it."""
        self._moves[key] += 1
        if sample is not None:
            samples = self._samples.setdefault(key, [])
            samples.append(sample)
            if len(samples) == 2 * self._shown:
                del samples[1::2]
                self._steps[key] += 1
        before, after = rules
        if before == after:
            return
        if before is not None:
            self._lost.setdefault(before, Counter())[_name(key[1])] += 1
        if after is not None:
            self._won.setdefault(after, Counter())[_name(key[0])] += 1

    def moves(self) -> tuple[Move, ...]:
        """Those of most requests first."""
        ordered = sorted(self._moves.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Move(*key, count, self._spread(self._samples.get(key, []))) for key, count in ordered)

    def _spread(self, samples: list[Sample]) -> tuple[Sample, ...]:
        """As many as are shown, the first and the last among them."""
        if len(samples) <= self._shown or self._shown < 2:
            return tuple(samples[: self._shown])
        return tuple(samples[place * (len(samples) - 1) // (self._shown - 1)] for place in range(self._shown))

    def rules(self) -> tuple[RuleEffect, ...]:
        """Rules that lose requests or win some, and those that took some before."""
        found = []
        for rule in sorted({*self._before, *self._after}):
            lost, won = self._lost.get(rule, Counter()), self._won.get(rule, Counter())
            found.append(
                RuleEffect(
                    rule=rule,
                    before=self._before[rule],
                    after=self._after[rule],
                    lost=lost.total(),
                    won=won.total(),
                    to=dict(lost.most_common()),
                    from_=dict(won.most_common()),
                )
            )
        return tuple(found)


def _name(place: Place) -> str:
    return place.name if place.kind == "target" else f"{place.kind} {place.name}"
