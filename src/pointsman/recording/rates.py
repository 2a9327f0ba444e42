"""How fast a target reads prompts and writes replies, as records tell: an estimate for each, of one request. Pure.

An engine's own figures count before what we saw of the stream. One request's figure counts by its tokens, since short ones
tell of what is done once for each request; the estimate is the weighted median of the last requests, which some that were
held up do not move."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Sequence

import msgspec

from pointsman.domain.record import Record

WINDOW = 24
"""Requests that an estimate is made of."""
_LEAST_PREFILL, _LEAST_DECODE = 16, 8
"""Tokens below which a request tells nothing."""
_SHORTEST = 0.0005
"""Seconds that a clock can tell from none."""
MOVED = 0.1
"""By what share an estimate has to move before another one is given out."""


class Sample(msgspec.Struct, frozen=True, gc=False):
    """(tokens, seconds) of the part of the prompt that was not cached, and of the reply; None where it tells nothing."""

    prefill: tuple[int, float] | None
    decode: tuple[int, float] | None


def sample_of(record: Record) -> Sample | None:
    """What a record tells of its target; None where nothing."""
    if record.target is None or record.outcome != "ok" or record.cached:
        return None
    told = record.engine_times
    if told is not None:
        prefill = (told.prefill_tokens, told.prefill_ms / 1000)
        decode = (told.decode_tokens, told.decode_ms / 1000)
        return _sound(prefill, decode)
    times = record.timings
    if times.ttft is None or times.total is None or not record.attempts:
        return None
    last = record.attempts[-1]
    first: tuple[int, float] | None = None
    if record.input_tokens is not None and last.target == record.target:
        first = (record.input_tokens - (record.cached_tokens or 0), (times.ttft - last.began_ms) / 1000)
    rest: tuple[int, float] | None = None
    if record.output_tokens is not None and not record.output_estimated:
        rest = (record.output_tokens - 1, (times.total - times.ttft) / 1000)
    return _sound(first, rest)


def _sound(prefill: tuple[int, float] | None, decode: tuple[int, float] | None) -> Sample | None:
    if prefill is not None and (prefill[0] < _LEAST_PREFILL or prefill[1] < _SHORTEST):
        prefill = None
    if decode is not None and (decode[0] < _LEAST_DECODE or decode[1] < _SHORTEST):
        decode = None
    return Sample(prefill, decode) if prefill or decode else None


class Rate:
    """Tokens a second, of the last requests. `shown` is the estimate to two digits; it stays until the estimate has moved
    away from it by a tenth."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._ordered: list[tuple[float, int]] = []
        self.shown: float | None = None

    def take(self, tokens: int, seconds: float) -> bool:
        """Whether another figure is shown now."""
        sample = tokens / seconds, tokens
        self._seen.append(sample)
        insort(self._ordered, sample)
        if len(self._seen) > WINDOW:
            del self._ordered[bisect_left(self._ordered, self._seen.popleft())]
        estimate = weighted_median(self._ordered)
        if self.shown is not None and abs(estimate - self.shown) <= MOVED * self.shown:
            return False
        rounded = float(f"{estimate:.2g}")
        changed, self.shown = rounded != self.shown, rounded
        return changed


def weighted_median(ordered: Sequence[tuple[float, int]]) -> float:
    """The least value with at least half of the weight at or below it."""
    half = sum(weight for _, weight in ordered) / 2
    below = 0
    for value, weight in ordered:
        below += weight
        if below >= half:
            return value
    return ordered[-1][0]
