"""What is looked at when somebody asks for metrics, and not before: the machine, the engines, this process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping

import psutil

from pointsman.domain.target import Target
from pointsman.fleet.node import Node
from pointsman.pipeline.gate import Gate
from pointsman.ports.backend import Backend, BackendFailure, EngineLoad
from pointsman.telemetry.counts import Levels

_PATIENCE = 1.0  # seconds that a scrape waits for engines, and for the driver


class Observed:
    """The driver of GPUs is opened by the first who asks. `make` makes what reads the machine."""

    def __init__(self, make: Callable[[], Node] = Node) -> None:
        self._make = make
        self._node: Node | None = None
        self._reading: asyncio.Future[dict[str, Levels]] | None = None

    async def levels(self, backends: Mapping[str, Backend]) -> dict[str, Levels]:
        """Of the machine, and of engines as they see themselves: the same whichever process looks. Who does not say in time
        is left out."""
        node, loads = await asyncio.gather(self._machine(), _loads(backends))
        return {**node, **loads}

    def close(self) -> None:
        if self._node is not None:
            self._node.close()

    async def _machine(self) -> dict[str, Levels]:
        """A driver that hangs keeps one thread, and no more than one."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.ensure_future(asyncio.to_thread(self._levels_of_node))
        done, _ = await asyncio.wait([self._reading], timeout=_PATIENCE)
        return self._reading.result() if done else {}

    def _levels_of_node(self) -> dict[str, Levels]:
        if self._node is None:
            self._node = self._make()
        state = self._node.read()
        levels: dict[str, Levels] = {
            "node_cpu_ratio": {(): state.cpu},
            "node_memory_used_bytes": {(): float(state.memory_used)},
            "node_memory_bytes": {(): float(state.memory)},
        }
        for gpu in state.gpus:
            for name, value in (
                ("gpu_utilisation_ratio", gpu.busy),
                ("gpu_memory_used_bytes", gpu.used),
                ("gpu_memory_bytes", gpu.total),
                ("gpu_temperature_celsius", gpu.temperature),
                ("gpu_power_watts", gpu.power),
            ):
                if value is not None:
                    levels.setdefault(name, {})[gpu.uuid, gpu.name] = float(value)
        return levels


def levels_of_targets(targets: Iterable[Target], gate: Gate) -> dict[str, Levels]:
    """What they are, and what of them is taken by the gate's account."""
    info: Levels = {}
    cells: Levels = {}
    limits: Levels = {}
    for target in targets:
        external = str(target.external).lower()
        info[target.name, target.model, target.backend, target.engine, target.tier, external] = 1.0
        cells[(target.name,)] = float(gate.inside(target.name)[1])
        if (limit := gate.capacity(target.name).cells) is not None:
            limits[(target.name,)] = float(limit)
    return {"target_info": info, "target_cells": cells, "target_cells_limit": limits}


def levels_of_process(version: str) -> dict[str, Levels]:
    """Of this one; rounded, so that an idle process has nothing new to tell."""
    process = psutil.Process()
    times = process.cpu_times()
    return {
        "process_memory_bytes": {(): float(process.memory_info().rss >> 20 << 20)},
        "process_cpu_seconds": {(): float(round(times.user + times.system))},
        "build_info": {(version,): 1.0},
    }


async def _loads(backends: Mapping[str, Backend]) -> dict[str, Levels]:
    names = list(backends)
    found = await asyncio.gather(*(_load(backends[name]) for name in names))
    levels: dict[str, Levels] = {"target_kv_cache_usage_ratio": {}, "target_running": {}, "target_waiting": {}}
    for name, load in zip(names, found, strict=True):
        if load is not None:
            for family, value in (
                ("target_kv_cache_usage_ratio", load.kv_cache_usage),
                ("target_running", load.running),
                ("target_waiting", load.waiting),
            ):
                if value is not None:
                    levels[family][(name,)] = float(value)
    return levels


async def _load(backend: Backend) -> EngineLoad | None:
    with contextlib.suppress(BackendFailure, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            return await backend.load()
    return None
