"""How busy this machine is: its CPU and memory from psutil, its GPUs from NVIDIA's driver, if it has one."""

from __future__ import annotations

import contextlib
from typing import Any

import psutil

from pointsman.fleet.gpu import Gpus, NoGpu, driver_there, gpus
from pointsman.ports.sensors import Reading


class MachineSensors:
    """`nvml` is the module to ask (default: nvidia-ml-py's, where the driver's devices are there)."""

    def __init__(self, nvml: Any = None) -> None:
        self._open = contextlib.ExitStack()
        self._gpus: Gpus | None = None
        if nvml is not None or driver_there():
            with contextlib.suppress(NoGpu):
                self._gpus = self._open.enter_context(gpus(nvml))
        self._before = _cpu_seconds()

    @property
    def gpu(self) -> bool:
        return self._gpus is not None

    def read(self) -> Reading:
        busy, total = _cpu_seconds()
        before, self._before = self._before, (busy, total)
        passed = total - before[1]
        cpu = min(max((busy - before[0]) / passed, 0.0), 1.0) if passed > 0 else 0.0
        memory = psutil.virtual_memory().percent / 100
        if self._gpus is not None:
            with contextlib.suppress(NoGpu):
                used = max(each.used / each.total for each in self._gpus.memory())
                return Reading(cpu, memory, max(self._gpus.busy()), used)
        return Reading(cpu, memory)

    def close(self) -> None:
        self._gpus = None
        self._open.close()


def _cpu_seconds() -> tuple[float, float]:
    """In which cores worked, and all, since the machine began. psutil's own difference is one for each thread that asks."""
    times = psutil.cpu_times()
    idle = times.idle + getattr(times, "iowait", 0.0)
    guests = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)  # part of user and nice
    total = sum(times) - guests
    return total - idle, total
