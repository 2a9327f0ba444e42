"""Processes that have imported what their work needs and wait for a task: as many of a kind as were asked of at a time."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from pointsman.actions.child.memory import free_memory
from pointsman.actions.child.work import Work
from pointsman.child_process import killed

LOOK = 60.0
"""Seconds between two looks at how many were asked of at a time."""
IDLE = 5
"""Looks after which the last one of a kind that nobody asks of ends, too."""
ENDING = 2.0
"""Seconds for a child that has lost its other end to end what it does."""
_SHARE = 10
"""One more waits only where that takes no more than this part of the memory that is free."""
_UNKNOWN = 256 << 20  # bytes that a process takes, as long as none was seen


class Waiting(NamedTuple):
    """A process that waits, and the file that its errors go to."""

    process: asyncio.subprocess.Process
    log: Path


class Warm:
    """At most `most` of a kind, begun by `begin` when a task has ended. One that does its task itself is taken for good;
    those that have copies of themselves do it are handed from task to task, and more are begun as soon as they are asked
    of."""

    def __init__(self, begin: Callable[[Work[Any, Any]], Awaitable[Waiting]], most: int) -> None:
        self._begin = begin
        self._most = most
        self._kinds: dict[str, Kind] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def waiting(self, work: Work[Any, Any]) -> list[Waiting]:
        """Those of that kind, the next to be taken first."""
        kind = self._kinds.get(work.function)
        return [] if kind is None else list(kind.waiting)

    @contextlib.contextmanager
    def asked(self, work: Work[Any, Any]) -> Iterator[Kind | None]:
        """One is wanted for as long as this lasts, now or in its turn. None where none of that work is kept."""
        if not work.warm or self._most == 0:
            yield None
            return
        kind = self._kinds.get(work.function)
        if kind is None:
            kind = self._kinds[work.function] = Kind(work)
            self._look_later(kind)
        kind.asked += 1
        kind.peak = max(kind.peak, kind.asked)
        kind.wanted = max(kind.wanted, min(kind.asked, self._most))
        try:
            yield kind
        finally:
            kind.asked -= 1
            self._refill(kind)

    def taken(self, kind: Kind) -> Waiting | None:
        """The one that is surely ready, or waits longest, if there is any that lives: for good."""
        while kind.waiting:
            process, log = kind.waiting.pop(0)
            if process.returncode is None:
                with contextlib.suppress(psutil.Error):
                    kind.size = psutil.Process(process.pid).memory_info().rss
                return Waiting(process, log)
            log.unlink(missing_ok=True)
        return None

    @contextlib.asynccontextmanager
    async def lent(self, kind: Kind) -> AsyncIterator[Lent]:
        """One that has copies do its tasks, as soon as there is one that is ready. It ends afterwards unless it is said to
        stay."""
        one = self.taken(kind)
        if one is None:
            one = await self._next(kind)
        else:
            kind.at_work += 1
        lent = Lent(one)
        try:
            yield lent
        finally:
            kind.at_work -= 1
            if lent.stays:
                with contextlib.suppress(OSError):
                    os.truncate(one.log, 0)
                self._hand_on(kind, one)
            else:
                await ended(one)

    def look(self, function: str) -> None:
        """Ends those beyond the most that were asked of at a time since the last look, all but one; that one, too, after
        some looks at which nobody asked."""
        kind = self._kinds[function]
        kind.unused = 0 if kind.peak else kind.unused + 1
        kind.wanted = min(kind.wanted, max(kind.peak, 0 if kind.unused >= IDLE else 1))
        kind.peak = kind.asked
        kept = max(kind.wanted - kind.at_work, 0)
        ending = kind.waiting[kept:]
        del kind.waiting[kept:]
        for one in ending:
            self._later(ended(one))
        if kind.waiting or kind.wanted or kind.beginning or kind.asked:
            self._look_later(kind)
        else:
            del self._kinds[function]

    async def close(self) -> None:
        """Ends them all; none begins any more."""
        self._most = 0
        kinds, self._kinds = list(self._kinds.values()), {}
        for kind in kinds:
            kind.wanted = 0
            if kind.timer is not None:
                kind.timer.cancel()
        await asyncio.gather(*(ended(one) for kind in kinds for one in (*kind.waiting, *kind.importing)))
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _refill(self, kind: Kind) -> None:
        """Begins what is missing, in the background."""
        busy = kind.at_work if forks(kind.work) else kind.asked
        there = len(kind.waiting) + kind.beginning + busy
        missing = kind.wanted - there
        if kind.wanted > 1 and missing > 0:  # one there is in any case
            missing = min(missing, max(free_memory() // _SHARE // kind.size, 1 - there))
        for _ in range(missing):
            kind.beginning += 1
            self._later(self._begun(kind))

    async def _begun(self, kind: Kind) -> None:
        try:
            one = await self._begin(kind.work)
        except BaseException as error:
            kind.beginning -= 1
            for turn in kind.turns:
                if not turn.done():
                    turn.set_exception(error if isinstance(error, Exception) else OSError("not begun"))
            raise
        if forks(kind.work) and self._most:
            kind.importing.append(one)
            await _ready(one)
            kind.importing.remove(one)
        kind.beginning -= 1
        self._hand_on(kind, one)

    async def _next(self, kind: Kind) -> Waiting:
        """The next that is ready, in the order of asking."""
        turn: asyncio.Future[Waiting] = asyncio.get_running_loop().create_future()
        kind.turns.append(turn)
        self._refill(kind)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                kind.at_work -= 1
                self._hand_on(kind, turn.result())
            raise
        finally:
            kind.turns.remove(turn)

    def _hand_on(self, kind: Kind, one: Waiting) -> None:
        """To the next task, whether it is there or not."""
        for turn in kind.turns:
            if not turn.done():
                kind.at_work += 1
                turn.set_result(one)
                return
        if len(kind.waiting) + kind.at_work >= kind.wanted:
            self._later(ended(one))
        elif forks(kind.work):
            kind.waiting.insert(0, one)
        else:
            kind.waiting.append(one)

    def _look_later(self, kind: Kind) -> None:
        kind.timer = asyncio.get_running_loop().call_later(LOOK, self.look, kind.work.function)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Lent:
    """`stays`: it is as it was before, and can do the next task."""

    def __init__(self, one: Waiting) -> None:
        self.process, self.log = one
        self.stays = False


class Kind:
    """`asked` are under way or wait for their turn, `peak` is the most since the last look; `wanted` should there be, those
    `at_work` among them; `turns` wait for the next that is ready; `size` is what one takes, in bytes; `unused` counts looks
    since somebody asked."""

    def __init__(self, work: Work[Any, Any]) -> None:
        self.work = work
        self.waiting: list[Waiting] = []
        self.importing: list[Waiting] = []
        self.beginning = 0
        self.at_work = 0
        self.turns: list[asyncio.Future[Waiting]] = []
        self.asked = 0
        self.peak = 0
        self.wanted = 0
        self.size = _UNKNOWN
        self.unused = 0
        self.timer: asyncio.TimerHandle | None = None


def forks(work: Work[Any, Any]) -> bool:
    """Whether its tasks are done by copies of a process."""
    return work.forks and sys.platform == "linux"


async def _ready(one: Waiting) -> None:
    """Returns when it has imported what it needs, or is at its end."""
    assert one.process.stdout is not None
    await one.process.stdout.readline()


async def ended(one: Waiting) -> None:
    """Lets it end what it does, kills it where it does not, and waits for it, also where the caller is cancelled."""
    ending = asyncio.create_task(_ended(one))
    try:
        await asyncio.shield(ending)
    except asyncio.CancelledError:
        await ending
        raise


async def _ended(one: Waiting) -> None:
    process, log = one
    if process.stdin is not None:
        process.stdin.close()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(ENDING):
            await process.wait()
    await killed(process, session=True)
    log.unlink(missing_ok=True)
