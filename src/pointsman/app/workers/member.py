"""One worker, as the hub has it: a process, the channel to it, and what it last said."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Awaitable, Sequence
from typing import Protocol

from pointsman.app.workers.channel import Channel
from pointsman.app.workers.messages import Message
from pointsman.child_process import killed, spawned
from pointsman.domain.said import Said, said
from pointsman.telemetry.counts import Counts

ENDING = 2.0  # seconds from the end of the channel to that of the process


class Hearer(Protocol):
    """What the hub does with what workers say."""

    def hear(self, member: Member, message: Message) -> None: ...

    def answer(self, member: Member, message: Message) -> Message | Awaitable[Message]: ...


class Member:
    """`number` is its place among the workers, from 1. Two that follow each other in one place are two members."""

    def __init__(self, number: int, hearer: Hearer) -> None:
        self.number = number
        self.counts: Counts | None = None
        self.channel = Channel(
            lambda message: hearer.hear(self, message), lambda message: hearer.answer(self, message), self._lost
        )
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self, command: Sequence[str], handles: Sequence[int]) -> None:
        """Spawns it; the last arguments are its number, the handles, and that of its end of the channel. Raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            inherited = (*handles, theirs.fileno())
            self._process = await spawned(
                *command,
                *map(str, (self.number, *inherited)),
                stdin=asyncio.subprocess.PIPE,  # its end ends the worker
                pass_fds=inherited,
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        await self.channel.connect(ours)

    async def wait(self) -> Said:
        """Until it has ended; how it did."""
        assert self._process is not None
        code = await self._process.wait()
        if code >= 0:
            return said("exit status {code}", "退出状态 {code}", code=code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = str(-code)
        return said("killed by {it}", "被 {it} 终止", it=name)

    def kill(self) -> None:
        """What it serves is cut off. Whoever waits for it sees it end."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def end(self, within: float = 0.0) -> None:
        """Waits for its end for so many seconds, then kills it."""
        process = self._process
        if process is None:
            return
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within):
                    await process.wait()
        finally:
            await killed(process)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ENDING):
                await self.channel.ended()  # its last words
        self.channel.close()

    def _lost(self) -> None:
        """A worker whose channel is gone can be told nothing any more: it is ending, or has to."""
        asyncio.get_running_loop().call_later(ENDING, self.kill)
