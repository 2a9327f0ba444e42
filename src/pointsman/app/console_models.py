"""Models and their memory as the console's page asks for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable

import msgspec

from pointsman.app.console_state import ConsoleState
from pointsman.app.residence import facts_of, is_local
from pointsman.app.setup import Setup
from pointsman.app.targets import targets_of
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import parse_size
from pointsman.console.gauges import gauges_of
from pointsman.console.models.failures import Failures
from pointsman.console.models.fleet import FleetSeen, ModelSeen, Source, Verb
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Load, Target
from pointsman.fleet.settings import Sizing
from pointsman.http.models_admin import Manage
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.residence.board import Board
from pointsman.ports.model_driver import LoadFailure

log = logging.getLogger("pointsman")

_AT_ONCE = 0.3  # seconds in which something that is asked for is often done, so that the next page shows it


class ConsoleFleet:
    """`manage` may take as long as loading does; what came of it to nothing is kept in `failures`. `spoken` are the states
    of targets with their problems in both languages."""

    def __init__(
        self,
        setup: Callable[[], Setup],
        state: ConsoleState,
        pipeline: Pipeline,
        board: Board,
        manage: Manage,
        failures: Failures,
        spoken: Callable[[], Iterable[BackendState]],
    ) -> None:
        self._setup = setup
        self._state = state
        self._pipeline = pipeline
        self._board = board
        self._manage = manage
        self._sizes: dict[Sizing, int | None] = {}
        self._failures = failures
        self._spoken = spoken
        self._doing: set[asyncio.Task[None]] = set()

    async def seen(self) -> FleetSeen:
        config = self._setup().config
        pairs = {target.name: (target, backend) for each in targets_of(config).values() for target, backend in each}
        sizes = await asyncio.to_thread(lambda: {name: self._size(backend) for name, (_, backend) in pairs.items()})
        failed = await asyncio.to_thread(lambda: {name: self._failures.of(name) for name in pairs})
        gate, snapshot = self._pipeline.gate, self._pipeline.snapshot()
        loads = gate.loads(pairs)
        spoken = {state.target: state for state in self._spoken()}
        rooms = gauges_of(await self._state.counts()).memory

        def one(target: Target) -> ModelSeen:
            residence = self._board.of(target.name)
            size, source = sizes[target.name]
            if residence is not None and residence.memory:
                size, source = residence.memory, source or "last"
            state = snapshot.state(target.name)
            if target.name in spoken:
                said_so = spoken[target.name]
                state = msgspec.structs.replace(state, problem=said_so.problem, nodes=said_so.nodes)
            load = loads.get(target.name, Load())
            holds = gate.capacity(target.name).sequences
            return ModelSeen(target, state, load, residence, size, holds, failed[target.name], source)

        budget = config.memory.budget
        models = [one(target) for target, _ in pairs.values()]
        return FleetSeen(models, gate.waiting, None if budget is None else parse_size(budget), rooms)

    async def manage(self, verb: Verb, target: str) -> None:
        if target not in self._setup().policy.targets:
            raise PointsmanError(
                said("there is no model {name} any more", "已没有模型 {name}", name=target[:200]),
                status=404,
                type="not_found_error",
                code="no_such_model",
            )
        if self._board.of(target) is None:
            raise PointsmanError(
                said(
                    "{target} is always in memory, as far as this gateway knows",
                    "据本网关所知，{target} 一直在内存中",
                    target=target,
                ),
                status=409,
                code="not_managed",
            )
        await asyncio.to_thread(self._kept, target, None)
        task = asyncio.create_task(self._do(verb, target))
        self._doing.add(task)
        task.add_done_callback(self._doing.discard)
        await asyncio.wait({task}, timeout=_AT_ONCE)

    async def _do(self, verb: Verb, target: str) -> None:
        try:
            await self._manage(verb, target)
        except LoadFailure as failure:
            why = failure.said
        except KeyError:
            why = said(
                "{target} does not come and go any more: the config changed meanwhile",
                "配置已变，{target} 不再按需加载",
                target=target,
            )
        else:
            return
        await asyncio.to_thread(self._kept, target, why)

    def _kept(self, target: str, why: Said | None) -> None:
        try:
            if why is None:
                self._failures.forget(target)
            else:
                self._failures.keep(target, why)
        except OSError as error:
            log.error("what became of %s cannot be kept for the console: %s", target, type(error).__name__)

    async def close(self) -> None:
        for task in self._doing:
            task.cancel()
        await asyncio.gather(*self._doing, return_exceptions=True)

    def _size(self, backend: BackendConfig) -> tuple[int | None, Source | None]:
        """Bytes, by the config, or by the file of a model that the gateway loads itself; reads its head once."""
        if backend.load is not None and backend.load.memory is not None:
            return parse_size(backend.load.memory), "config"
        if not is_local(backend):
            return None, None
        from pointsman.fleet.model_memory import memory_of

        sizing = Sizing(backend.model, backend.context, facts_of(backend).slots or 1, backend.gpu_layers)
        if sizing not in self._sizes:
            self._sizes[sizing] = memory_of(sizing)
        found = self._sizes[sizing]
        return found, None if found is None else "file"
