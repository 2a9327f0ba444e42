"""Figures as metrics of OTLP."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pointsman.telemetry.catalogue import FAMILIES, PREFIX, Family
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.otlp import wire

Pairs = tuple[tuple[str, str], ...]
_CUMULATIVE = 2
_UNITS = {"seconds": "s", "bytes": "By", "joules": "J", "watts": "W", "celsius": "Cel", "ratio": "1"}


class Histogram(msgspec.Struct):
    """One place more than there are bounds."""

    places: list[int]
    total: float = 0.0


def metric_of_histograms(
    name: str,
    what: str,
    unit: str,
    bounds: tuple[float, ...],
    found: Iterable[tuple[Pairs, Histogram]],
    began: int,
    now: int,
) -> bytes:
    """Times are nanoseconds since the epoch."""
    points = b"".join(
        wire.message(1, _histogram_point(pairs, each.places, each.total, bounds, began, now)) for pairs, each in found
    )
    return _metric(name, what, unit) + wire.message(9, points + wire.number(2, _CUMULATIVE))


def metrics_of(counts: Counts, now: int) -> list[bytes]:
    """All families that have something to say, under the names that /metrics has for them."""
    counts.derive()
    return [made for name, family in FAMILIES.items() if (made := _family(name, family, counts, now))]


def _family(name: str, family: Family, counts: Counts, now: int) -> bytes:
    head = _metric(PREFIX + name, str(family.about), _UNITS.get(name.rpartition("_")[2], "1"))
    if family.kind == "gauge":
        points = b"".join(
            wire.message(1, _number_point(_pairs(family, labels), level, None, now))
            for labels, level in counts.levels.get(name, {}).items()
        )
        return head + wire.message(5, points) if points else b""
    if family.kind == "counter":
        points = b"".join(
            wire.message(1, _number_point(_pairs(family, labels), tally.value, tally.created, now))
            for labels, tally in counts.tallies[name].items()
        )
        total = wire.number(2, _CUMULATIVE) + wire.number(3, 1)
        return head + wire.message(7, points + total) if points else b""
    points = b"".join(
        wire.message(
            1,
            _histogram_point(
                _pairs(family, labels), spread.places, spread.total, family.bounds, _nanoseconds(spread.created), now
            ),
        )
        for labels, spread in counts.spreads[name].items()
    )
    return head + wire.message(9, points + wire.number(2, _CUMULATIVE)) if points else b""


def _metric(name: str, what: str, unit: str) -> bytes:
    return wire.text(1, name) + wire.text(2, what) + wire.text(3, unit)


def _pairs(family: Family, labels: tuple[str, ...]) -> Pairs:
    return tuple(zip(family.labels, labels, strict=True))


def _number_point(pairs: Pairs, value: float, began: float | None, now: int) -> bytes:
    start = b"" if began is None else wire.fixed64(2, _nanoseconds(began))
    return start + wire.fixed64(3, now) + wire.double(4, value) + wire.attributes(7, dict(pairs))


def _histogram_point(
    pairs: Pairs, places: list[int], total: float, bounds: tuple[float, ...], began: int, now: int
) -> bytes:
    return b"".join(
        (
            wire.fixed64(2, began),
            wire.fixed64(3, now),
            wire.fixed64(4, sum(places)),
            wire.double(5, total),
            wire.packed_fixed64(6, places),
            wire.packed_double(7, bounds),
            wire.attributes(9, dict(pairs)),
        )
    )


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
