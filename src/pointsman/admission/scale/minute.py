"""What a minute was like for those who asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

LONG = 60
"""Seconds of a minute."""
Buckets = Mapping[int, int]
"""The place among bounds up to which a time reaches → how many; one place more has what took longer than all bounds."""


class Minute(msgspec.Struct, frozen=True):
    """`start` in seconds since the epoch, a whole minute. `waits` of those that went through the gate, `times` of all
    requests, from arrival to end. `memory`: the largest share in use that was seen, of main memory or of a GPU's; None:
    nobody looked. `evictions`: models that made room for others."""

    start: int
    waits: Buckets = {}
    times: Buckets = {}
    memory: float | None = None
    evictions: int = 0


def quantile(buckets: Buckets, bounds: Sequence[float], share: float) -> float:
    """In the unit of `bounds`, linear within a bucket; beyond the last bound that bound; 0 where there is nothing."""
    wanted = share * sum(buckets.values())
    seen = 0
    for place in sorted(buckets):
        count = buckets[place]
        if count and seen + count >= wanted:
            if place >= len(bounds):
                return bounds[-1]
            low = bounds[place - 1] if place else 0.0
            return low + (bounds[place] - low) * (wanted - seen) / count
        seen += count
    return 0.0
