"""Time, as an argument."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """`wall` is seconds since the epoch, for people; `monotonic` is seconds for differences."""

    def wall(self) -> float: ...

    def monotonic(self) -> float: ...


class SystemClock:
    """The machine's own."""

    wall = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)
