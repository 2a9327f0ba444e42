"""The side of the gateway that serves: it hands its listening socket to the one that is to take its place."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path

from pointsman import __version__
from pointsman.app.handover.messages import Busy, Gone, Leaving, MakeRoom, Offer, Questions, Up
from pointsman.app.handover.wire import NAME, Lost, Wire, peer, possible, reachable
from pointsman.config.others_words import why
from pointsman.domain.said import Said

log = logging.getLogger("pointsman")

Standing = Callable[[], tuple[bool, int]]
"""Whether a target is up, and what the models take in bytes that this gateway runs itself."""


class Successor:
    """Another process that takes this one's place. `first`: it has no room beside this one, and comes up once this one has
    stopped."""

    def __init__(self, wire: Wire, pid: int, *, first: bool) -> None:
        self.pid = pid
        self.first = first
        self._wire = wire

    async def hear(self, questions: Questions) -> None:
        """Questions that are open here, as of now."""
        with contextlib.suppress(Lost):
            await self._wire.send(Leaving(questions))

    async def there_is_room(self, questions: Questions) -> None:
        with contextlib.suppress(Lost):
            await self._wire.send(Gone(questions))

    async def up(self) -> bool:
        """Returns when it serves, or is known never to: False."""
        try:
            message, _ = await self._wire.receive()
        except Lost:
            return False
        return isinstance(message, Up)

    def close(self) -> None:
        self._wire.close()


class Giving:
    """For whoever asks in `folder`: `listener`, one process at a time, of the same user; `passed`: it is the service
    manager's. `wanted` becomes the successor for which this gateway is to leave; before that, nothing changes here."""

    def __init__(self, folder: Path, listener: socket.socket, standing: Standing, *, passed: bool) -> None:
        self.wanted: asyncio.Future[Successor] = asyncio.get_running_loop().create_future()
        self._folder = folder
        self._listener = listener
        self._standing = standing
        self._passed = passed
        self._door: socket.socket | None = None
        self._file: os.stat_result | None = None
        self._coming: int | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Can be asked from here on. Where that cannot be, the log says so, and the gateway serves all the same."""
        if not possible():
            return
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        own = f"{NAME}.{os.getpid()}"
        try:
            (self._folder / own).unlink(missing_ok=True)
            with reachable(self._folder, own) as path:
                door.bind(path)
            (self._folder / own).chmod(0o600)
            self._file = (self._folder / own).stat()
            door.listen(8)
            door.setblocking(False)
            (self._folder / own).replace(self._folder / NAME)  # its old owner, if there is one, is leaving
        except OSError as error:
            door.close()
            log.warning(_NO_DOOR, self._folder / NAME, why(error))
            return
        self._door = door
        asyncio.get_running_loop().add_reader(door, self._accept)

    def close(self) -> None:
        """Nobody can ask any more. Who is to be the successor is not affected."""
        if self._door is None:
            return
        asyncio.get_running_loop().remove_reader(self._door)
        self._door.close()
        self._door = None
        with contextlib.suppress(OSError):
            path = self._folder / NAME
            if os.path.samestat(path.stat(), self._file or path.stat()):
                path.unlink()
        for task in self._tasks:
            task.cancel()

    def _accept(self) -> None:
        assert self._door is not None
        try:
            end, _ = self._door.accept()
        except OSError:
            return
        try:
            pid, user = peer(end)
        except OSError:
            end.close()
            return
        if user != os.geteuid():
            log.warning(_STRANGER, pid, user)
            end.close()
            return
        task = asyncio.get_running_loop().create_task(self._serve(Wire(end), pid))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, wire: Wire, pid: int) -> None:
        if self._coming is not None:
            with contextlib.suppress(Lost):
                await wire.send(Busy(self._coming))
            wire.close()
            return
        self._coming = pid
        log.info(_ASKED, pid)
        try:
            ready, engines = self._standing()
            offer = Offer(__version__, os.getpid(), ready, engines, self._passed)
            await wire.send(offer, (self._listener.fileno(),))
            message, _ = await wire.receive()
            if not isinstance(message, Up | MakeRoom):
                raise Lost
        except Lost:
            log.warning(_LEFT_ALONE, pid)
            self._coming = None
            wire.close()
        except asyncio.CancelledError:
            wire.close()
            raise
        else:
            self.wanted.set_result(Successor(wire, pid, first=isinstance(message, MakeRoom)))


_NO_DOOR = Said(
    "no other process can take this one's place without a break: %s cannot be made (%s)",
    "其他进程无法无中断地接替本进程：无法建立 %s（%s）",
)
_STRANGER = Said(
    "process %s of user %s asked for the listening socket, and was refused: it is another user's",
    "进程 %s（用户 %s）索要监听套接字，已拒绝：不是同一用户",
)
_ASKED = Said("process %s comes up to take this one's place", "进程 %s 正在启动，准备接替本进程")
_LEFT_ALONE = Said(
    "process %s, which was to take this one's place, did not come up; this one serves on",
    "准备接替本进程的进程 %s 没有启动成功；本进程继续服务",
)
