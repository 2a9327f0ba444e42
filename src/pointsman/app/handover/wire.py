"""The Unix socket between two gateways: whole messages, the listening socket with one of them, who is at the other end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import struct
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from pointsman.app.handover.messages import Message

NAME = "handover.sock"
_LENGTH = 4  # bytes before each message
_LONGEST = 64 << 20  # bytes of one
_PATH = 100  # bytes of a path that every system takes for a socket
_CREDENTIALS = struct.Struct("3i")  # Linux: process, user, group


class Lost(Exception):
    """Nothing more will come: the other one is gone, or said what is none of the messages."""


def possible() -> bool:
    """Whether this system can hand sockets over so that both sides know who is at the other end."""
    return sys.platform == "linux"


@contextlib.contextmanager
def reachable(folder: Path, name: str = NAME) -> Iterator[str]:
    """A path of that socket which is short enough, for as long as this lasts. Raises OSError."""
    path = folder / name
    if len(os.fsencode(path)) <= _PATH:
        yield str(path)
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}/{name}"
    finally:
        os.close(handle)


def peer(end: socket.socket) -> tuple[int, int]:
    """Process and user at the other end, as the kernel says. Raises OSError."""
    if sys.platform != "linux":
        raise OSError("the other end is not known here")
    pid, user, _ = _CREDENTIALS.unpack(end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return pid, user


class Wire:
    """`end` is connected; it is this object's to close."""

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self._end = end
        self._loop = asyncio.get_running_loop()
        self._decoder = msgspec.msgpack.Decoder(Message)

    async def send(self, message: Message, handles: Sequence[int] = ()) -> None:
        """Raises Lost."""
        data = msgspec.msgpack.encode(message)
        head = len(data).to_bytes(_LENGTH, "big")
        try:
            if handles:
                socket.send_fds(self._end, [head], handles)  # the very first bytes: there is room for them
                head = b""
            await self._loop.sock_sendall(self._end, head + data)
        except OSError as error:
            raise Lost from error

    async def receive(self) -> tuple[Message, list[int]]:
        """The next message, and the handles that came with it, which no child inherits. Raises Lost."""
        handles: list[int] = []
        try:
            await self._readable()
            head, handles, _, _ = socket.recv_fds(self._end, _LENGTH, 1, socket.MSG_CMSG_CLOEXEC)
            head += await self._exactly(_LENGTH - len(head)) if head else b""
            length = int.from_bytes(head, "big")
            if not head or length > _LONGEST:
                raise Lost
            return self._decoder.decode(await self._exactly(length)), handles
        except (OSError, msgspec.DecodeError) as error:
            for handle in handles:
                os.close(handle)
            raise Lost from error

    def close(self) -> None:
        self._end.close()

    async def _exactly(self, count: int) -> bytes:
        pieces = bytearray()
        while len(pieces) < count:
            piece = await self._loop.sock_recv(self._end, count - len(pieces))
            if not piece:
                raise Lost
            pieces += piece
        return bytes(pieces)

    async def _readable(self) -> None:
        something = asyncio.Event()
        self._loop.add_reader(self._end, something.set)
        try:
            await something.wait()
        finally:
            self._loop.remove_reader(self._end)
