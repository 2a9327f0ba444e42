"""Taking connections from a listening socket that other processes take them from, too."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable

from pointsman.domain.said import Said

log = logging.getLogger("pointsman")

PAUSE = 1.0  # seconds, where there is no handle left for another connection


class OneByOne:
    """One connection each time that the event loop comes round: a busy process comes round less often and takes fewer.
    `listener` is left as it is, for the others. `protocol` makes the protocol of a connection."""

    def __init__(self, listener: socket.socket, protocol: Callable[[], asyncio.Protocol]) -> None:
        self._listener = listener
        self._protocol = protocol
        self._loop = asyncio.get_running_loop()
        self._welcoming: set[asyncio.Task[None]] = set()
        self._open = False

    def open(self) -> None:
        self._open = True
        self._loop.add_reader(self._listener, self._take)

    def close(self) -> None:
        self._open = False
        self._loop.remove_reader(self._listener)

    def _take(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another process was faster
        except OSError as error:
            log.error(Said("no connection can be taken: %s", "无法接受新连接：%s"), error)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(PAUSE, lambda: self.open() if self._open else None)
            return
        connection.setblocking(False)
        task = self._loop.create_task(self._welcome(connection))
        self._welcoming.add(task)
        task.add_done_callback(self._welcoming.discard)

    async def _welcome(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError):  # gone already
            await self._loop.connect_accepted_socket(self._protocol, connection)
