"""What NVIDIA's driver says of the GPUs of this machine, through NVML. Works without a GPU: then it says why it knows
nothing."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from pointsman.domain.said import Said, said

_DEVICES = (Path("/dev/nvidiactl"), Path("/dev/dxg"))
"""One of these is there where the driver is."""


def driver_there() -> bool:
    """Whether there is a driver to ask; where there is none, nothing needs to be imported to ask it."""
    return any(path.exists() for path in _DEVICES)


class NoGpu(Exception):
    """No GPU can be asked. `why` is for a person."""

    def __init__(self, why: Said) -> None:
        super().__init__(why)
        self.why = why


class GpuMemory(msgspec.Struct, frozen=True, gc=False):
    """Bytes of one GPU; `uuid` is the driver's name for it."""

    uuid: str
    total: int
    used: int


class GpuStatus(msgspec.Struct, frozen=True, gc=False):
    """One GPU now: the share of the last moment in which it computed (0 to 1), bytes of memory, degrees Celsius, watts. None
    where the driver does not say (a slice of a GPU, an older card)."""

    uuid: str
    name: str
    busy: float | None
    used: int | None
    total: int | None
    temperature: float | None
    power: float | None


class Gpus:
    """The GPUs, from here on until the context ends. `nvml` is the module to ask (default: nvidia-ml-py's)."""

    def __init__(self, nvml: Any) -> None:
        self._nvml = nvml
        self._handles = [nvml.nvmlDeviceGetHandleByIndex(number) for number in range(nvml.nvmlDeviceGetCount())]
        self._uuids = [_text(nvml.nvmlDeviceGetUUID(handle)) for handle in self._handles]

    def memory(self) -> list[GpuMemory]:
        """Of each GPU, now. Raises NoGpu where the driver has stopped answering."""
        try:
            asked = [self._nvml.nvmlDeviceGetMemoryInfo(handle) for handle in self._handles]
        except self._nvml.NVMLError as error:
            raise NoGpu(_because(error)) from None
        return [GpuMemory(uuid, info.total, info.used) for uuid, info in zip(self._uuids, asked, strict=True)]

    def busy(self) -> list[float]:
        """The share of the last moment in which each GPU computed, from 0 to 1. Raises NoGpu as `memory`."""
        try:
            return [self._nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100 for handle in self._handles]
        except self._nvml.NVMLError as error:
            raise NoGpu(_because(error)) from None

    def processes(self) -> dict[int, int]:
        """Process → bytes that it has of all GPUs together, where the driver tells both (in a container it may not)."""
        found: dict[int, int] = {}
        for handle in self._handles:
            listed = self._ask(lambda: self._nvml.nvmlDeviceGetComputeRunningProcesses(handle))  # noqa: B023
            for each in listed or ():
                if each.usedGpuMemory:
                    found[each.pid] = found.get(each.pid, 0) + each.usedGpuMemory
        return found

    def status(self) -> list[GpuStatus]:
        """All that is known of each GPU. Raises nothing."""
        nvml, found = self._nvml, []
        for handle, uuid in zip(self._handles, self._uuids, strict=True):
            name = self._ask(lambda: _text(nvml.nvmlDeviceGetName(handle)))  # noqa: B023
            busy = self._ask(lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100)  # noqa: B023
            memory = self._ask(lambda: nvml.nvmlDeviceGetMemoryInfo(handle))  # noqa: B023
            degrees = self._ask(lambda: nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU))  # noqa: B023
            milliwatts = self._ask(lambda: nvml.nvmlDeviceGetPowerUsage(handle))  # noqa: B023
            used, total = (None, None) if memory is None else (memory.used, memory.total)
            power = None if milliwatts is None else milliwatts / 1000
            found.append(GpuStatus(uuid, name or "", busy, used, total, degrees, power))
        return found

    def _ask(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except self._nvml.NVMLError:
            return None

    @property
    def used(self) -> int:
        """Bytes in use on all of them together."""
        return sum(each.used for each in self.memory())


@contextlib.contextmanager
def gpus(nvml: Any = None) -> Iterator[Gpus]:
    """Raises NoGpu where there is no driver, or no GPU that it knows."""
    if nvml is None:
        nvml = _installed()
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        raise NoGpu(_because(error)) from None
    try:
        try:
            found = Gpus(nvml)
        except nvml.NVMLError as error:
            raise NoGpu(_because(error)) from None
        if not found.memory():
            raise NoGpu(said("the driver knows no GPU", "驱动没有找到任何 GPU"))
        yield found
    finally:
        with contextlib.suppress(nvml.NVMLError):
            nvml.nvmlShutdown()


def _installed() -> Any:
    """A part of the install that only machines with a GPU need."""
    try:
        return importlib.import_module("pynvml")
    except ImportError:
        raise NoGpu(said("nvidia-ml-py is not installed", "没有安装 nvidia-ml-py")) from None


def _because(error: Exception) -> Said:
    return said("NVML says: {why}", "NVML 报告：{why}", why=str(error))


def _text(value: str | bytes) -> str:
    """Older versions give bytes."""
    return value.decode() if isinstance(value, bytes) else value
