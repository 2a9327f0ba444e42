"""The side of the gateway that comes: it takes the listening socket of the one that serves, and that one's place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from pathlib import Path

from pointsman.app.handover.messages import Busy, Gone, Leaving, MakeRoom, Offer, Questions, Up
from pointsman.app.handover.wire import Lost, Wire, peer, possible, reachable
from pointsman.config.others_words import why
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said

ANSWERING = 10.0  # seconds for the other one's first word
PLACE = "--replace"


class Predecessor:
    """The gateway that serves, as the one that is to take its place has it. `listener` is the socket that it listens on."""

    def __init__(self, wire: Wire, offer: Offer, listener: socket.socket) -> None:
        self.listener = listener
        self.offer = offer
        self._wire = wire
        self._questions: Questions | None = None

    async def make_room(self) -> None:
        """Returns when what it ran is ended. Its clients wait in the queue of the socket from there on."""
        with contextlib.suppress(Lost):  # it died: there is room
            await self._wire.send(MakeRoom())
            self._questions = _questions_of((await self._wire.receive())[0])

    async def leave(self) -> Questions:
        """Has it leave, now that connections are taken here; questions that are open there."""
        with contextlib.suppress(Lost):
            await self._wire.send(Up())
            if self._questions is None:
                self._questions = _questions_of((await self._wire.receive())[0])
        return self._questions or []

    async def last(self) -> Questions:
        """Returns when it has ended; questions that were still asked there."""
        asked: Questions = []
        try:
            while True:
                asked += _questions_of((await self._wire.receive())[0])
        except Lost:
            return asked

    def close(self) -> None:
        """Lets go of it: it serves on, unless it was to leave already."""
        self._wire.close()


async def predecessor_in(folder: Path) -> Predecessor | None:
    """The gateway that serves with that data folder; None where there is none. Raises Problem where its place cannot be
    taken."""
    if not possible():
        raise Problem(
            PLACE, Said("on this system a gateway cannot take another's place", "本系统不支持接替运行中的网关")
        )
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with reachable(folder) as path:
            end.connect(path)
        owner = peer(end)[1]
    except (FileNotFoundError, ConnectionRefusedError):  # never there, or killed
        end.close()
        return None
    except OSError as error:
        end.close()
        raise Problem(PLACE, said(*_NO_ANSWER, why=why(error))) from None
    if owner != os.geteuid():
        end.close()
        raise Problem(PLACE, said(*_STRANGER, user=owner))
    wire = Wire(end)
    try:
        async with asyncio.timeout(ANSWERING):
            message, handles = await wire.receive()
    except (Lost, TimeoutError):
        wire.close()
        raise Problem(PLACE, said(*_NO_ANSWER, why=_SILENT)) from None
    if isinstance(message, Busy):
        wire.close()
        raise Problem(PLACE, said(*_BUSY, pid=message.pid))
    if not isinstance(message, Offer) or len(handles) != 1:
        wire.close()
        raise Problem(PLACE, said(*_NO_ANSWER, why=_SILENT))
    listener = socket.socket(fileno=handles[0])
    listener.setblocking(False)
    return Predecessor(wire, message, listener)


def _questions_of(message: object) -> Questions:
    return message.questions if isinstance(message, Leaving | Gone) else []


_SILENT = Said("it gives no answer that can be understood", "没有收到能理解的答复")
_NO_ANSWER = (
    "the gateway that serves cannot be asked for its place: {why}; stop it, and start this one",
    "无法请求运行中的网关让出位置：{why}；请先停止它，再启动本进程",
)
_STRANGER = (
    "the gateway that serves belongs to user {user}; only the same user can take its place",
    "运行中的网关属于用户 {user}；只有同一用户才能接替",
)
_BUSY = (
    "process {pid} is taking the place of the gateway that serves; wait until it has, or end it",
    "进程 {pid} 正在接替运行中的网关；请等它完成，或先结束它",
)
