"""What is summed up of requests, and by which of their fields."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TypeVar

import msgspec

from pointsman.store.log_filters import field_of
from pointsman.store.log_outline import KIND, Outline

T = TypeVar("T", int, float)

DIMS = ("stage", "rule", "action", "target", "entry", "outcome", "caller")
"""What requests are told apart by. `entry` is what the client named, a model or an entry."""
BOUNDS = (
    0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 20_000, 40_000, 80_000, 160_000,
    320_000, 640_000,
)  # fmt: skip
"""Milliseconds up to which a bucket reaches, itself among them; one more has what took longer."""
OTHER = "…"
"""Stands for all values beyond the first `MOST` of a period."""
MOST = 200
ALL = tuple(range(len(DIMS)))
_CALLER = DIMS.index("caller")

FIELDS = tuple(map(field_of, DIMS))
"""Of heads, one for each of DIMS."""
_PLACES = list(map(KIND.index, FIELDS))
Key = tuple[str | None, ...]
"""A value of each dimension."""
_bucket = partial(bisect_left, BOUNDS)


class Spread(msgspec.Struct, array_like=True, gc=False):
    """Times of `count` requests in milliseconds: their sum, and how many fell into which bucket of BOUNDS. Mutable."""

    count: int = 0
    sum: float = 0.0
    buckets: dict[int, int] = {}

    def add(self, other: Spread) -> None:
        self.count += other.count
        self.sum += other.sum
        for bucket, count in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count

    def quantile(self, share: float) -> float | None:
        """Milliseconds below which this share of them stayed, as far as the buckets tell: the upper bound of the one it
        falls into; None where there are none."""
        seen = 0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            if seen >= share * self.count:
                return BOUNDS[min(bucket, len(BOUNDS) - 1)]
        return None


class Figures(msgspec.Struct, array_like=True, gc=False):
    """Of some requests: how many, their tokens where somebody counted them, and the spreads of their times. Mutable."""

    count: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    total_ms: Spread = msgspec.field(default_factory=Spread)
    ttft_ms: Spread = msgspec.field(default_factory=Spread)
    queued_ms: Spread = msgspec.field(default_factory=Spread)

    def add(self, other: Figures) -> None:
        self.count += other.count
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.cached_tokens += other.cached_tokens
        self.total_ms.add(other.total_ms)
        self.ttft_ms.add(other.ttft_ms)
        self.queued_ms.add(other.queued_ms)


def summed(those: Outline, step: int, dims: Sequence[int] = ALL) -> dict[int, dict[Key, Figures]]:
    """By the seconds since the epoch at which the step began that each came in, and by a value of each of DIMS, or of those
    in these places."""
    places = [_PLACES[dim] for dim in dims]
    keys: dict[Key, int] = {}
    numbers = [keys.setdefault(tuple([kind[place] for place in places]), len(keys)) for kind in those.kinds]
    steps = [received // step for received in those.received]
    apart: defaultdict[tuple[float, int], list[int]] = defaultdict(list)
    for place, one in enumerate(zip(steps, map(numbers.__getitem__, those.codes), strict=True)):
        apart[one].append(place)
    named = list(keys)
    found: dict[int, dict[Key, Figures]] = {}
    for (began, number), same in apart.items():
        found.setdefault(int(began) * step, {})[named[number]] = _figures(those, same)
    return found


def by(dims: Sequence[int], sums: Mapping[Key, Figures]) -> dict[Key, Figures]:
    """By some of the dimensions, which are named by their places, only."""
    found: dict[Key, Figures] = {}
    for key, figures in sums.items():
        add_to(found, tuple([key[dim] for dim in dims]), figures)
    return found


def add_to(sums: dict[Key, Figures], key: Key, figures: Figures) -> None:
    """So that there are no more than twice MOST of them: first callers are no longer told apart, then all is one."""
    if key not in sums and len(sums) >= MOST:
        key = (*key[:_CALLER], OTHER) if len(key) == len(DIMS) else (OTHER,) * len(key)
        if key not in sums and len(sums) >= 2 * MOST:
            key = (OTHER,) * len(key)
    known = sums.get(key)
    if known is None:
        known = sums[key] = Figures()
    known.add(figures)


def _figures(those: Outline, places: list[int]) -> Figures:
    return Figures(
        len(places),
        sum(_there(those.input_tokens, places)),
        sum(_there(those.output_tokens, places)),
        sum(_there(those.cached_tokens, places)),
        _spread(_there(those.total_ms, places)),
        _spread(_there(those.ttft_ms, places)),
        _spread(_there(those.queued_ms, places)),
    )


def _there(column: Sequence[T | None], places: list[int]) -> list[T]:
    return [value for value in map(column.__getitem__, places) if value is not None]


def _spread(times: list[float]) -> Spread:
    return Spread(len(times), sum(times), dict(Counter(map(_bucket, times)))) if times else Spread()
