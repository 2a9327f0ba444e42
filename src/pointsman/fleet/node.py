"""This machine as an operator sees it: its cores, its memory, its GPUs."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import psutil

from pointsman.fleet.gpu import Gpus, GpuStatus, NoGpu, driver_there, gpus


class NodeState(msgspec.Struct, frozen=True, gc=False):
    """`cpu` is the share of all cores' time in which they worked since the reading before, 0 to 1; memory in bytes."""

    cpu: float
    memory_used: int
    memory: int
    gpus: tuple[GpuStatus, ...] = ()


class Node:
    """For one thread at a time. `nvml` is the module to ask (default: nvidia-ml-py's, where there is a driver); where no GPU
    is found it is not asked again."""

    def __init__(self, nvml: Any = None) -> None:
        self._open = contextlib.ExitStack()
        self._gpus: Gpus | None = None
        if nvml is not None or driver_there():
            with contextlib.suppress(NoGpu):
                self._gpus = self._open.enter_context(gpus(nvml))
        self._before = _cpu_seconds()

    def read(self) -> NodeState:
        """Takes milliseconds. Raises nothing."""
        busy, total = _cpu_seconds()
        passed = total - self._before[1]
        cpu = min(max((busy - self._before[0]) / passed, 0.0), 1.0) if passed > 0 else 0.0
        self._before = (busy, total)
        memory = psutil.virtual_memory()
        found = () if self._gpus is None else tuple(self._gpus.status())
        return NodeState(cpu, memory.total - memory.available, memory.total, found)

    def close(self) -> None:
        self._gpus = None
        self._open.close()


def _cpu_seconds() -> tuple[float, float]:
    """In which cores worked, and all, since the machine began."""
    times = psutil.cpu_times()
    total = sum(times[:8])  # guests' time is part of users'
    return total - times.idle - getattr(times, "iowait", 0.0), total
