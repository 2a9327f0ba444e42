"""Child processes that do actions' work, each ended and waited for whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pointsman.actions.child.cores import Cores
from pointsman.actions.child.failures import crashed, timed_out
from pointsman.actions.child.program import Finished, OnLine, run_program
from pointsman.actions.child.warm import Kind, Waiting, Warm, forks
from pointsman.actions.child.work import FORKS, STAYS, Answer, Limits, Order, Work
from pointsman.child_process import killed, spawned
from pointsman.domain.said import Said
from pointsman.ports.action import ActionFailed

COMMAND = (sys.executable, "-m", "pointsman.actions.child.entry")
GRACE = 2.0  # seconds that the child has over its own time, to say so itself
ENDING = 2.0  # seconds for a child that has closed its end to be gone
_LEFT = 86_400.0  # seconds after which a task's folder is surely nobody's any more
# libraries that would reserve address space or take cores by the number of processors
MODEST = {"MALLOC_ARENA_MAX": "2", "RAYON_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
T = TypeVar("T")
R = TypeVar("R")


class Children:
    """At most so many at a time as `places` lets in; others wait their turn. `work` is a folder for what they write
    (created, readable by this user alone). `warmth`: processes may wait for tasks in advance, as many of a kind as may
    work at once.

    One event loop, which runs in the main thread: Linux ties the child to the thread that spawned it."""

    def __init__(
        self, work: Path, places: Cores | AbstractAsyncContextManager[None] | None = None, *, warmth: bool = True
    ) -> None:
        self._work = work.absolute()
        self._places = places or asyncio.Semaphore(1)
        most = places.total if isinstance(places, Cores) else 1
        self._warm = Warm(self._waiting, most if warmth else 0)

    @property
    def cores(self) -> int:
        """How many work at once may keep busy."""
        return self._places.total if isinstance(self._places, Cores) else 1

    @contextlib.asynccontextmanager
    async def folder(self) -> AsyncIterator[Path]:
        """A new folder for one task, removed at the end with all that is in it."""
        folder = self._made()
        try:
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))

    async def run(self, work: Work[T, R], task: T, folder: Path, limits: Limits) -> R:
        """Does it. Raises ActionFailed, as the function in the child does, or for a child that runs out of time or memory,
        or dies."""
        order = Order(
            folder=str(folder),
            seconds=limits.seconds,
            memory=limits.memory,
            file_size=limits.file_size,
            task=msgspec.Raw(msgspec.json.encode(task)),
        )
        asking = msgspec.json.encode(order) + b"\n"
        with self._warm.asked(work) as kind:
            async with self._turn(limits):
                line = await self._line(work, kind, asking, limits)
        try:
            answer = msgspec.json.decode(line, type=Answer)
        except msgspec.DecodeError as error:
            raise ActionFailed("crashed", _NO_ANSWER, detail=str(error)) from None
        if (failure := answer.failure) is not None:
            message = Said(failure.en, failure.zh)
            raise ActionFailed(
                failure.code, message, detail=failure.detail, again=failure.again, refused=failure.refused
            )
        return msgspec.convert(answer.result, work.result)

    async def program(
        self, command: Sequence[str], folder: Path, limits: Limits, on_line: OnLine | None = None
    ) -> Finished:
        """Runs an external program, as `run_program` says."""
        async with self._turn(limits):
            return await run_program(command, folder, limits, on_line)

    async def close(self) -> None:
        """Ends those that wait for tasks."""
        await self._warm.close()

    def tidy(self) -> None:
        """Removes what tasks of a day ago left behind whose gateway was killed."""
        old = time.time() - _LEFT
        with contextlib.suppress(FileNotFoundError):
            for path in list(self._work.iterdir()):
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime >= old:
                        continue
                    if path.is_dir():
                        shutil.rmtree(path, ignore_errors=True)
                    else:
                        path.unlink()

    def _turn(self, limits: Limits) -> AbstractAsyncContextManager[None]:
        places = self._places
        return places.taken(limits.cores, limits.cpu_seconds) if isinstance(places, Cores) else places

    def _made(self) -> Path:
        self._work.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = self._work / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        return folder

    async def _line(self, work: Work[T, R], kind: Kind | None, asking: bytes, limits: Limits) -> bytes:
        """What comes back. Its time begins when a process is ready, where that says so. Raises ActionFailed where nothing
        comes."""
        if kind is not None and forks(work):
            async with self._warm.lent(kind) as lent:
                line = await _asked(lent.process, asking, limits)
                lent.stays = line.endswith(STAYS)
                last = "" if line else _last_words(lent.log)
            process = lent.process
        else:
            process, log = (kind and self._warm.taken(kind)) or await self._spawned(work)
            try:
                line = await _asked(process, asking, limits)
            finally:
                await killed(process, session=True)
                last = _last_words(log)
                log.unlink(missing_ok=True)
        if not line:
            raise crashed(process.returncode, last)
        return line

    async def _waiting(self, work: Work[Any, Any]) -> Waiting:
        return await self._spawned(work, *([FORKS] if forks(work) else []))

    async def _spawned(self, work: Work[Any, Any], *more: str) -> Waiting:
        self._work.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = self._work / f"{secrets.token_hex(16)}.log"
        pipe = asyncio.subprocess.PIPE
        command = [*COMMAND, work.function, work.extra, str(os.getpid()), *more]
        environment = {**os.environ, **MODEST, "PYTHONIOENCODING": "utf-8"}
        try:
            with log.open("ab") as errors:
                process = await spawned(
                    *command,
                    stdin=pipe,
                    stdout=pipe,
                    stderr=errors,
                    env=environment,
                    limit=1 << 20,
                    start_new_session=True,
                )
        except BaseException:
            log.unlink(missing_ok=True)
            raise
        return Waiting(process, log)


_NO_ANSWER = Said(
    "An unexpected error stopped this. The details are in the log.", "出现意外错误，没有完成。详细原因已写入日志。"
)


async def _asked(process: asyncio.subprocess.Process, line: bytes, limits: Limits) -> bytes:
    try:
        async with asyncio.timeout(limits.seconds + GRACE):
            return await _ask(process, line, limits.answer)
    except TimeoutError:
        raise timed_out(limits.seconds) from None


async def _ask(process: asyncio.subprocess.Process, line: bytes, most: int) -> bytes:
    """Sends the order and waits for the line that comes back, empty where the child ends without one, or with one longer
    than `most`. stdin stays open: its end would end the child."""
    assert process.stdin and process.stdout
    with contextlib.suppress(OSError):  # it ended already; its log says why
        process.stdin.write(line)
        await process.stdin.drain()
    answer = bytearray()
    while not answer.endswith(b"\n"):
        piece = await process.stdout.read(1 << 18)
        answer += piece
        if len(answer) > most:
            return b""
        if not piece:  # it is ending: how, is told by its own status, not by our kill
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(ENDING):
                    await process.wait()
            return b""
    return bytes(answer)


def _last_words(log: Path) -> str:
    try:
        return log.read_bytes()[-4000:].decode("utf-8", "replace").strip()
    except OSError:
        return ""
