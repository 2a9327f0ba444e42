"""A server of the config in use: begun with the first call, kept while it is wanted, ended when it is not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from pointsman.actions.mcp.rpc import INVALID_PARAMS, McpFailure, RpcError
from pointsman.actions.mcp.session import Session
from pointsman.actions.mcp.tool import Tool
from pointsman.actions.mcp.wire import Wire
from pointsman.domain.said import said

START = 20.0
"""Seconds in which a server has to begin and to say which tools it has."""
IDLE = 300.0
"""Seconds without a call after which it ends."""
PATIENCE = 2.0
"""Seconds for a server to end by itself."""
PAUSE = 2.0
"""Seconds after a beginning that failed in which it is not tried again."""

Open = Callable[[], Awaitable[Wire]]
Check = Callable[[Tool], None]
"""Whether the tool, as the server has it now, takes what it is to be given. Raises ActionFailed."""


class NoTool(Exception):
    """The server has no tool of that name; `valid` are those that it has."""

    def __init__(self, valid: list[str]) -> None:
        super().__init__(valid)
        self.valid = valid


class ServerInUse:
    """`open_wire` begins a new one, and raises McpFailure; `let_go` is called at the end of all. A server that ended, broke
    the rules or let a call run out of time is replaced by another one with the next call. For one event loop."""

    def __init__(
        self,
        name: str,
        open_wire: Open,
        *,
        idle: float = IDLE,
        start: float = START,
        let_go: Callable[[], None] | None = None,
    ) -> None:
        self._name = name
        self._open = open_wire
        self._idle_for, self._start_for = idle, start
        self._session: Session | None = None
        self._starting: asyncio.Task[Session] | None = None
        self._failed: tuple[float, McpFailure] | None = None
        self._users: dict[Session, int] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._ending: set[asyncio.Task[Any]] = set()
        self._busy = 0
        self._free = asyncio.Event()
        self._free.set()
        self._closed = False
        self._let_go = let_go

    async def call(self, name: str, arguments: dict[str, Any], check: Check, seconds: float) -> dict[str, Any]:
        """The result of that tool, all of it within `seconds`. A call that was lost before it was sent is sent once more,
        to a new server. Raises McpFailure, RpcError, NoTool, and what `check` does."""
        until = asyncio.get_running_loop().time() + seconds
        try:
            return await self._call(name, arguments, check, until)
        except McpFailure as failure:
            if failure.sent or failure.kind != "lost" or self._closed:
                raise
        return await self._call(name, arguments, check, until)

    async def tools(self) -> dict[str, Tool]:
        """Raises McpFailure."""
        async with self._using(asyncio.get_running_loop().time() + self._start_for) as session:
            return await session.tools()

    async def retire(self) -> None:
        await self._free.wait()
        await self.close()

    async def close(self) -> None:
        self._closed = True
        self._stop_timer()
        if self._starting is not None:
            self._starting.cancel()
            self._ending.add(self._starting)
            self._starting.add_done_callback(self._ending.discard)
        for session in {*self._users, *([self._session] if self._session else [])}:
            self._end(session, 0.0)
        self._session = None
        cancelled = False
        while self._ending:
            try:
                await asyncio.wait(self._ending)
            except asyncio.CancelledError:
                cancelled = True
        if self._let_go is not None:
            self._let_go()
        if cancelled:
            raise asyncio.CancelledError

    async def _call(self, name: str, arguments: dict[str, Any], check: Check, until: float) -> dict[str, Any]:
        sent = False
        try:
            async with self._using(until) as session:
                tools = await session.tools()
                tool = tools.get(name)
                if tool is None:
                    raise NoTool(sorted(tools))
                check(tool)
                sent = True
                try:
                    return await session.call(tool, arguments)
                except RpcError as error:
                    if error.code == INVALID_PARAMS:
                        session.wire.stale = True  # whatever it takes, it is not what it listed
                    raise
        except McpFailure as failure:
            raise failure if sent else failure.again(sent=False) from None

    @contextlib.asynccontextmanager
    async def _using(self, until: float) -> AsyncIterator[Session]:
        """A session that is alive, until then by the loop's clock. One that lets the time run out gets no new calls."""
        self._busy += 1
        self._free.clear()
        try:
            session = await self._ready(until)
            async with self._in_use(session, until):
                yield session
        finally:
            self._busy -= 1
            if not self._busy:
                self._free.set()

    @contextlib.asynccontextmanager
    async def _in_use(self, session: Session, until: float) -> AsyncIterator[None]:
        self._stop_timer()
        self._users[session] = self._users.get(session, 0) + 1
        try:
            async with asyncio.timeout_at(until):
                yield
        except TimeoutError:
            self._leave(session)
            raise McpFailure("timeout", said(*_LATE, name=self._name), sent=True) from None
        finally:
            self._users[session] -= 1
            if not self._users[session]:
                del self._users[session]
                if session is not self._session or not session.alive:
                    self._leave(session)
                    self._end(session, PATIENCE)
            if not self._users and self._session is not None and not self._closed:
                self._wait_for_work()

    async def _ready(self, until: float) -> Session:
        while True:
            if self._closed:
                raise McpFailure("refused", said(*_REPLACED, name=self._name), sent=False)
            session = self._session
            if session is not None and session.alive:
                return session
            if session is not None:
                self._leave(session)
                self._end(session, 0.0)
            if self._starting is None:
                now = asyncio.get_running_loop().time()
                if self._failed is not None and now < self._failed[0]:
                    raise self._failed[1].again(sent=False)
                self._starting = asyncio.create_task(self._start())
                self._starting.add_done_callback(self._started)
            starting = self._starting
            await asyncio.wait({starting}, timeout=max(until - asyncio.get_running_loop().time(), 0.0))
            if not starting.done():
                raise McpFailure("not_started", said(*_SLOW, name=self._name), sent=False)
            if starting.cancelled():
                continue
            if (problem := starting.exception()) is not None:
                raise problem.again(sent=False) if isinstance(problem, McpFailure) else problem

    async def _start(self) -> Session:
        """Raises McpFailure."""
        wire: Wire | None = None
        try:
            async with asyncio.timeout(self._start_for):
                wire = await self._open()
                session = Session(self._name, wire)
                await session.begin()
                await session.tools()
            return session
        except BaseException as error:
            if wire is not None:
                await wire.close()
            if isinstance(error, TimeoutError):
                message = said(*_SILENT, name=self._name, seconds=self._start_for)
                raise McpFailure("not_started", message, sent=False) from None
            if isinstance(error, McpFailure):
                raise McpFailure(
                    "not_started" if error.kind == "lost" else error.kind,
                    error.message,
                    sent=False,
                    detail=error.detail,
                ) from None
            raise

    def _started(self, task: asyncio.Task[Session]) -> None:
        self._starting = None
        if task.cancelled():
            return
        problem = task.exception()
        if problem is None:
            self._session = task.result()
            if self._closed:
                self._end(self._session, 0.0)
            elif not self._users:
                self._wait_for_work()
            return
        if isinstance(problem, McpFailure):
            self._failed = asyncio.get_running_loop().time() + PAUSE, problem

    def _leave(self, session: Session) -> None:
        if self._session is session:
            self._session = None

    def _idle(self) -> None:
        session = self._session
        if session is not None and not self._users:
            self._session = None
            self._end(session, PATIENCE)

    def _end(self, session: Session, patience: float) -> None:
        task = asyncio.create_task(session.wire.close(patience))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    def _wait_for_work(self) -> None:
        self._stop_timer()
        self._timer = asyncio.get_running_loop().call_later(self._idle_for, self._idle)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


_REPLACED = "the MCP server {name} is being replaced", "MCP 服务 {name} 正在被替换"
_SLOW = "the MCP server {name} was not ready in time", "MCP 服务 {name} 没有及时就绪"
_LATE = "the MCP server {name} did not answer in time", "MCP 服务 {name} 没有及时应答"
_SILENT = (
    "the MCP server {name} did not begin within {seconds:g} s",
    "MCP 服务 {name} 在 {seconds:g} 秒内没有就绪",
)
