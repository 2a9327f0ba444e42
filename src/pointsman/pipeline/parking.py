"""New jobs wait in the store while the machine is under pressure: parked, each with the reason in its trace, until that is
over or has lasted too long. Carries out what admission/pressure.py decides."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable

import msgspec

from pointsman.admission.pressure import NONE, Cause, Load, Pressure, Thresholds, sampled
from pointsman.domain.job import Change, Job
from pointsman.domain.lifecycle import step
from pointsman.domain.said import Said, said
from pointsman.pipeline.passage import Passage, why_of
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import Fenced, JobStore, StoreError, Wanted

log = logging.getLogger("pointsman")

Sample = Callable[[], Awaitable[Load | None]]
"""Looks at the machine; None where nobody is to look."""
_AT_ONCE = 50  # jobs that are released together
_SWEEPS = 30.0  # seconds, at most, between two looks for jobs whose process died while they were parked
_LISTED = 1000


class ParkingRules(msgspec.Struct, frozen=True):
    """At most `most` jobs of this process are parked; what comes then is not taken from the store. `every` in seconds."""

    limits: Thresholds = Thresholds()
    most: int = 1000
    every: float = 2.0


class Parking:
    """For one worker, called `name` in traces. A job is parked once at most, before anything was done of it, for
    `limits.longest` seconds at most, also where this process dies: then whoever finds it releases it."""

    def __init__(self, store: JobStore, clock: Clock, name: str, sample: Sample) -> None:
        self.rules = ParkingRules()
        self.pressure: Pressure = NONE
        self.changed: Callable[[], None] = lambda: None
        """Is called when there may be room again."""
        self.counted: Callable[[Cause], None] = lambda cause: None
        """Is told of each job that is parked."""
        self._store = store
        self._clock = clock
        self._name = name
        self._sample = sample
        self._parked: dict[str, float] = {}
        self._swept: float | None = None

    @property
    def parked(self) -> int:
        """Jobs that wait here."""
        return len(self._parked)

    @property
    def room(self) -> int | None:
        """How many jobs may be taken from the store to be parked; None: as many as can be done."""
        return max(self.rules.most - len(self._parked), 0) if self.pressure.holds else None

    @property
    def problem(self) -> Said | None:
        """Why new jobs wait, if they do."""
        if not self.pressure.holds:
            return None
        en, zh = "new jobs wait ({parked} are parked): {why}", "新任务先挂起等待（已挂起 {parked} 个）：{why}"
        return said(en, zh, parked=len(self._parked), why=why_pressed(self.pressure))

    def wants(self, job: Job) -> bool:
        """Whether that job, just claimed, is to be parked: nothing was done of it, and the machine is under pressure."""
        return self.pressure.holds and job.version == 1 and job.queue != "webhook"

    def park(self, passage: Passage) -> Change:
        """The change that parks it. It counts from here on."""
        self._parked[passage.job.id] = passage.job.created
        if self.pressure.cause is not None:
            self.counted(self.pressure.cause)
        en, zh = (
            "{why}; it waits until that is over, for {longest:g} s at most",
            "{why}；等它过去，最多等 {longest:g} 秒",
        )
        why = said(en, zh, why=why_pressed(self.pressure), longest=self.rules.limits.longest)
        place = step(passage.place, "parked")
        return passage.change((("parked", None),), (place,), why, left=1)  # waits for one that no child is

    async def run(self) -> None:
        """Looks at the machine again and again; until it is cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(self.rules.every)

    async def look(self) -> None:
        """Once: takes a sample, and releases what need not wait any more."""
        load, now = await self._sample(), self._clock.monotonic()
        before = self.pressure
        self.pressure = NONE if load is None else sampled(before, load, now, self.rules.limits)
        if before.state != self.pressure.state:
            self._say(before)
            self.changed()
        try:
            if self._parked and not self.pressure.holds:
                await self._release(self._own(), _LATE if self.pressure.state == "given_up" else _OVER)
            if self._swept is None or now - self._swept >= min(_SWEEPS, self.rules.limits.longest):
                await self._sweep()
                self._swept = now
        except StoreError as error:  # the worker says so, and the next look tries again
            log.debug("parked jobs: %s", error)

    async def close(self) -> None:
        """What waits here goes on elsewhere, or after the next start."""
        self.pressure = NONE
        await self._release(self._own(), _STOPPED)

    def _own(self) -> list[str]:
        """Those that wait here, in the order in which they came."""
        return sorted(self._parked, key=lambda name: (self._parked[name], name))

    async def _sweep(self) -> None:
        """Those that nobody has released in time. Where something of it was done, it waits for its children."""
        late = self._clock.wall() - self.rules.limits.longest
        found = await self._store.ls(Wanted(phase="parked"), _LISTED)
        strays = [job for job in found if job.place.state == "received" and job.updated <= late]
        await self._release([job.id for job in sorted(strays, key=lambda job: (job.created, job.id))], _LONG)

    async def _release(self, names: list[str], why: Said) -> None:
        """In this order, in which they are claimed then. Raises StoreError; those that are left stay parked."""
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            await asyncio.gather(*(self._unpark(name, why) for name in some))
            for name in some:
                self._parked.pop(name, None)
            self.changed()

    async def _unpark(self, name: str, why: Said) -> None:
        job = await self._store.get(name)
        if job is None or job.over or job.place.disposition != "parked" or job.place.state != "received":
            return
        change = Change(
            op=secrets.token_hex(8),
            at=self._clock.wall(),
            events=(("unparked", None),),
            places=(step(job.place, "unparked"),),
            worker=self._name,
            why=why_of(why),
            left=0,
        )
        try:
            await self._store.advance(job.held, change)
        except Fenced:  # somebody else did, or called it off
            return

    def _say(self, before: Pressure) -> None:
        now = self.pressure
        if now.state == "on":
            log.warning(Said("new jobs wait: %s", "新任务先挂起等待：%s"), why_pressed(now))
        elif now.state == "given_up":
            en, zh = "%s; for %.0f s already: jobs go on all the same", "%s；已持续 %.0f 秒：任务照常执行"
            log.warning(Said(en, zh), why_pressed(now), now.since - before.since)
        else:
            log.info(
                Said("the pressure is over; jobs that wait: %d", "压力已过去；等待中的任务：%d"), len(self._parked)
            )


def why_pressed(pressure: Pressure) -> Said:
    """What the matter is, with the last figures."""
    load = pressure.load
    if pressure.cause == "mismatch":
        what = Said("the engines", "推理引擎") if load.engines else Said("the GPU", "显卡")
        en, zh = "the CPU is at {cpu:.0%} and {what} at {busy:.0%}", "CPU 使用率 {cpu:.0%}，而{what}只有 {busy:.0%}"
        return said(en, zh, cpu=load.cpu or 0.0, what=what, busy=load.accelerator or 0.0)
    if pressure.cause == "memory":
        return said("{share:.0%} of the memory is in use", "内存已用 {share:.0%}", share=load.memory or 0.0)
    return said("{share:.0%} of a GPU's memory is in use", "GPU 显存已用 {share:.0%}", share=load.gpu_memory or 0.0)


_OVER = Said("the machine has room again", "机器又有余力了")
_LATE = Said("the pressure lasts too long; it goes on all the same", "压力持续太久；照常执行")
_STOPPED = Said("the worker was stopped", "工作进程已停止")
_LONG = Said("it has waited for as long as it may", "已等到允许的最长时间")
