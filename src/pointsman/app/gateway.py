"""The gateway in one process: everything that a config asks for, started, replaced at a reload, and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from pointsman.app.build import Built
from pointsman.app.engines import Engines
from pointsman.app.purge import purge_files
from pointsman.app.reloads import Install, Reloads
from pointsman.app.serving import Serving
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.http.gateway import Gateway


class App:
    """One gateway process that shares nothing. `reload_from` reads the config again; what it raises leaves everything as
    it was. Raises what `Serving` does."""

    def __init__(self, built: Built, reload_from: Callable[[], Loaded]) -> None:
        self._serving = Serving(built, reload=self.reload, metrics=lambda: self._serving.metrics_text())
        self._engines = Engines(data_dir(built.config) / "engines", self._serving.look_again)
        self._reloads = Reloads(built, reload_from, self._serving.metrics.reloaded)

    @property
    def built(self) -> Built:
        return self._reloads.built

    @property
    def door(self) -> Gateway:
        return self._serving.door

    async def start(self) -> None:
        """Starts what the config asks for. The gateway can serve from here on; models may still be loading."""
        await self._prepare(self.built)()
        self._purging = asyncio.create_task(
            purge_files(self._serving.runner, lambda: parse_span(self.built.config.files.keep))
        )

    async def stop(self) -> None:
        self._purging.cancel()
        await asyncio.gather(self._serving.stop(), self._engines.stop())

    async def settled(self, timeout: float) -> None:
        """Waits until every embedded model is up or has failed once, and every target has been probed."""
        await self._serving.settled(timeout)

    async def reload(self) -> dict[str, Any]:
        """Raises Problems; then the old config goes on."""
        try:
            return await self._reloads.take(self._prepare)
        finally:
            self._serving.refused = self._reloads.refused

    def readiness(self) -> tuple[bool, dict[str, Any]]:
        """Can it serve, and what is wrong."""
        return self._serving.readiness()

    def _prepare(self, built: Built) -> Install:
        engines = self._engines.made(built.config)
        servers = {name: engine.process for name, engine in engines.items()}
        made = self._serving.made(built.config, servers)

        async def install() -> None:
            await self._engines.install(engines)
            self._serving.install(built, made)
            self._engines.retire()

        return install
