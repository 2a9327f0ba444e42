"""What the page *Now* shows, worked out of what the gateway counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pointsman.console.kinds import KINDS, Kind, kind_of
from pointsman.telemetry.catalogue import FAMILIES
from pointsman.telemetry.counts import Counts, Spread

_CODES = {"too_late": "shed"}
"""The code that a client, and so the log, has of why it was turned away, where it is another word."""


class Share(msgspec.Struct, frozen=True):
    """`share` is 0 to 1; `before` is the sum of the shares of the kinds before it."""

    kind: Kind
    many: float
    share: float
    before: float


class Room(msgspec.Struct, frozen=True):
    """Memory of one thing: `used` of `most`, both in bytes, or in tokens of a KV cache. None: it has no limit."""

    name: str
    what: str
    used: float
    most: float | None

    @property
    def full(self) -> float:
        """0 to 1."""
        return min(self.used / self.most, 1.0) if self.most else 0.0

    @property
    def shows(self) -> bool:
        """Whether there is anything to be seen of it: a cache without a limit that holds nothing has none."""
        return bool(self.most or self.used)


class Gauges(msgspec.Struct, frozen=True):
    """`since` is seconds since the epoch. `turned_away` are the codes of errors at the gate, with how many there were. Times
    of first tokens are seconds, None where no model has replied."""

    since: float
    many: float
    shares: Sequence[Share]
    failed: float
    turned_away: Sequence[tuple[str, float]]
    gpu_saved: float
    ttft: tuple[float | None, float | None]
    waiting: float
    memory: Sequence[Room]
    open_breakers: Sequence[str]


def gauges_of(counts: Counts) -> Gauges:
    """Derives what follows from the counts first; they are changed."""
    counts.derive()
    many: dict[Kind, float] = dict.fromkeys((*KINDS, "none"), 0.0)
    failed = 0.0
    for (_, _, stage, outcome), tally in counts.tallies["requests"].items():
        many[kind_of(stage, outcome)] += tally.value
        if outcome == "failed":
            failed += tally.value
    levels = counts.levels
    return Gauges(
        since=counts.created,
        many=sum(many.values()),
        shares=shares_of(many),
        failed=failed,
        turned_away=[(_CODES.get(why, why), tally.value) for (why,), tally in counts.tallies["turned_away"].items()],
        gpu_saved=levels["gpu_saved_seconds"][()],
        ttft=_middle(counts.spreads["time_to_first_token_seconds"].values()),
        waiting=levels["queue_waiting"].get((), 0.0),
        memory=_memory(levels),
        open_breakers=[target for target, state in levels["target_breaker"] if state == "open"],
    )


def shares_of(many: Mapping[Kind, float]) -> list[Share]:
    """In the order of KINDS, of all requests of these."""
    total, before, shares = sum(many[kind] for kind in KINDS), 0.0, []
    for kind in KINDS:
        share = many[kind] / total if total else 0.0
        shares.append(Share(kind, many[kind], share, before))
        before += share
    return shares


def quantile(bounds: Sequence[float], places: Sequence[int], part: float) -> float | None:
    """The value that so large a part of all does not exceed, on a straight line within its place; the last bound where it
    lies beyond all of them; None of nothing."""
    total = sum(places)
    if not total:
        return None
    wanted, below, before = part * total, 0.0, 0.0
    for bound, many in zip(bounds, places, strict=False):
        if many and before + many >= wanted:
            return below + (bound - below) * (wanted - before) / many
        before += many
        below = bound
    return bounds[-1]


def _middle(spreads: Iterable[Spread]) -> tuple[float | None, float | None]:
    """p50 and p95 of all of them together."""
    bounds = FAMILIES["time_to_first_token_seconds"].bounds
    places = [0] * (len(bounds) + 1)
    for spread in spreads:
        places = [a + b for a, b in zip(places, spread.places, strict=True)]
    return quantile(bounds, places, 0.5), quantile(bounds, places, 0.95)


def _memory(levels: Mapping[str, Mapping[tuple[str, ...], float]]) -> list[Room]:
    rooms = [
        Room(labels[1], "gpu", levels["gpu_memory_used_bytes"].get(labels, 0.0), most)
        for labels, most in levels["gpu_memory_bytes"].items()
    ]
    if most := levels["node_memory_bytes"].get(()):
        rooms.append(Room("", "node", levels["node_memory_used_bytes"].get((), 0.0), most))
    rooms += [
        Room(labels[0], "cells", used, levels["target_cells_limit"].get(labels))
        for labels, used in levels["target_cells"].items()
    ]
    return rooms
