"""The embedded models of a config, each in a child process, there once however many processes serve."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import psutil

from pointsman.app.residence import comes_and_goes
from pointsman.app.targets import process_of, started_here
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config
from pointsman.domain.said import Said
from pointsman.fleet.process import ModelProcess

log = logging.getLogger("pointsman")


class Engine(msgspec.Struct, frozen=True):
    """A target's own process, and the settings that it was made for. `driven`: somebody else starts and stops it."""

    config: BackendConfig
    process: ModelProcess
    driven: bool = False


class Engines:
    """Those whose settings stay as they were live on over a reload. A reload asks `made`, then `install`, and `retire` once
    nobody is sent to the old ones any more. `on_change` hears the target's name when its process changes. Models that come
    and go are not started here, nor stopped (residence.py)."""

    def __init__(self, logs: Path, on_change: Callable[[str], None]) -> None:
        self._logs = logs
        self._on_change = on_change
        self._running: dict[str, Engine] = {}
        self._gone: list[ModelProcess] = []
        self._stopping: set[asyncio.Task[None]] = set()
        self._noted: set[str] = set()

    @property
    def servers(self) -> Mapping[str, ModelProcess]:
        """By the target's name."""
        return {name: engine.process for name, engine in self._running.items()}

    def made(self, config: Config) -> dict[str, Engine]:
        """All that the config asks for; none is started. Raises Problems when the settings cannot work."""
        made: dict[str, Engine] = {}
        for target, backend in started_here(config):
            old, driven = self._running.get(target.name), comes_and_goes(config, backend)
            if old is not None and old.config == backend and old.driven == driven:
                made[target.name] = old
            elif target.name not in made:
                self._logs.mkdir(exist_ok=True, mode=0o700)
                made[target.name] = Engine(backend, process_of(target, backend, self._logs, self._changed), driven)
        return made

    async def install(self, made: dict[str, Engine]) -> None:
        """Starts what is new."""
        old, self._running = self._running, made
        kept = [engine.process for engine in made.values()]
        self._gone += [each.process for each in old.values() if each.process not in kept and not each.driven]
        for name, engine in made.items():
            if old.get(name) is not engine and not engine.driven:
                await engine.process.start()

    def retire(self) -> None:
        """Ends those that are no part of the config any more."""
        for process in self._gone:
            task = asyncio.create_task(process.stop())
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)
        self._gone.clear()

    def memory(self) -> int:
        """Bytes of main memory that they take now, with the processes that they started."""
        taken = 0
        for pid in [process.pid for process in self.servers.values() if process.pid is not None]:
            with contextlib.suppress(psutil.Error):
                first = psutil.Process(pid)
                taken += sum(each.memory_info().rss for each in (first, *first.children(recursive=True)))
        return taken

    async def settled(self, timeout: float) -> None:
        """Waits until every model that is always there is up or has failed once, at most `timeout` seconds."""
        deadline = time.monotonic() + timeout
        for engine in self._running.values():
            if not engine.driven:
                await engine.process.settled(max(deadline - time.monotonic(), 0.01))

    async def stop(self) -> None:
        self._gone += [engine.process for engine in self._running.values() if not engine.driven]
        self.retire()
        await asyncio.gather(*self._stopping)

    def _changed(self, name: str, process: ModelProcess) -> None:
        engine = self._running.get(name)
        if engine is None or engine.process is not process:
            return  # it is being replaced
        if process.state == "up" and process.notes and name not in self._noted:
            self._noted.add(name)  # a model that comes and goes says it once
            for note in process.notes:
                log.warning("%s: %s", name, note)
        if engine.driven:
            pass  # who drives it tells of it
        elif process.state == "up":
            log.info(Said("%s is up (pid %s)", "%s 已就绪（pid %s）"), name, process.pid)
        elif process.state == "down" and process.problem:
            why = Said("%s is down and will be started again: %s", "%s 已退出，将重新启动：%s")
            log.warning(why, name, process.problem)
        self._on_change(name)
