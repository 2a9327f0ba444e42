"""The connections to one origin, kept alive between calls."""

from __future__ import annotations

import asyncio
import ssl as tls

from pointsman.backends.http.connect import connect
from pointsman.backends.http.connection import Connection
from pointsman.backends.http.head import HeadWriter
from pointsman.backends.http.knock import Heard, knock
from pointsman.backends.http.limits import Limits
from pointsman.backends.http.origin import Origin, parse_origin
from pointsman.backends.http.stream import HttpStream
from pointsman.backends.http.tls import tls_context
from pointsman.backends.http.traffic import Traffic
from pointsman.domain.said import said
from pointsman.ports.backend import BackendFailure, Call

STALE = 2.0
"""Seconds after a request within which a closed connection counts as closed before it; later, the engine had taken it."""
_TICK = 0.001
"""Seconds: event loops round timers to milliseconds."""


class Pool:
    """Opens calls to one origin over as few connections as there are calls at a time, the last used first.

    It sets no bound on connections in use: admission does. `idle_expiry` (seconds) is below the 5 s after which uvicorn,
    vLLM and llama.cpp close an idle connection; an engine that announces less (`Keep-Alive: timeout=2`) gets less.
    Expired ones are closed when their time comes, not when somebody asks. `connect_timeout` is in seconds, TLS and
    name look-up included. `ssl` replaces the default context of an https origin. `traffic` is where the pool counts, `heard`
    where it notes when bytes came. For use in one event loop."""

    def __init__(
        self,
        origin: Origin | str,
        *,
        idle_expiry: float = 4.0,
        connect_timeout: float = 5.0,
        max_idle: int = 64,
        ssl: tls.SSLContext | None = None,
        limits: Limits | None = None,
        traffic: Traffic | None = None,
        heard: Heard | None = None,
    ) -> None:
        self.origin = parse_origin(origin) if isinstance(origin, str) else origin
        self.traffic = traffic or Traffic()
        self._heard = heard or Heard()
        self._idle_expiry = idle_expiry
        self._connect_timeout = connect_timeout
        self._max_idle = max_idle
        self._limits = limits or Limits()
        self._tls = (ssl or tls_context()) if self.origin.tls else None
        self._heads = HeadWriter(self.origin)
        self._idle: list[Connection] = []
        self._sweeper: asyncio.TimerHandle | None = None
        self._sweep_at = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self._leaving: set[Connection] = set()
        self._left = asyncio.Event()

    @property
    def idle(self) -> int:
        """Connections that wait for a call."""
        return len(self._idle)

    async def open(self, call: Call, headers: tuple[tuple[str, str], ...] = ()) -> HttpStream:
        """Send `call`, return once the head of its response is there, whatever its status. `headers` are the backend's
        own for all its calls (a key, the content type); a header of the call replaces the one of its name.

        A call is sent twice in one case only: the connection had served another call before, and was closed within
        `STALE` seconds and before any byte of this answer: the engine's keep-alive ran out while the request was on its
        way. The second try takes a fresh connection. BackendFailure as in ports.backend; ValueError: see
        `HeadWriter.render`. Being cancelled aborts the connection, so the engine stops."""
        head = self._heads.render(call, headers)
        traffic = self.traffic
        traffic.requests += 1
        connection = self._take()
        if connection is not None:
            traffic.reused += 1
            began = connection.time()
            try:
                return await connection.exchange(head, call.body, call.first_byte, call.idle)
            except BackendFailure as failure:
                if failure.kind != "reset" or failure.sent or connection.time() - began > STALE:
                    raise
            traffic.retried += 1
        connection = await self._connect()
        return await connection.exchange(head, call.body, call.first_byte, call.idle)

    async def reachable(self, seconds: float) -> bool:
        """Whether the machine there says anything within so many seconds: it takes a new connection, or refuses it, or
        something comes on one that there is."""
        began = asyncio.get_running_loop().time()
        return await knock(self.origin, seconds) or self._heard.at >= began

    async def close(self) -> None:
        """Close the idle connections and refuse new calls; calls under way finish, and their connections close then."""
        self._closed = True
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        idle, self._idle = self._idle, []
        for connection in idle:
            connection.abort()
        self._leaving = {connection for connection in idle if not connection.closed}
        if self._leaving:
            self._left.clear()
            await self._left.wait()

    def _take(self) -> Connection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable():
                return connection
            connection.abort()
        return None

    async def _connect(self) -> Connection:
        loop = self._loop
        if loop is None:
            loop = self._loop = asyncio.get_running_loop()
        if not self._closed:
            connection = await connect(
                self.origin,
                lambda: Connection(self.origin.name, self._limits, loop, self._release, self._lost, self._heard),
                self._tls,
                self._connect_timeout,
            )
            self.traffic.opened += 1
            if not self._closed:
                return connection
            connection.abort()
        raise BackendFailure(
            "connect", said("the pool of {name} is closed", "到 {name} 的连接池已关闭", name=self.origin.name)
        )

    def _release(self, connection: Connection) -> None:
        loop = self._loop
        kept = min(self._idle_expiry, connection.kept_for)
        if self._closed or loop is None or not self._max_idle or kept <= 0:
            connection.abort()
            return
        connection.expires = expires = loop.time() + kept
        self._idle.append(connection)
        if len(self._idle) > self._max_idle:
            self._idle.pop(0).abort()
        if self._sweeper is None or expires < self._sweep_at:
            self._sweep_next(loop, expires)

    def _lost(self, connection: Connection) -> None:
        if connection in self._idle:
            self._idle.remove(connection)
        if self._leaving:
            self._leaving.discard(connection)
            if not self._leaving:
                self._left.set()

    def _sweep_next(self, loop: asyncio.AbstractEventLoop, when: float) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        self._sweep_at = when
        self._sweeper = loop.call_at(when, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what has expired; come again when the next one does."""
        self._sweeper = None
        now = loop.time() + _TICK
        kept: list[Connection] = []
        for connection in self._idle:
            if connection.expires <= now:
                connection.abort()
            else:
                kept.append(connection)
        self._idle = kept
        if kept:
            self._sweep_next(loop, min(connection.expires for connection in kept))
