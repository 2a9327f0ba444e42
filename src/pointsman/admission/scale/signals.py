"""Signs that one more machine is needed. Pure: minutes come in, in their order; what holds is told.

A sign holds once every minute of `dwell` spoke for it, and is over once every minute of `calm` spoke against it; between the
two lines that this takes nothing changes. What speaks for it has to rest on `least` requests."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Literal

import msgspec

from pointsman.admission.scale.minute import LONG, Buckets, Minute, quantile

Cause = Literal["queue_wait", "p99_rising", "memory", "models"]
CAUSES: tuple[Cause, ...] = ("queue_wait", "p99_rising", "memory", "models")
_P99 = 0.99


class Lines(msgspec.Struct, frozen=True):
    """Where signs begin, and below which they end. `wait` and `slow` in seconds; `rise` is how many times the usual;
    `memory` a share; `evictions` within `window`. `window`, `usual`, `dwell`, `calm` in minutes."""

    wait: float = 2.0
    wait_over: float = 1.0
    slow: float = 1.0
    rise: float = 1.5
    rise_over: float = 1.2
    memory: float = 0.9
    memory_over: float = 0.85
    evictions: int = 6
    evictions_over: int = 1
    least: int = 100
    window: int = 15
    usual: int = 360
    dwell: int = 10
    calm: int = 30


class Sign(msgspec.Struct, frozen=True):
    """`since` and `until` (None: it holds) in seconds since the epoch. `value` over all that time: P99 in seconds, the
    largest share, or evictions; `usual`: P99 before, where it rose. `requests` that it rests on."""

    cause: Cause
    since: int
    until: int | None
    value: float
    usual: float | None = None
    requests: int = 0


class Seen(msgspec.Struct, frozen=True):
    """What one minute says of a cause, with what the window before it adds."""

    speaks_for: bool
    against: bool
    usual: float | None = None


class Signals:
    """`bounds` are those of the minutes' buckets, in seconds. Minutes that are left out are ones without any request."""

    def __init__(self, bounds: Sequence[float], lines: Lines = Lines()) -> None:  # noqa: B008  # frozen
        self._bounds = bounds
        self._lines = lines
        self._last: int | None = None
        self._waits = _Window(lines.window)
        self._times = _Window(lines.window)
        self._before = _Window(lines.usual)
        self._evictions: deque[int] = deque(maxlen=lines.window)
        self._states = {cause: _State(cause, lines) for cause in CAUSES}

    @property
    def holding(self) -> list[Sign]:
        """Those that hold as of the last minute."""
        return [state.sign(None, self._bounds) for state in self._states.values() if state.holds]

    @property
    def over(self) -> list[Sign]:
        """Those that held and are over, in the order in which they ended."""
        ended = [sign for state in self._states.values() for sign in state.over]
        return sorted(ended, key=lambda sign: (sign.until or 0, sign.cause))

    def add(self, minute: Minute) -> None:
        """One more; one that is not later than the last changes nothing."""
        if self._last is not None:
            missing = (minute.start - self._last) // LONG - 1
            if missing < 0:
                return
            for number in range(min(missing, self._lines.window + self._lines.usual)):
                self._add(Minute(self._last + (number + 1) * LONG))
        self._last = minute.start
        self._add(minute)

    def _add(self, minute: Minute) -> None:
        self._waits.push(minute.waits)
        gone = self._times.push(minute.times)
        if gone is not None:
            self._before.push(gone)
        self._evictions.append(minute.evictions)
        said: dict[Cause, Seen] = {
            "queue_wait": self._waiting(),
            "p99_rising": self._rising(),
            "memory": self._full(minute.memory),
            "models": self._pushed_out(),
        }
        for cause, seen in said.items():
            self._states[cause].step(minute, seen, self._bounds)

    def _waiting(self) -> Seen:
        lines = self._lines
        enough = self._waits.total >= lines.least
        p99 = quantile(self._waits.sums, self._bounds, _P99) if enough else 0.0
        return Seen(enough and p99 >= lines.wait, p99 < lines.wait_over)

    def _rising(self) -> Seen:
        """Beside what was usual when it began to rise."""
        lines = self._lines
        usual = self._states["p99_rising"].usual
        if usual is None and self._before.total >= 2 * lines.least:
            usual = quantile(self._before.sums, self._bounds, _P99)
        if usual is None or self._times.total < lines.least:
            return Seen(False, True)
        p99 = quantile(self._times.sums, self._bounds, _P99)
        return Seen(p99 >= max(lines.rise * usual, lines.slow), p99 < max(lines.rise_over * usual, lines.slow), usual)

    def _full(self, memory: float | None) -> Seen:
        if memory is None:
            return Seen(False, False)
        return Seen(memory > self._lines.memory, memory < self._lines.memory_over)

    def _pushed_out(self) -> Seen:
        count = sum(self._evictions)
        return Seen(count >= self._lines.evictions, count <= self._lines.evictions_over)


class _State:
    """One cause. While minutes speak for it, and while it holds, what they had is summed up."""

    def __init__(self, cause: Cause, lines: Lines) -> None:
        self.cause: Cause = cause
        self.over: list[Sign] = []
        self.holds = False
        self.usual: float | None = None
        self._lines = lines
        self._begin()

    def _begin(self) -> None:
        self.holds, self.usual = False, None
        self._since = self._run = self._calm = 0
        self._sums: Counter[int] = Counter()
        self._most = 0.0
        self._count = 0

    def step(self, minute: Minute, seen: Seen, bounds: Sequence[float]) -> None:
        if not self.holds and not seen.speaks_for:
            if self._run:
                self._begin()
            return
        if not self._run:
            self._since, self.usual = minute.start, seen.usual
        self._run += 1
        self._sums.update(minute.waits if self.cause == "queue_wait" else minute.times)
        self._most = max(self._most, minute.memory or 0.0)
        self._count += minute.evictions
        self.holds = self.holds or self._run >= self._lines.dwell
        self._calm = self._calm + 1 if seen.against else 0
        if self.holds and self._calm >= self._lines.calm:
            self.over.append(self.sign(minute.start + LONG, bounds))
            self._begin()

    def sign(self, until: int | None, bounds: Sequence[float]) -> Sign:
        value = {"memory": self._most, "models": float(self._count)}.get(self.cause)
        if value is None:
            value = quantile(self._sums, bounds, _P99)
        return Sign(self.cause, self._since, until, value, self.usual, self._sums.total())


class _Window:
    """The last so many minutes, summed up."""

    def __init__(self, minutes: int) -> None:
        self._minutes = minutes
        self._kept: deque[Buckets] = deque()
        self.sums: Counter[int] = Counter()
        self.total = 0

    def push(self, buckets: Buckets) -> Buckets | None:
        """The one that falls out of it."""
        self._kept.append(buckets)
        self.sums.update(buckets)
        self.total += sum(buckets.values())
        if len(self._kept) <= self._minutes:
            return None
        gone = self._kept.popleft()
        self.sums.subtract(gone)
        self.total -= sum(gone.values())
        return gone
