"""What is looked at when somebody asks: the machine, its GPUs with answers in NVML's form, and engines."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from pointsman.app import observed
from pointsman.app.observed import Observed, levels_of_process
from pointsman.fleet.node import Node
from pointsman.ports.backend import BackendFailure, EngineLoad
from pointsman.telemetry.catalogue import FAMILIES


class NVMLError(Exception):
    pass


class Nvml:
    """Two cards; the second one, a slice, tells its memory and nothing else."""

    NVMLError = NVMLError
    NVML_TEMPERATURE_GPU = 0
    gone = False

    def __getattr__(self, name: str) -> Any:
        def call(handle: int = 0, *_: Any) -> Any:
            if self.gone or (handle == 1 and name not in _TOLD):
                raise NVMLError("Not Supported")
            return {
                "nvmlDeviceGetCount": 2,
                "nvmlDeviceGetUUID": f"GPU-{handle}",
                "nvmlDeviceGetName": "NVIDIA H200",
                "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=1000 + handle, used=600, free=400),
                "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=75, memory=10),
                "nvmlDeviceGetTemperature": 61,
                "nvmlDeviceGetPowerUsage": 412_500,
                "nvmlDeviceGetHandleByIndex": handle,
            }.get(name)

        return call


_TOLD = ("nvmlDeviceGetHandleByIndex", "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetUUID")


class Engine:
    def __init__(self, load: EngineLoad | Exception | None) -> None:
        self._load = load

    async def load(self) -> EngineLoad | None:
        if isinstance(self._load, Exception):
            raise self._load
        return self._load


async def test_gpus_by_their_uuid_in_base_units() -> None:
    nvml = Nvml()
    looking = Observed(lambda: Node(nvml))
    levels = await looking.levels({})
    assert levels["gpu_utilisation_ratio"] == {("GPU-0", "NVIDIA H200"): 0.75}
    assert levels["gpu_memory_used_bytes"] == {("GPU-0", "NVIDIA H200"): 600.0, ("GPU-1", ""): 600.0}
    assert levels["gpu_memory_bytes"] == {("GPU-0", "NVIDIA H200"): 1000.0, ("GPU-1", ""): 1001.0}
    assert levels["gpu_temperature_celsius"] == {("GPU-0", "NVIDIA H200"): 61.0}
    assert levels["gpu_power_watts"] == {("GPU-0", "NVIDIA H200"): 412.5}
    nvml.gone = True
    assert not any(name.startswith("gpu") for name in await looking.levels({})), "a driver that is gone is no error"
    looking.close()


async def test_a_machine_without_a_gpu_tells_the_rest() -> None:
    looking = Observed()
    levels = await looking.levels({})
    looking.close()
    assert 0 <= levels["node_cpu_ratio"][()] <= 1
    assert 0 < levels["node_memory_used_bytes"][()] <= levels["node_memory_bytes"][()]
    assert set(levels) <= set(FAMILIES)


async def test_a_driver_that_hangs_is_not_waited_for_and_keeps_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observed, "_PATIENCE", 0.05)
    free, asked = threading.Event(), []

    def make() -> Node:
        asked.append(1)
        free.wait(20)
        return Node()

    looking = Observed(make)
    for _ in range(3):
        assert "node_cpu_ratio" not in await looking.levels({})
    assert len(asked) == 1
    free.set()
    monkeypatch.setattr(observed, "_PATIENCE", 20.0)
    assert "node_cpu_ratio" in await looking.levels({})
    looking.close()


async def test_engines_as_they_see_themselves() -> None:
    looking = Observed()
    backends: Any = {
        "m@vllm": Engine(EngineLoad(3, 2, 0, 0.75)),
        "m@llama": Engine(EngineLoad(1, 0)),
        "m@silent": Engine(None),
        "m@gone": Engine(BackendFailure("connect", "nobody there")),
    }
    levels = await looking.levels(backends)
    looking.close()
    assert levels["target_kv_cache_usage_ratio"] == {("m@vllm",): 0.75}
    assert levels["target_running"] == {("m@vllm",): 3.0, ("m@llama",): 1.0}
    assert levels["target_waiting"] == {("m@vllm",): 2.0, ("m@llama",): 0.0}


def test_an_idle_process_has_nothing_new_to_tell() -> None:
    first = levels_of_process("1.0")
    assert first["build_info"] == {("1.0",): 1.0} and first["process_memory_bytes"][()] > 10 << 20
    assert first["process_memory_bytes"][()] % (1 << 20) == 0


def test_a_gateway_without_a_collector_imports_nothing_for_one() -> None:
    code = "import sys, pointsman.app.serving; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "pointsman.telemetry.metrics" in loaded
    assert not [name for name in loaded if "otlp" in name or name == "prometheus_client"]
