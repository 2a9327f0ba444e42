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
        self._listening: asyncio.Server | OneByOne | None = None
        self._shared: OneByOne | None = None
        self._empty: asyncio.Event | None = None

    async def listen(self, listener: socket.socket) -> None:
        """Takes connections from here on. `listener` listens already."""
        self._listening = await self.loop.create_server(lambda: Connection(self), sock=listener)

    def listen_with(self, listener: socket.socket, crowd: Crowd, place: int) -> None:
        """As `listen`, where other processes take connections from `listener`, too: the `crowd`, in which this process is
        number `place`."""
        self._listening = self._shared = OneByOne(
            listener, crowd, place, lambda: Connection(self), lambda: len(self.connections)
        )
        self._shared.open()

    async def close(self, grace: float) -> None:
        """Takes no more connections, lets requests under way finish for `grace` seconds, then cancels them."""
        if self._listening is not None:
            self._listening.close()
        if self._shared is not None:
            await self._shared.taken()
        for connection in list(self.connections):
            connection.shut()
        self._empty = asyncio.Event()
        self.emptied()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self._empty.wait()
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in list(self.connections):
            connection.abort()

    def emptied(self) -> None:
        """To be told when a connection or a task has ended."""
        if self._shared is not None:
            self._shared.counted()
        if self._empty is not None and not self.connections and not self.tasks:
            self._empty.set()
