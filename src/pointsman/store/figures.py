"""What is summed up of requests, and by which of their fields."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter

import msgspec

from pointsman.store.log_row import Brief

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
_CALLER = DIMS.index("caller")

_FIELDS = ("stage", "rule", "action", "target", "model", "outcome", "caller")  # of a head
Key = tuple[str | None, ...]
"""A value of each dimension."""
_key_of: Callable[[Brief], Key] = attrgetter(*_FIELDS)
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


def summed(heads: Iterable[Brief], step: int, dims: Sequence[int] | None = None) -> dict[int, dict[Key, Figures]]:
    """By the seconds since the epoch at which the step began that each came in, and by a value of each of DIMS, or of those
    in these places."""
    key_of = _key_of if dims is None else _by(dims)
    apart: defaultdict[tuple[int, Key], list[Brief]] = defaultdict(list)
    for head in heads:
        apart[int(head.received // step) * step, key_of(head)].append(head)
    found: dict[int, dict[Key, Figures]] = {}
    for (start, key), same in apart.items():
        found.setdefault(start, {})[key] = _figures(same)
    return found


def _by(dims: Sequence[int]) -> Callable[[Brief], Key]:
    getters = [attrgetter(_FIELDS[dim]) for dim in dims]
    if not getters:
        return lambda head: ()
    if len(getters) == 1:
        [getter] = getters
        return lambda head: (getter(head),)
    return attrgetter(*[_FIELDS[dim] for dim in dims])


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


def _figures(heads: list[Brief]) -> Figures:
    return Figures(
        len(heads),
        sum([head.input_tokens or 0 for head in heads]),
        sum([head.output_tokens or 0 for head in heads]),
        sum([head.cached_tokens or 0 for head in heads]),
        _spread([head.total_ms for head in heads if head.total_ms is not None]),
        _spread([head.ttft_ms for head in heads if head.ttft_ms is not None]),
        _spread([head.queued_ms for head in heads if head.queued_ms is not None]),
    )


def _spread(times: list[float]) -> Spread:
    return Spread(len(times), sum(times), dict(Counter(map(_bucket, times)))) if times else Spread()
