"""How busy this machine is, read in one place."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Reading(msgspec.Struct, frozen=True, gc=False):
    """Ratios from 0 to 1. `cpu` since the reading before, over all cores that there are; `memory` of the main memory in
    use. `gpu` is the share of time in which the busiest GPU computed, `gpu_memory` the fullest one's memory in use; None:
    there is no GPU that can be asked."""

    cpu: float
    memory: float
    gpu: float | None = None
    gpu_memory: float | None = None


class Sensors(Protocol):
    """One thread at a time."""

    @property
    def gpu(self) -> bool:
        """Whether there is a GPU that can be asked."""

    def read(self) -> Reading:
        """Now. Takes milliseconds and may block for so long; raises nothing."""

    def close(self) -> None:
        """Gives back what it took to read. Nothing is read afterwards."""
