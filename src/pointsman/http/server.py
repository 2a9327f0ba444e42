"""Listening, and leaving without cutting anybody off."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from pointsman.http.connection import Connection
from pointsman.http.crowd import Crowd
from pointsman.http.exchange import Client
from pointsman.http.gateway import Gateway, RequestIds
from pointsman.http.one_by_one import OneByOne
from pointsman.pipeline.ends import CUT

WAITING = 2048
"""Connections that nobody has taken yet."""
FAREWELL = 1.0  # seconds for what is said to clients that are cut off


class Server:
    """Serves `gateway` on one listening socket, in the running event loop. `keep_alive` is how long an idle client
    connection is kept, in seconds."""

    def __init__(self, gateway: Gateway, *, keep_alive: float = 75.0) -> None:
        self.gateway = gateway
        self.keep_alive = keep_alive
        self.ids = RequestIds()
        self.loop = asyncio.get_running_loop()
        self.connections: set[Connection] = set()
        self.tasks: dict[Client, asyncio.Task[None]] = {}
        self.leaving = False
        """Whether every connection is to close after its next response."""
        self.linger = 0.0
        """Seconds that an idle one is kept then."""
        self._listening: asyncio.Server | OneByOne | None = None
        self._shared: OneByOne | None = None
        self._empty: asyncio.Event | None = None
        self._limit: asyncio.Timeout | None = None

    async def listen(self, listener: socket.socket) -> None:
        """Takes connections from here on. `listener` listens already; it is closed with the server."""
        self._listening = await self.loop.create_server(lambda: Connection(self), sock=listener, backlog=WAITING)

    def listen_with(self, listener: socket.socket, crowd: Crowd, place: int) -> None:
        """As `listen`, where other processes take connections from `listener`, too: the `crowd`, in which this process is
        number `place`."""
        self._listening = self._shared = OneByOne(
            listener, crowd, place, lambda: Connection(self), lambda: len(self.connections)
        )
        self._shared.open()

    async def close(self, grace: float, linger: float = 0.0) -> None:
        """Takes no more connections, and returns when there are none: at the latest after `grace` seconds, when the clients
        of requests under way are told that the gateway stops. A connection closes after its next response, which says
        so, or once it is idle for `linger` seconds: a request that is on its way when this is called is answered."""
        if self._listening is not None:
            self._listening.close()
        if self._shared is not None:
            await self._shared.taken()
        self.leaving, self.linger = True, linger
        for connection in list(self.connections):
            connection.shut()
        await self._emptied_within(grace)
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel(CUT)
        await asyncio.gather(*tasks, return_exceptions=True)
        if tasks:
            await self._emptied_within(FAREWELL)
        for connection in list(self.connections):
            connection.abort()

    def hurry(self, grace: float) -> None:
        """While it closes: it is through after so many seconds from now, at the latest."""
        if self._limit is not None and not self._limit.expired():
            self._limit.reschedule(min(self._limit.when() or 0.0, self.loop.time() + grace))

    def emptied(self) -> None:
        """To be told when a connection or a task has ended."""
        if self._shared is not None:
            self._shared.counted()
        if self._empty is not None and not self.connections and not self.tasks:
            self._empty.set()

    async def _emptied_within(self, seconds: float) -> None:
        self._empty = asyncio.Event()
        self.emptied()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds) as self._limit:
                await self._empty.wait()
        self._limit = None
