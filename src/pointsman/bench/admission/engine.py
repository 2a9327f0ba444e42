"""llama.cpp as the embedded engine runs it, 4 slots that share 4,096 cells. It can be killed, and stopped for a while."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil

from pointsman.bench.processes import free_port
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings

MODEL = "builtin:smollm2-135m"
SLOTS, CELLS = 4, 4096


class Engine:
    """One that runs, on `port`; what dies comes up again after a second."""

    def __init__(self, process: ModelProcess, port: int) -> None:
        self.port = port
        self._process = process

    @property
    def version(self) -> str:
        return self._process.facts.engine_version or ""

    async def settled(self) -> None:
        """Raises PointsmanError where it does not come up."""
        if await self._process.settled(120.0) != "up":
            why = self._process.problem or "…"
            raise PointsmanError(said("the engine does not run: {why}", "引擎无法运行：{why}", why=why))

    def cpu_seconds(self) -> float:
        """What it has computed for since it began."""
        times = psutil.Process(self._process.pid).cpu_times()
        return float(times.user + times.system)

    def pin(self, core: int) -> None:
        """All of its threads run there from now on."""
        for thread in psutil.Process(self._process.pid).threads():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(thread.id, {core})

    def kill(self) -> None:
        if self._process.pid is not None:
            os.kill(self._process.pid, signal.SIGKILL)

    async def stall(self, seconds: float) -> None:
        """It stands still for so long."""
        pid = self._process.pid
        if pid is None:
            return
        os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@contextlib.asynccontextmanager
async def engine(model: str, folder: Path) -> AsyncIterator[Engine]:
    """From when it is up to its end. Raises PointsmanError."""
    port = free_port()
    settings = ModelSettings(
        model=model, name="m", context=CELLS // SLOTS, slots=SLOTS, port=port, extra={"kv_unified": True}
    )
    process = ModelProcess(settings, log_path=folder / "engine.txt")
    await process.start()
    try:
        running = Engine(process, port)
        await running.settled()
        yield running
    finally:
        await process.stop()
