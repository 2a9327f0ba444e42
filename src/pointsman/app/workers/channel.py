"""The socket between hub and worker: either side tells and asks the other."""

from __future__ import annotations

import asyncio
import itertools
import logging
import socket
import traceback
from collections.abc import Awaitable, Callable
from typing import Literal, cast

import msgspec

from pointsman.app.workers.messages import Failed, Message
from pointsman.domain.said import Said

log = logging.getLogger("pointsman")

_LENGTH = 4  # bytes before each frame


class ChannelError(Exception):
    """No answer will come: the other side failed or is gone."""


class _Frame(msgspec.Struct, frozen=True, array_like=True):
    kind: Literal["tell", "ask", "answer"]
    number: int
    body: Message


class Channel(asyncio.Protocol):
    """Messages arrive in the order in which they were sent. `hear` gets what is told, `answer` what is asked; what it
    returns is the answer, at once or later. Both are called in that order; they may raise. `lost` is called when the
    other end is gone."""

    def __init__(
        self,
        hear: Callable[[Message], None],
        answer: Callable[[Message], Message | Awaitable[Message]],
        lost: Callable[[], None],
    ) -> None:
        self._hear = hear
        self._answer = answer
        self._lost = lost
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._decoder = msgspec.msgpack.Decoder(_Frame)
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[Message]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self._closed = asyncio.Event()

    async def connect(self, end: socket.socket) -> None:
        """`end` is one of a pair of Unix sockets; the channel closes it."""
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=end)

    def tell(self, message: Message) -> None:
        self._send(_Frame("tell", 0, message))

    async def ask(self, message: Message) -> Message:
        """The answer. Raises ChannelError."""
        if self._transport is None:
            raise ChannelError("the other side is gone")
        number = next(self._numbers)
        answer: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self._send(_Frame("ask", number, message))
        try:
            got = await answer
        finally:
            self._asked.pop(number, None)
        if isinstance(got, Failed):
            raise ChannelError(got.why)
        return got

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    async def ended(self) -> None:
        """Returns when the other end is gone and all that it sent is heard."""
        if self._transport is not None:
            await self._closed.wait()

    async def finish(self) -> None:
        """Answers what is still to be answered, and closes; `lost` is not called."""
        self._lost = _nothing
        await asyncio.gather(*self._answering)
        self.close()
        await self._closed.wait()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        while len(buffer) >= _LENGTH:
            end = _LENGTH + int.from_bytes(buffer[:_LENGTH], "big")
            if len(buffer) < end:
                return
            try:
                frame = self._decoder.decode(memoryview(buffer)[_LENGTH:end].tobytes())
            except msgspec.DecodeError as error:  # another version, installed under a gateway that runs
                log.error(_UNREADABLE, error)
                self.close()
                return
            del buffer[:end]
            self._take(frame)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._closed.set()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ChannelError("the other side is gone"))
        self._lost()

    # Inside

    def _send(self, frame: _Frame) -> None:
        if self._transport is not None:
            data = msgspec.msgpack.encode(frame)
            self._transport.write(len(data).to_bytes(_LENGTH, "big") + data)

    def _take(self, frame: _Frame) -> None:
        if frame.kind == "answer":
            asked = self._asked.get(frame.number)
            if asked is not None and not asked.done():
                asked.set_result(frame.body)
        elif frame.kind == "ask":
            self._take_question(frame)
        else:
            try:
                self._hear(frame.body)
            except Exception as error:
                _failed(error)

    def _take_question(self, frame: _Frame) -> None:
        try:
            answer = self._answer(frame.body)
        except Exception as error:
            self._send(_Frame("answer", frame.number, _failed(error)))
            return
        if isinstance(answer, Awaitable):
            task = asyncio.ensure_future(self._answer_later(frame.number, answer))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        else:
            self._send(_Frame("answer", frame.number, answer))

    async def _answer_later(self, number: int, answer: Awaitable[Message]) -> None:
        try:
            message = await answer
        except Exception as error:
            message = _failed(error)
        self._send(_Frame("answer", number, message))


def _nothing() -> None:
    pass


def _failed(error: Exception) -> Failed:
    """Its text may quote a prompt, so only its kind and place are logged."""
    log.error(_WRONG, type(error).__name__, "".join(traceback.format_tb(error.__traceback__)))
    return Failed(type(error).__name__)


_UNREADABLE = Said(
    "a message between processes of the gateway cannot be read: %s; start the gateway anew",
    "网关进程之间的消息无法读取：%s；请重新启动网关",
)
_WRONG = Said("a message between processes of the gateway went wrong: %s\n%s", "处理网关进程之间的消息时出错：%s\n%s")
