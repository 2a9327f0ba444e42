"""Asks the process beside the gateway that tries rules out: started when it is first asked, ended when nobody has for
a while."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pointsman.child_process import killed, spawned
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said
from pointsman.pipeline.policy import Policy

if TYPE_CHECKING:
    from pointsman.console.rules.told import Answer, Job, Reviewed

COMMAND = (sys.executable, "-m", "pointsman.offline.drafting.child")
IDLE = 180.0  # seconds after which nobody tries rules any more
LONGEST = 60.0  # seconds for a job, a review apart
_REVIEW = 900.0
_GOOD = 600.0  # seconds for which a review is good
_SIZE = struct.Struct(">I")


class Trials:
    """`policy` is the one in force, `folder` where the log is."""

    def __init__(self, policy: Callable[[], Policy], folder: Path) -> None:
        self._policy = policy
        self._folder = folder
        self._bench = _Child(folder)
        self._reviewed: tuple[float, Reviewed] | None = None
        self._reviewing: asyncio.Task[None] | None = None
        self.review_failed: Said | None = None

    async def ask(self, job: Job) -> Answer:
        """Cancelled, it has the job given up. Raises PointsmanError where the process fails."""
        return await self._bench.ask(self._policy(), job, LONGEST)

    def review(self, span: float) -> Reviewed | None:
        """Of the last `span` seconds: the newest there is. One that is older than ten minutes is made anew, beside;
        None while there is none."""
        if self._reviewing is None and (self._reviewed is None or time.monotonic() - self._reviewed[0] > _GOOD):
            self._reviewing = asyncio.create_task(self._review(span))
            self._reviewing.add_done_callback(self._review_ended)
        return None if self._reviewed is None else self._reviewed[1]

    async def _review(self, span: float) -> None:
        from pointsman.console.rules.told import Failed, Review, Reviewed

        child = _Child(self._folder)
        try:
            answer = await child.ask(self._policy(), Review(time.time() - span), _REVIEW)
        finally:
            await child.close()
        if isinstance(answer, Reviewed):
            self._reviewed, self.review_failed = (time.monotonic(), answer), None
        elif isinstance(answer, Failed):
            self.review_failed = answer.message.said

    def _review_ended(self, task: asyncio.Task[None]) -> None:
        self._reviewing = None
        if not task.cancelled() and (error := task.exception()) is not None:
            self.review_failed = _said_of(error)

    async def close(self) -> None:
        if self._reviewing is not None:
            self._reviewing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._reviewing
        await self._bench.close()


class _Child:
    """One process, which answers in turn."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._told = ""  # the policy that it knows
        self._numbers = itertools.count(1)
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None
        self._ending: asyncio.Task[None] | None = None

    async def ask(self, policy: Policy, job: Job, longest: float) -> Answer:
        async with self._turn:
            self._stay()
            try:
                async with asyncio.timeout(longest):
                    return await self._ask(policy, job)
            except (OSError, TimeoutError, EOFError, msgspec.MsgspecError) as error:
                await self._kill()
                raise PointsmanError(_said_of(error), status=503, type="api_error", code="trial_failed") from None
            finally:
                self._leave()

    async def _ask(self, policy: Policy, job: Job) -> Answer:
        from pointsman.console.rules.told import Asked, Told

        process = await self._running()
        assert process.stdin is not None and process.stdout is not None
        number = next(self._numbers)
        document = None
        if self._told != policy.hash:
            document = await asyncio.to_thread(policy.document.encode)
        self._write(process, Asked(number, policy.hash, str(self._folder), job, document))
        self._told = policy.hash
        answering = asyncio.create_task(self._answer(process.stdout))
        try:
            await process.stdin.drain()
            told = msgspec.msgpack.decode(await asyncio.shield(answering), type=Told)
            return told.answer
        except asyncio.CancelledError:  # nobody waits for it: the next one begins when it has been given up
            self._write(process, Asked(number, policy.hash, "", stop=True))
            try:
                async with asyncio.timeout(LONGEST):
                    await answering
            except (OSError, TimeoutError, EOFError):
                await self._kill()
            raise
        finally:
            if not answering.done():
                answering.cancel()

    async def _answer(self, source: asyncio.StreamReader) -> bytes:
        try:
            size = _SIZE.unpack(await source.readexactly(_SIZE.size))[0]
            return await source.readexactly(size)
        except asyncio.IncompleteReadError:
            raise EOFError from None

    @staticmethod
    def _write(process: asyncio.subprocess.Process, asked: msgspec.Struct) -> None:
        assert process.stdin is not None
        data = msgspec.msgpack.encode(asked)
        process.stdin.write(_SIZE.pack(len(data)) + data)

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            await self._kill()
            pipe = asyncio.subprocess.PIPE
            self._process = await spawned(*COMMAND, stdin=pipe, stdout=pipe, start_new_session=True)
            self._told = ""
        return self._process

    def _stay(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _leave(self) -> None:
        self._stay()
        self._idle = asyncio.get_running_loop().call_later(IDLE, self._end)

    def _end(self) -> None:
        if not self._turn.locked():
            self._ending = asyncio.create_task(self.close())

    async def _kill(self) -> None:
        process, self._process, self._told = self._process, None, ""
        if process is not None:
            await killed(process)

    async def close(self) -> None:
        self._stay()
        await self._kill()


def _said_of(error: BaseException) -> Said:
    if isinstance(error, TimeoutError):
        return Said("trying the rule out took too long and was given up", "试运行规则用时过长，已放弃")
    if isinstance(error, PointsmanError) and isinstance(error.message, Said):
        return error.message
    return Said("the process that tries rules out broke off; try again", "试运行规则的进程中途退出；请重试")
