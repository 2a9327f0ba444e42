"""How much of each target is taken, and how fast it becomes free."""

from __future__ import annotations

import math

from pointsman.admission.ticket import OPEN, Capacity

HALF_LIFE = 60.0
"""Seconds after which what was served counts half for how fast a target is."""


class Room:
    """One target. What it serves is measured in cells a second of the time in which it was busy. `shut`: nobody is let in
    for now, though it holds what it holds."""

    def __init__(self, capacity: Capacity = OPEN) -> None:
        self.capacity = capacity
        self.shut = False
        self.sequences = 0
        self.cells = 0
        self._served = 0.0
        self._busy = 0.0
        self.since = 0.0
        """When somebody came or left last."""

    def fits(self, cells: int) -> bool:
        """Whether one more may come now."""
        limit = self.capacity
        return (
            not self.shut
            and (limit.sequences is None or self.sequences < limit.sequences)
            and (limit.cells is None or self.cells + cells <= limit.cells)
        )

    def holds(self, cells: int) -> bool:
        """Whether it could come if nobody else were there."""
        limit = self.capacity
        return limit.sequences != 0 and (limit.cells is None or cells <= limit.cells)

    def take(self, cells: int, now: float) -> None:
        self._tick(now)
        self.sequences += 1
        self.cells += cells

    def give(self, cells: int, now: float) -> None:
        self._tick(now)
        self.sequences -= 1
        self.cells -= cells
        self._served += cells

    def speed(self, now: float) -> float | None:
        """Cells a second while it is busy; None before it served anything."""
        busy = self._busy + (max(now - self.since, 0.0) if self.sequences else 0.0)
        return self._served / busy if self._served and busy > 0 else None

    def _tick(self, now: float) -> None:
        """Time that has passed counts as busy, and makes what was before count less."""
        passed = now - self.since
        if passed <= 0.0:
            return
        self.since = now
        if self.sequences:
            kept = math.exp2(-passed / HALF_LIFE)
            self._served *= kept
            self._busy = self._busy * kept + passed
