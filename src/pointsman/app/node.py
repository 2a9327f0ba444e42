"""`pointsman node`: beside an engine, it tells gateways that the engine is there, what it serves and how busy it is."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from pointsman.domain.errors import Problem
from pointsman.domain.node import ModelState, NodeGpu, NodeModel, NodeReport
from pointsman.domain.said import Said, said
from pointsman.fleet.node import Node
from pointsman.fleet.registry.stored import HEARTBEAT, StoredRegistry
from pointsman.ports.backend import Backend, BackendFailure, Call
from pointsman.ports.registry import RegistryFailure

log = logging.getLogger("pointsman")

NOTICED = 2.5
"""Seconds in which every gateway has looked again after this node said that it leaves."""
_STATES: dict[str, ModelState] = {"up": "ready", "loading": "loading"}


class ListedModel(msgspec.Struct, frozen=True):
    id: str = ""


class ModelList(msgspec.Struct, frozen=True):
    data: tuple[ListedModel, ...] = ()


class Agent:
    """Reports every 2 seconds, whatever its engine does. `models` are (name, id) pairs; none: all that the engine lists.
    `machine` makes what reads this machine. With `named`, `backend` is asked for that list alone, and the engine by what
    `named` makes of the first model there."""

    def __init__(
        self,
        registry: StoredRegistry,
        backend: Backend,
        report: NodeReport,
        models: Sequence[NodeModel],
        machine: Callable[[], Node] = Node,
        *,
        named: Callable[[str], Backend] | None = None,
    ) -> None:
        self.report = replace(report, incarnation=secrets.token_hex(8))
        self._registry = registry
        self._backend = backend
        self._lister = backend
        self._named = named
        self._asks: str | None = None
        self._slots = report.slots
        self._models = tuple(models)
        self._machine = machine()
        self._fails = False
        self._health = ""
        self._leaving = 0.0
        self._finished = asyncio.Event()
        """Set once gateways have heard that it leaves, and its engine has nothing left to do, as far as it says."""

    async def run(self, told_to_stop: asyncio.Event, drain: float) -> None:
        """Until it is told to stop; then it says that it leaves, lets its engine finish for so many seconds at most, and is
        gone. Raises Problem where another node has its name."""
        await self._alone()
        await self._look()
        looking = asyncio.create_task(self._follow())
        try:
            await self._beat(told_to_stop, None)
            self.report = replace(self.report, draining=True)
            log.info(_LEAVING, self.report.name)
            self._leaving = asyncio.get_running_loop().time()
            await self._beat(self._finished, drain)
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            with contextlib.suppress(RegistryFailure):
                await self._registry.leave(self.report)
            await self._backend.close()
            if self._backend is not self._lister:
                await self._lister.close()
            self._machine.close()
        log.info(_LEFT, self.report.name)

    # Inside

    async def _alone(self) -> None:
        try:
            there = await self._registry.all()
        except RegistryFailure:  # said with the first report
            return
        for other in there:
            if other.name == self.report.name and other.address != self.report.address and not other.draining:
                taken = said(*_TAKEN, name=other.name, address=other.address)
                raise Problem("--name", taken)

    async def _beat(self, over: asyncio.Event, most: float | None) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(most):
                while not over.is_set():
                    await self._tell()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(HEARTBEAT):
                            await over.wait()

    async def _tell(self) -> None:
        self.report = replace(self.report, beat=self.report.beat + 1)
        try:
            await self._registry.tell(self.report)
        except RegistryFailure as failure:
            if not self._fails:
                log.warning(_UNTOLD, failure.said)
            self._fails = True
            return
        if self._fails or self.report.beat == 1:
            log.info(
                _THERE, self.report.name, self.report.address, ", ".join(m.name for m in self.report.models) or "-"
            )
        self._fails = False

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT / 2)
            await self._look()
            noticed = self.report.draining and asyncio.get_running_loop().time() - self._leaving >= NOTICED
            if noticed and not self.report.in_flight and not self.report.queue:
                self._finished.set()

    async def _look(self) -> None:
        """How engine and machine are. Never raises."""
        await self._name()
        state = await self._backend.probe()
        running = waiting = None
        with contextlib.suppress(BackendFailure):
            load = await self._backend.load() if state.health == "up" else None
            running, waiting = (None, None) if load is None else (load.running, load.waiting)
        models = self._models or (await self._listed() if state.health == "up" else self.report.models)
        machine = await asyncio.to_thread(self._machine.read)
        if state.health != self._health and state.problem:
            log.warning("%s", state.problem)
        self._health = state.health
        kind = _STATES.get(state.health, "down")
        self.report = replace(
            self.report,
            models=tuple(replace(model, state=kind) for model in models),
            slots=self._slots or state.facts.slots,
            in_flight=running,
            queue=waiting,
            cpu=round(machine.cpu, 3),
            memory_used=machine.memory_used,
            memory=machine.memory,
            gpus=tuple(NodeGpu(gpu.name, gpu.busy, gpu.used, gpu.total) for gpu in machine.gpus),
            problem=str(state.problem) if state.problem else None,
        )

    async def _name(self) -> None:
        """Engines say how they are of one model: it has to be known which they have, also after they began anew."""
        if self._named is None:
            return
        names = [model.name for model in await self._listed()]
        if names and self._asks not in names:
            before, self._asks = self._backend, names[0]
            self._backend = self._named(self._asks)
            if before is not self._lister:
                await before.close()

    async def _listed(self) -> tuple[NodeModel, ...]:
        try:
            stream = await self._lister.open(Call("/models", b"", method="GET", first_byte=5.0, idle=5.0))
            listed = msgspec.json.decode(await stream.read(4 << 20), type=ModelList)
        except (BackendFailure, msgspec.DecodeError):
            return self.report.models
        return tuple(NodeModel(entry.id) for entry in listed.data if entry.id) or self.report.models


_TAKEN = (
    'another node is called "{name}", at {address}: give this one a --name of its own',
    "已有另一个节点叫“{name}”（{address}）：请用 --name 给本节点另起名字",
)
_THERE = Said("node %s at %s: %s", "节点 %s（%s）：%s")
_LEAVING = Said("node %s is leaving: gateways send it no more", "节点 %s 正在退出：网关不再向它发送请求")
_LEFT = Said("node %s has left", "节点 %s 已退出")
_UNTOLD = Said("gateways do not hear of this node: %s", "网关得不到本节点的消息：%s")
