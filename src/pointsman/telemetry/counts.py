"""What was counted, as plain values: to be sent to another process and added up there."""

from __future__ import annotations

import time
from bisect import bisect_right
from functools import reduce
from operator import add

import msgspec

from pointsman.telemetry.catalogue import FAMILIES

MOST = 1000
"""Label sets of one family; what comes after them is counted together, whoever made it up."""
LONGEST = 120
"""Characters of a label's value."""
OTHER = "(other)"

Labels = tuple[str, ...]


class Tally(msgspec.Struct):
    """A counter. `created` is when it began, seconds since the epoch."""

    created: float
    value: float = 0


class Spread(msgspec.Struct):
    """A histogram: how many values fell between two bounds, one place more than there are bounds, and the sum of all."""

    created: float
    places: list[int]
    total: float = 0.0

    def take(self, bounds: tuple[float, ...], values: list[float]) -> None:
        """All of them, each into the first place whose bound it does not exceed; `values` is empty afterwards. Many at once
        cost a third of what one by one would."""
        self.total = reduce(add, values, self.total)
        values.sort()
        before = 0
        for place, bound in enumerate(bounds):
            upto = bisect_right(values, bound)
            self.places[place] += upto - before
            before = upto
        self.places[-1] += len(values) - before
        values.clear()


Tallies = dict[Labels, Tally]
Spreads = dict[Labels, Spread]
Levels = dict[Labels, float]


class Counts(msgspec.Struct):
    """All that the metrics show, by family (its name without `pointsman_`) and the values of its labels. Times are seconds.
    `levels` are as of the moment at which they were set, the rest since `created`. One thread at a time."""

    created: float
    tallies: dict[str, Tallies]
    spreads: dict[str, Spreads]
    levels: dict[str, Levels]

    @classmethod
    def begun(cls) -> Counts:
        """Nothing yet: what has no labels is there, at nothing."""
        now = time.time()
        counts = cls(now, {}, {}, {})
        for name, family in FAMILIES.items():
            if family.kind == "counter":
                counts.tallies[name] = {} if family.labels else {(): Tally(now)}
            elif family.kind == "histogram":
                counts.spreads[name] = {} if family.labels else {(): _spread(name, now)}
            else:
                counts.levels[name] = {} if family.labels else {(): 0.0}
        return counts

    def tally(self, name: str, labels: Labels, created: float | None = None) -> Tally:
        """That counter, made where there was none (then it began at `created`, or now)."""
        tallies = self.tallies[name]
        found = tallies.get(labels)
        if found is None:
            labels = self._kept(name, labels, tallies)
            now = time.time() if created is None else created
            found = tallies.setdefault(labels, Tally(now))
            found.created = min(found.created, now)
        return found

    def spread(self, name: str, labels: Labels, created: float | None = None) -> Spread:
        """The same of a histogram."""
        spreads = self.spreads[name]
        found = spreads.get(labels)
        if found is None:
            labels = self._kept(name, labels, spreads)
            now = time.time() if created is None else created
            found = spreads.setdefault(labels, _spread(name, now))
            found.created = min(found.created, now)
        return found

    def count(self, name: str, labels: Labels, by: float = 1) -> None:
        self.tally(name, labels).value += by

    def _kept(self, name: str, labels: Labels, known: Tallies | Spreads) -> Labels:
        """The labels as they are shown: not too long, and the same for all once there are too many."""
        labels = tuple(_shown(value) for value in labels)
        other = (OTHER,) * len(labels)
        if len(known) < MOST or labels in known or labels == other:
            return labels
        if name != "series_dropped":
            self.count("series_dropped", (name,))
        return other

    def copy(self) -> Counts:
        """Shares nothing with this."""
        copy = Counts.begun()
        copy.created = self.created
        for tallies in copy.tallies.values():
            tallies.clear()
        for spreads in copy.spreads.values():
            spreads.clear()
        copy.merge(self)
        return copy

    def derive(self) -> None:
        """Sets the levels that follow from what was counted, in all processes by now."""
        self.levels["gpu_saved_seconds"] = {(): self._sum("gpu_baseline_seconds") - self._sum("gpu_seconds")}
        self.levels["kv_kept_free_bytes"] = {(): self._sum("kv_baseline_bytes") - self._sum("kv_taken_bytes")}

    def _sum(self, name: str) -> float:
        return sum(tally.value for tally in self.tallies[name].values())

    def merge(self, other: Counts) -> None:
        """Adds what another process counted, as if all had been counted here. Of what each of them sees, the largest holds:
        a target is up where either found it up. `other` is not changed, and shares nothing with this afterwards."""
        self.created = min(self.created, other.created)
        for name, levels in other.levels.items():
            ours = self.levels[name]
            if FAMILIES[name].joined == "sum":
                for labels, level in levels.items():
                    ours[labels] = ours.get(labels, 0.0) + level
            else:
                for labels, level in levels.items():
                    ours[labels] = max(ours.get(labels, level), level)
        for name, tallies in other.tallies.items():
            for labels, more in tallies.items():
                tally = self.tally(name, labels, more.created)
                tally.created = min(tally.created, more.created)
                tally.value += more.value
        for name, spreads in other.spreads.items():
            for labels, other_spread in spreads.items():
                spread = self.spread(name, labels, other_spread.created)
                spread.created = min(spread.created, other_spread.created)
                spread.places = [a + b for a, b in zip(spread.places, other_spread.places, strict=True)]
                spread.total += other_spread.total


def _shown(value: str) -> str:
    """Cut where it is too long; half a surrogate pair, which no encoding has, becomes a question mark."""
    value = value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


def _spread(name: str, now: float) -> Spread:
    return Spread(now, [0] * (len(FAMILIES[name].bounds) + 1))
