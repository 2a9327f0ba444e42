"""What NVIDIA's driver says of the GPUs of this machine, through NVML. Works without a GPU: then it says why it knows
nothing."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

import msgspec

from pointsman.domain.said import Said, said


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
