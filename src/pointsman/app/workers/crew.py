"""The workers of one hub: started, started again when they die, told and asked together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
from collections.abc import Sequence
from typing import Protocol

from pointsman.app.packing import text_of
from pointsman.app.workers.channel import ChannelError
from pointsman.app.workers.member import ENDING, Hearer, Member
from pointsman.app.workers.messages import Begin, Hurry, Message, Open, Stop, Unable
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.fleet.process import Backoff
from pointsman.http.crowd import ABSENT, Crowd, shared_memory

log = logging.getLogger("pointsman")

BACKOFF = Backoff(delays=(0.1, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0))
STARTING = 120.0  # seconds from the spawn until it listens
OPENING = 5.0  # seconds for a worker to say that it takes connections
LEAVING = 15.0  # seconds after the grace for a worker to say that it stopped: its log may have to be written
LEFT = 5.0  # and from there to the end of its process


class Hub(Hearer, Protocol):
    """Whom the workers belong to."""

    def begin(self) -> Begin:
        """What a new worker starts with, as of now."""

    def gone(self, member: Member) -> None:
        """It has ended; it was a member of the crew."""


class Crew:
    """`command` starts a worker; added to it are the worker's number, from 1 to `size`, and the handles of what it
    inherits: `listener`, the crowd of workers, its end of the channel. Linux ties a process to the thread that spawned
    it: this runs in the main thread."""

    def __init__(self, hub: Hub, command: Sequence[str], listener: socket.socket, size: int) -> None:
        self._hub = hub
        self._command = command
        self._handles = (listener.fileno(), shared_memory(size))
        self._crowd = Crowd(self._handles[1])
        self.size = size
        self._keepers: list[asyncio.Task[None]] = []
        self._first: list[asyncio.Future[None]] = []
        self._stopping = asyncio.Event()
        self.members: list[Member] = []
        """Those that know how to begin: what is told and asked from here on reaches them after that."""

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._first = [loop.create_future() for _ in range(self.size)]
        self._keepers = [loop.create_task(self._keep(number)) for number in range(1, self.size + 1)]

    async def listening(self) -> None:
        """Returns once every worker has listened. Raises Problem where one says that it cannot serve."""
        await asyncio.gather(*self._first)

    def tell(self, message: Message) -> None:
        for member in self.members:
            member.channel.tell(message)

    async def ask(
        self, message: Message, timeout: float, *, but: Member | None = None
    ) -> list[tuple[Member, Message | None]]:
        """Asks all at once, and waits for all answers, at most `timeout` seconds. None stands for no answer."""
        asked = [member for member in self.members if member is not but]

        async def one(member: Member) -> Message | None:
            try:
                async with asyncio.timeout(timeout):
                    return await member.channel.ask(message)
            except (ChannelError, TimeoutError):
                return None

        tasks = [asyncio.ensure_future(one(member)) for member in asked]
        return list(zip(asked, await asyncio.gather(*tasks), strict=True))

    async def open(self) -> None:
        """All take connections when it returns; those that begin later do so from the start."""
        await self.ask(Open(), OPENING)

    def hurry(self, grace: float) -> None:
        """While they stop: requests under way end within `grace` seconds from now."""
        self.tell(Hurry(grace))

    async def stop(self, grace: float, linger: float, jobs: float) -> None:
        """Requests under way end within `grace` seconds, jobs within `jobs`; then no worker is left."""
        self._stopping.set()
        await self.ask(Stop(grace, linger, jobs), grace + LEAVING)
        await asyncio.gather(*(member.end(LEFT) for member in self.members))
        await asyncio.gather(*self._keepers)
        os.close(self._handles[1])

    async def _keep(self, number: int) -> None:
        failures = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            member = Member(number, self._hub)
            try:
                why = await self._live(member)
            except Exception as error:  # the crew is kept whatever happens
                why = said("it cannot be started: {why}", "无法启动：“{why}”", why=error)
            if self._stopping.is_set():
                return
            failures = 1 if time.monotonic() - began >= BACKOFF.reset_after else failures + 1
            log.error(_ENDED, number, member.pid, why)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BACKOFF.delay(failures)):
                    await self._stopping.wait()

    async def _live(self, member: Member) -> Said:
        """One process from its start to its end; why it ended. Raises OSError."""
        await member.start(self._command, self._handles)
        if self._stopping.is_set():
            await member.end()
            return await member.wait()
        self.members.append(member)  # and told how to begin, before anything else
        try:
            refusal = await self._begin(member)
            return await member.wait() if refusal is None else refusal
        finally:
            await member.end()
            self.members.remove(member)
            self._crowd.publish(member.number - 1, ABSENT)
            self._hub.gone(member)

    async def _begin(self, member: Member) -> Said | None:
        """None: it listens, or has ended. Else why it is of no use."""
        first = self._first[member.number - 1]
        try:
            async with asyncio.timeout(STARTING):
                answer = await member.channel.ask(self._hub.begin())
        except TimeoutError:
            return said("it did not listen within {limit:g} s", "{limit:g} 秒内没有开始监听", limit=STARTING)
        except ChannelError:
            asyncio.get_running_loop().call_later(ENDING, member.kill)
            return None
        if isinstance(answer, Unable):
            if not first.done():
                first.set_exception(Problem(answer.path, text_of(answer.message)))
            return said("{why}", "{why}", why=text_of(answer.message))
        if not first.done():
            first.set_result(None)
        return None


_ENDED = Said("worker %s (pid %s) ended (%s); it is started again", "工作进程 %s（pid %s）已结束（%s），将重新启动")
