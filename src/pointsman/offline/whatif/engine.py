"""An engine that works on several requests at a time, each the slower the more there are."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable


class Engine:
    """`rate`: how fast each of so many goes, beside one alone. Time only goes forward."""

    def __init__(self, rate: Callable[[int], float]) -> None:
        self._rate = rate
        self._ends: list[tuple[float, str]] = []
        self._done = 0.0
        self._now = 0.0
        self.busy = 0.0
        """Seconds in which there was something to do."""

    def __len__(self) -> int:
        return len(self._ends)

    @property
    def next(self) -> float:
        """When the first of them ends, if nothing else comes."""
        if not self._ends:
            return math.inf
        return self._now + max(self._ends[0][0] - self._done, 0.0) / self._rate(len(self._ends))

    def begin(self, name: str, work: float, now: float) -> None:
        self._go(now)
        heapq.heappush(self._ends, (self._done + work, name))

    def end(self) -> tuple[float, str]:
        """The moment at which the first of them ends, and which one it is. There must be one."""
        at = self.next
        self._go(at)
        self._done, name = heapq.heappop(self._ends)
        return at, name

    def _go(self, now: float) -> None:
        if self._ends:
            self._done += (now - self._now) * self._rate(len(self._ends))
            self.busy += now - self._now
        self._now = now
