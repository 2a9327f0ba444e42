"""Signs that one more machine is needed, as of now: looked for when somebody asks for metrics or /ready, and not before.

Waits and times are those of the request log, so that they outlive this process, and are of all that write into it. How full
memory is, and who made room for whom, is seen at each look."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pointsman.telemetry.counts import Counts, Levels

if TYPE_CHECKING:
    from pointsman.admission.scale.signals import Sign, Signals

_HISTORY = 24 * 3600
_LATE = 120  # seconds until what came in a minute is in the log
_CAUSES = ("queue_wait", "p99_rising", "memory", "models")


class Scaling:
    """What it needs is imported with the first look, beside the loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._signals: Signals | None = None
        self._read = 0
        self._memory: dict[int, float] = {}
        self._evictions: dict[int, int] = {}
        self._pushed_out: int | None = None
        self._lock = asyncio.Lock()

    async def levels(self, counts: Counts) -> Levels:
        """1 for each that holds."""
        async with self._lock:
            now = time.time()
            self._look(int(now // 60) * 60, counts)
            until = int((now - _LATE) // 60) * 60
            if until > self._read:
                await asyncio.to_thread(self._catch_up, until)
        holding = {sign.cause for sign in self.holding}
        return {(cause,): float(cause in holding) for cause in _CAUSES}

    @property
    def holding(self) -> list[Sign]:
        """Those that held at the last look."""
        return [] if self._signals is None else self._signals.holding

    def _look(self, minute: int, counts: Counts) -> None:
        levels = counts.levels
        full = [
            used / total
            for of, whole in (
                ("node_memory_used_bytes", "node_memory_bytes"),
                ("gpu_memory_used_bytes", "gpu_memory_bytes"),
            )
            for labels, used in levels.get(of, {}).items()
            if (total := levels.get(whole, {}).get(labels))
        ]
        if full:
            self._memory[minute] = max(self._memory.get(minute, 0.0), *full)
        unloads = counts.tallies.get("model_unloads", {})
        gone = int(sum(tally.value for (_, reason), tally in unloads.items() if reason == "room"))
        if self._pushed_out is not None and gone > self._pushed_out:
            self._evictions[minute] = self._evictions.get(minute, 0) + gone - self._pushed_out
        self._pushed_out = gone

    def _catch_up(self, until: int) -> None:
        """With minutes that ended before that. Where there is no log, or it cannot be read, they had no requests."""
        import apsw

        from pointsman.admission.scale.minute import LONG, Minute
        from pointsman.admission.scale.signals import Signals
        from pointsman.store.figures import BOUNDS
        from pointsman.store.rollups import Rollups

        if self._signals is None:
            self._signals = Signals([bound / 1000 for bound in BOUNDS])
            self._read = until - _HISTORY
        rows = {}
        try:
            rollups = Rollups(self._folder)
            try:
                rows = {each.start: each.figures for each in rollups.between(self._read, until, LONG)}
            finally:
                rollups.close()
        except (FileNotFoundError, apsw.Error):
            pass
        for start in range(self._read, until, LONG):
            figures = rows.get(start)
            waits, times = ({}, {}) if figures is None else (figures.queued_ms.buckets, figures.total_ms.buckets)
            self._signals.add(Minute(start, waits, times, self._memory.pop(start, None), self._evictions.pop(start, 0)))
        self._read = until
