"""A gateway from its start until it is told to stop, or another one has its place."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pointsman.app.handover.giving import Giving, Successor
from pointsman.app.handover.taking import PLACE, Predecessor
from pointsman.cli.base_here import base_of as reached_at
from pointsman.cli.event_loop import KEEP_ALIVE, stop_or_reload
from pointsman.cli.greeting import SETTLE, greet
from pointsman.cli.listening import base_of
from pointsman.cli.served import Served
from pointsman.cli.successor import start_successor
from pointsman.cli.systemd import ServiceManager
from pointsman.config.schema import parse_span
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, Tongue, said

log = logging.getLogger("pointsman")

READY = 300.0  # seconds for a gateway to be as ready as the one whose place it takes


class Lives:
    """What this process is while it serves `listener`: usually one gateway, made by `make`; where another process asked for
    room, and then did not come up, one after the other. `passed`: the listener is the service manager's. `folder` is the
    data folder."""

    def __init__(
        self,
        make: Callable[[bool], Served],
        listener: socket.socket,
        passed: bool,
        folder: Path,
        manager: ServiceManager,
        tongue: Tongue,
    ) -> None:
        self._make = make
        self._listener = listener
        self._passed = passed
        self._folder = folder
        self._manager = manager
        self._tongue = tongue
        self._served: Served | None = None
        self._told = stop_or_reload(self._reload, manager)
        self._successors: set[asyncio.Task[None]] = set()
        if hasattr(signal, "SIGUSR2"):
            asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, self._replace)

    async def run(self, predecessor: Predecessor | None) -> None:
        """Returns when this process is to end. Raises Problem where it cannot serve; the predecessor serves on then."""
        try:
            while True:
                successor = await self._live(predecessor)
                predecessor = None
                if successor is None or not successor.first:
                    return
                if await self._is_up(successor) or self._told.is_set():
                    return
                log.error(_CAME_TO_NOTHING, successor.pid)
        finally:
            for task in self._successors:
                task.cancel()
            self._manager.close()

    async def _live(self, predecessor: Predecessor | None) -> Successor | None:
        """One gateway. Whose place is taken by whom; None where it was told to stop."""
        served = self._served = self._make(predecessor is None)
        giving = Giving(
            self._folder,
            self._listener,
            lambda: (served.readiness()[0], served.engine_memory()),
            passed=self._passed,
        )
        chores: list[asyncio.Task[Any]] = []
        successor: Successor | None = None
        try:
            if not await self._unless_told(self._begin(served, predecessor)):
                return None
            giving.open()
            self._manager.ready()
            chores.append(asyncio.create_task(self._say(served)))
            if predecessor is not None:
                chores.append(asyncio.create_task(self._see_off(served, predecessor)))
            if await self._unless_told(giving.wanted):
                successor = giving.wanted.result()
        finally:
            giving.close()
            for chore in chores:
                chore.cancel()
            if predecessor is not None:
                predecessor.close()
            await self._stop(served, successor)
        return successor

    async def _begin(self, served: Served, predecessor: Predecessor | None) -> None:
        """It takes connections; where another one did, that one takes no more."""
        await served.start()
        if predecessor is None:
            await served.open()
            return
        await served.settled(READY)
        ready, _, problems = served.readiness()
        if predecessor.offer.ready and not ready:
            why = "; ".join(problems) or said("no model is up", "没有可用的模型")
            raise Problem(PLACE, said(*_NOT_READY, pid=predecessor.offer.pid, why=why))
        await served.open()
        await served.take_in(await predecessor.leave())
        log.info(_TOOK_OVER, predecessor.offer.version, predecessor.offer.pid)

    async def _see_off(self, served: Served, predecessor: Predecessor) -> None:
        await served.take_in(await predecessor.last())
        log.info(_SEEN_OFF, predecessor.offer.pid)

    async def _stop(self, served: Served, successor: Successor | None) -> None:
        server = served.config.server
        grace = parse_span(server.grace)
        if successor is None or not successor.first:
            self._listener.close()  # who comes now is refused, or another process's
        if successor is None:
            self._manager.stopping(grace)
            await served.stop(grace, server.linger, 0.0)
            return
        if successor.first:  # its clients wait until this is over
            await served.stop(grace, server.linger, grace)
            await successor.there_is_room(served.questions())
            return
        log.info(_LEAVING, successor.pid)
        self._manager.replaced_by(successor.pid)
        await successor.hear(served.questions())
        patience = parse_span(server.handover_grace)
        stopping = asyncio.create_task(served.stop(patience, KEEP_ALIVE, patience))
        if not await self._unless_told(asyncio.shield(stopping)):
            served.hurry(grace)
            await stopping
        await successor.hear(served.questions())
        successor.close()

    async def _is_up(self, successor: Successor) -> bool:
        """Whether the one that wanted room has come up."""
        waiting = asyncio.ensure_future(successor.up())
        up = await self._unless_told(waiting) and waiting.result()
        if up:
            self._manager.replaced_by(successor.pid)
        successor.close()
        return up

    async def _unless_told(self, work: Awaitable[Any]) -> bool:
        """Whether it came to its end before this process was told to stop; else it is cancelled. Raises what it raises."""
        doing, told = asyncio.ensure_future(work), asyncio.ensure_future(self._told.wait())
        try:
            await asyncio.wait((doing, told), return_when=asyncio.FIRST_COMPLETED)
        finally:
            told.cancel()
            if not doing.done():
                doing.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await doing
        if doing.cancelled():
            return False
        doing.result()
        return True

    async def _say(self, served: Served) -> None:
        await served.settled(SETTLE)
        ready, up, remarks = served.readiness()
        host, port = self._listener.getsockname()[:2]
        console = f"{reached_at(host, port)}/ui" if served.config.console.enabled else None
        greet(base_of(self._listener), console, ready, up, remarks, self._tongue)

    async def _reload(self) -> dict[str, Any]:
        assert self._served is not None
        return await self._served.reload()

    def _replace(self) -> None:
        """One at a time."""
        if not self._successors:
            task = asyncio.get_running_loop().create_task(start_successor())
            self._successors.add(task)
            task.add_done_callback(self._successors.discard)


_NOT_READY = (
    "it did not become ready, and the gateway that serves (pid {pid}) goes on: {why}",
    "新进程没有就绪，原来的网关（pid {pid}）继续服务：{why}",
)
_TOOK_OVER = Said(
    "took the place of Pointsman %s (pid %s), which finishes what it has under way",
    "已接替 Pointsman %s（pid %s），它会把手头的请求处理完",
)
_SEEN_OFF = Said("the gateway before this one (pid %s) has ended", "之前的网关（pid %s）已结束")
_LEAVING = Said(
    "process %s has taken this one's place; replies under way are finished, then this one ends",
    "进程 %s 已接替本进程；处理完正在进行的回复后，本进程结束",
)
_CAME_TO_NOTHING = Said(
    "process %s, which was to take this one's place, did not come up; this one serves again",
    "准备接替本进程的进程 %s 没有启动成功；本进程恢复服务",
)
