"""The clockwork: looks at the clock, and submits what is due as jobs. Any number of processes may do so on one store: a
time's job has one name, whoever submits it."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping

import msgspec

from pointsman.domain.job import Submission
from pointsman.domain.said import Said
from pointsman.pipeline.schedules.due import AHEAD, Planned, due_at
from pointsman.pipeline.schedules.times import in_utc, next_after
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import JobStore, StoreError

log = logging.getLogger("pointsman")

_LOOK = 20.0  # seconds between two looks at the clock at most: somebody may set it
_AGAIN = 5.0  # seconds after which a store that failed is asked again
_TOLD = 3600.0  # seconds after which a mark that only moved with the clock is kept anew
_KEPT = 400 * 86_400.0  # seconds that a mark is kept
MARKS = "schedules/"
"""Begins the keys under which stores remember up to when schedules are settled."""


class _Mark(msgspec.Struct, frozen=True, array_like=True):
    """All times up to `at` are settled, of the schedule as it was then (`digest`)."""

    digest: str
    at: float


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Mark).decode


class Scheduler:
    """`submission` makes the job of a schedule's name for one of its times. `run` goes on until it is cancelled."""

    def __init__(self, store: JobStore, clock: Clock, submission: Callable[[str, float], Submission]) -> None:
        self.problem: str | None = None
        """Why the last look came to nothing, if it did."""
        self._store = store
        self._clock = clock
        self._submission = submission
        self._planned: Mapping[str, Planned] = {}
        self._idle: tuple[str, ...] = ()
        self._marks: dict[str, _Mark] = {}
        self._kept: dict[str, _Mark] = {}
        self._changed = asyncio.Event()

    def install(self, planned: Mapping[str, Planned], idle: tuple[str, ...] = ()) -> None:
        """From here on these are the schedules; `idle` are those that are switched off, of which nothing is remembered. One
        whose times are others than before begins anew."""
        self._planned, self._idle = planned, idle
        self._marks.clear()
        self._kept.clear()
        self._changed.set()

    async def run(self) -> None:
        while True:
            self._changed.clear()
            wait = await self.look()
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                pass

    async def look(self) -> float:
        """Submits what is due; gives the seconds until there may be more."""
        now = self._clock.wall()
        nearest = now + _LOOK
        try:
            while self._idle:
                await self._store.delete(MARKS + self._idle[0])
                self._idle = self._idle[1:]
            for name, planned in tuple(self._planned.items()):
                await self._settle(name, planned, now)
                upcoming = next_after(planned.timing, now)
                nearest = nearest if upcoming is None else min(nearest, upcoming)
        except StoreError as error:
            if self.problem is None:
                log.warning(_NO_STORE, error.args[0])
            self.problem = error.args[0]
            return _AGAIN
        self.problem = None
        return max(nearest - self._clock.wall(), 0.0)

    async def _settle(self, name: str, planned: Planned, now: float) -> None:
        mark = self._marks.get(name) or await self._remembered(name, planned, now)
        if due_at(planned, mark.at, now) is not None:  # somebody else may have done it
            mark = max(mark, await self._remembered(name, planned, now), key=lambda one: one.at)
        at = due_at(planned, mark.at, now)
        if at is not None:
            [done] = await self._store.submit([self._submission(name, at)])
            if done.created:
                log.info(_SUBMITTED, name, in_utc(at), done.id)
        if self._planned.get(name) is not planned:  # another config meanwhile
            return
        moved = _Mark(mark.digest, max(mark.at, now))
        kept = self._kept.get(name)
        if at is not None or kept is None or moved.at - kept.at > _TOLD:
            await self._store.put(MARKS + name, _encode(moved), _KEPT)
            self._kept[name] = moved
        self._marks[name] = moved

    async def _remembered(self, name: str, planned: Planned, now: float) -> _Mark:
        """As the store has it; one that is new, or changed, or of a clock that was wrong, begins now."""
        digest = hashlib.sha256(_encode((planned.timing.cron, planned.timing.zone))).hexdigest()[:12]
        found = await self._store.read(MARKS + name)
        mark = _decode(found) if found else None
        if mark is None or mark.digest != digest or mark.at > now + AHEAD:
            return _Mark(digest, now)
        return mark


_NO_STORE = Said("no schedule is looked at: %s", "暂时无法执行计划任务：%s")
_SUBMITTED = Said("schedule %s, %s: %s", "计划任务 %s（%s）：%s")
