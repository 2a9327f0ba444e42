"""One timer that serves a connection for its whole life."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

NEVER = float("inf")
_TICK = 0.001
"""Seconds: event loops round timers to milliseconds."""


class Watch:
    """Calls `ring` once `at` (loop time) has passed. Moving `at` later is one assignment: the timer that goes off too
    early sets itself again, so a stream of a thousand reads costs no timer. `NEVER` disarms it."""

    __slots__ = ("_loop", "_ring", "_timer", "_timer_at", "at")

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self.at = NEVER
        self._loop = loop
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = NEVER

    def arm(self, seconds: float) -> None:
        """Ring in `seconds`, earlier or later than what was set before."""
        self.at = at = self._loop.time() + seconds
        if self._timer is None or self._timer_at > at:
            if self._timer is not None:
                self._timer.cancel()
            self._timer_at = at
            self._timer = self._loop.call_later(seconds, self._check)

    def stop(self) -> None:
        """Never ring again, unless armed again."""
        self.at = NEVER
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        self._timer = None
        if self.at == NEVER:
            return
        left = self.at - self._loop.time()
        if left > _TICK:
            self._timer_at = self.at
            self._timer = self._loop.call_later(left, self._check)
        else:
            self._ring()
