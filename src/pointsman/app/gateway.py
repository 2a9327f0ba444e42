"""The gateway in one process: everything that a config asks for, started, replaced at a reload, and stopped."""

from __future__ import annotations

import asyncio
from typing import Any

from pointsman.app.build import Built
from pointsman.app.engines import Engines
from pointsman.app.purge import purge_files
from pointsman.app.reading import Origin
from pointsman.app.reloads import Install, Reloads
from pointsman.app.residence import Residency
from pointsman.app.serving import Serving
from pointsman.app.setup import Setup
from pointsman.app.watching import seen_of
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.residence import Residence
from pointsman.http.gateway import Gateway
from pointsman.pipeline.open_questions import OpenQuestions
from pointsman.pipeline.residence.floor import GateFloor
from pointsman.ports.clock import SystemClock


class App:
    """One gateway process, or one that does jobs and listens nowhere; it shares nothing but the data folder. `origin` is
    where the config is read again, `logs` the folder in there for what embedded models say. Raises what `Serving` does."""

    def __init__(self, built: Built, origin: Origin, *, logs: str = "engines") -> None:
        self._serving = serving = Serving(
            built, reload=self.reload, manage=self._manage, metrics=lambda form: self._serving.telling.text(form)
        )
        self._floor = GateFloor(serving.board)
        self._residency = Residency(SystemClock(), self._floor, serving.metrics)
        serving.pipeline.gate.stirred = self._stirred
        self._engines = Engines(data_dir(built.config) / logs, self._engine_changed)
        seen = seen_of(built.loaded.path, built.loaded)
        self._reloads = Reloads(built, origin, seen, self._serving.metrics.reloaded)
        self._chores: list[asyncio.Task[None]] = []

    @property
    def setup(self) -> Setup:
        """What holds now."""
        return self._reloads.setup

    @property
    def door(self) -> Gateway:
        return self._serving.door

    async def start(self) -> None:
        """Starts what the config asks for. The gateway can serve from here on; models may still be loading."""
        await self._prepare(self.setup)()
        self._serving.start_jobs()
        serving = self._serving
        purging = purge_files(
            serving.files, serving.tidy, serving.batches.uploads, lambda: parse_span(self.setup.config.files.keep)
        )
        self._chores = [asyncio.create_task(purging), asyncio.create_task(self._reloads.watch(self.reload))]

    async def rest(self, seconds: float) -> None:
        """Begins no more of itself: no reload, no job, nothing that is asked at set times. Returns when the jobs under way
        have ended, or after so many seconds."""
        for chore in self._chores:
            chore.cancel()
        await self._serving.rest(seconds)

    async def stop(self) -> None:
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(self._serving.stop(), self._engines.stop(), self._residency.close())

    async def settled(self, timeout: float) -> None:
        """Waits until every embedded model is up or has failed once, and every target has been probed."""
        await self._residency.keeper.settled(timeout)
        await self._serving.settled(timeout)

    async def reload(self) -> dict[str, Any]:
        """Raises Problems; then the old config goes on."""
        try:
            return await self._reloads.take(self._prepare)
        finally:
            self._serving.readiness.refused = self._reloads.refused

    def readiness(self) -> tuple[bool, dict[str, Any]]:
        """Can it serve, and what is wrong."""
        return self._serving.readiness()

    def engine_memory(self) -> int:
        """Bytes that models take which it runs itself."""
        return self._engines.memory()

    @property
    def questions(self) -> OpenQuestions:
        """Those that it asked in sessions whose clients send no history."""
        return self._serving.pipeline.questions

    def _prepare(self, setup: Setup) -> Install:
        engines = self._engines.made(setup.config)
        servers = {name: engine.process for name, engine in engines.items()}
        made = self._serving.made(setup.config, servers)
        residency = self._residency.made(setup.config, setup.policy.document, servers)

        async def install() -> None:
            await self._engines.install(engines)
            self._serving.install(setup, made)
            self._residency.install(residency)
            self._engines.retire()

        return install

    def _engine_changed(self, name: str) -> None:
        self._serving.look_again(name)
        self._residency.keeper.check(name)

    def _stirred(self) -> None:
        """Somebody came or left at the gate."""
        self._floor.stirred()
        self._residency.keeper.stirred()

    async def _manage(self, verb: str, target: str) -> Residence:
        return await self._residency.manage(verb, target)
