"""Taking connections from a listening socket that other processes take them from, too."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable

from pointsman.domain.said import Said
from pointsman.http.crowd import ABSENT, Crowd

log = logging.getLogger("pointsman")

PATIENCE = 0.002  # seconds that a connection is left to those who have fewer
PAUSE = 1.0  # seconds, where there is no handle left for another connection


class OneByOne:
    """One connection each time that the event loop comes round, so that a busy process takes fewer. Who has more than
    another one of the `crowd` lets that one go first, for a moment; `place` is this process's. `close` closes `listener`
    for this process alone. `protocol` makes the protocol of a connection, `count` says how many there are."""

    def __init__(
        self,
        listener: socket.socket,
        crowd: Crowd,
        place: int,
        protocol: Callable[[], asyncio.Protocol],
        count: Callable[[], int],
    ) -> None:
        self._listener = listener
        self._crowd = crowd
        self._place = place
        self._protocol = protocol
        self._count = count
        self._loop = asyncio.get_running_loop()
        self._welcoming: set[asyncio.Task[None]] = set()
        self._coming = 0
        self._waited = False
        self._open = False

    def open(self) -> None:
        self._open = True
        self._listener.setblocking(False)
        self.counted()
        self._loop.add_reader(self._listener, self._ready)

    def close(self) -> None:
        self._open = False
        self._loop.remove_reader(self._listener)
        self._listener.close()
        self.counted()

    async def taken(self) -> None:
        """Returns when no connection is on its way from the listener to its protocol."""
        while self._welcoming:
            await asyncio.wait(self._welcoming)

    def counted(self) -> int:
        """To be called when `count` has changed."""
        count = self._count() + self._coming
        self._crowd.publish(self._place, count if self._open else ABSENT)
        return count

    def _ready(self) -> None:
        if not self._waited and self.counted() > self._crowd.fewest():
            self._step_back(PATIENCE)
            return
        self._waited = False
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process was faster
        except OSError as error:
            log.error(Said("no connection can be taken: %s", "无法接受新连接：%s"), error)
            self._step_back(PAUSE)
            return
        connection.setblocking(False)
        self._coming += 1
        self.counted()
        task = self._loop.create_task(self._welcome(connection))
        self._welcoming.add(task)
        task.add_done_callback(self._welcoming.discard)

    def _step_back(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._loop.call_later(seconds, self._come_again)

    def _come_again(self) -> None:
        if self._open:
            self._waited = True
            self._loop.add_reader(self._listener, self._ready)

    async def _welcome(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):  # gone already
            await self._loop.connect_accepted_socket(self._made, connection)

    def _made(self) -> asyncio.Protocol:
        self._coming -= 1
        return self._protocol()
