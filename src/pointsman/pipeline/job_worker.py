"""Takes jobs from a store and has them done: leases, failed tries, what is given up."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

import msgspec
from msgspec.structs import replace

from pointsman.domain.job import QUEUES, Change, Job, Queue, Submission
from pointsman.domain.lifecycle import Place, step
from pointsman.domain.said import Said, said
from pointsman.pipeline.job_room import room
from pointsman.pipeline.parking import Parking
from pointsman.pipeline.passage import Finished, Handler, Passage, TryAgain, Waiting, why_of
from pointsman.pipeline.suspects import Suspects
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import Fenced, JobStore, StoreError

log = logging.getLogger("pointsman")

_LONGEST = 300.0  # seconds between two tries, unless somebody asked for more
_PAUSE = 1.0  # seconds after which a store that failed is asked again

Notices = Callable[[Job, Place, float], tuple[Submission, ...]]
"""What is to be submitted when a job comes to its end: who wants to be told of it."""


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """`concurrency` jobs at a time. Seconds: `lease` without a sign of life until a job is another worker's, `poll` between
    two looks for work. `failures` tries that fail, or `lost` workers that die over it, and a job is dead; what only waits
    for something busy or gone is tried for about `patience` seconds. `backoff` is the pause after the first failure; it
    doubles."""

    concurrency: int = 4
    lease: float = 15.0
    poll: float = 1.0
    failures: int = 3
    lost: int = 5
    backoff: float = 2.0
    patience: float = 3600.0
    queues: tuple[Queue, ...] = QUEUES


class JobWorker:
    """`name` tells it from others in traces. `handlers` by the kind of job. `run` goes on until it is cancelled; then what
    it holds goes back, to be taken up by others. `problem` says why the store is of no use now, if it is. `parking` says
    which jobs had better wait."""

    def __init__(
        self,
        store: JobStore,
        handlers: Mapping[str, Handler],
        clock: Clock,
        terms: Terms,
        name: str,
        notices: Notices = lambda job, place, at: (),
        parking: Parking | None = None,
    ) -> None:
        self.terms = terms
        self.problem: str | None = None
        self._store = store
        self._handlers = handlers
        self._clock = clock
        self._name = name
        self._notices = notices
        self._under_way: dict[str, tuple[Passage, asyncio.Task[None]]] = {}
        self._room = asyncio.Event()
        self._suspects = Suspects(clock)
        self._parking = parking
        if parking is not None:
            parking.changed = self._room.set
        self._postponing: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._resting = False

    async def run(self) -> None:
        renewing = asyncio.create_task(self._renew())
        try:
            while True:
                await self._take()
        finally:
            self._stopping = True
            tasks = [task for _, task in self._under_way.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            renewing.cancel()

    async def rest(self, seconds: float) -> None:
        """Takes no more jobs, and returns when those under way have ended, or after so many seconds."""
        self._resting = True
        self._room.set()
        tasks = [task for _, task in self._under_way.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)

    def call_off(self, job_id: str) -> None:
        """Somebody ended that job; if it is here, its work stops at once."""
        if job_id in self._under_way:
            self._under_way[job_id][1].cancel()

    # Taking

    async def _take(self) -> None:
        self._room.clear()
        wanting = [queue for queue in self.terms.queues if self._room_for(queue) > 0]
        if not wanting:
            await self._room.wait()
            return
        try:
            taken = 0
            for queue in wanting:
                if (most := self._room_for(queue)) > 0:
                    jobs = await self._store.claim((queue,), self._name, most, self.terms.lease)
                    for job in jobs:
                        self._start(job)
                    taken += len(jobs)
            self.problem = None
            if not taken:
                await self._wait(wanting)
        except StoreError as error:
            if self.problem is None:
                log.warning(_NO_STORE, error.args[0])
            self.problem = error.args[0]
            await asyncio.sleep(_PAUSE)

    def _room_for(self, queue: Queue) -> int:
        if self._resting:
            return 0
        under_way = Counter(passage.job.queue for passage, _ in self._under_way.values())
        left = room(queue, self.terms.concurrency, under_way)
        most = self._parking.room if self._parking is not None and queue != "webhook" else None
        return left if most is None else min(left, most)

    async def _wait(self, queues: Sequence[Queue]) -> None:
        """For work in these queues, or room for that of others."""
        if len(queues) == len(self.terms.queues):
            await self._store.wait(queues, self.terms.poll)
            return
        work = asyncio.ensure_future(self._store.wait(queues, self.terms.poll))
        change = asyncio.ensure_future(self._room.wait())
        try:
            await asyncio.wait((work, change), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            for task in (work, change):
                task.cancel()
            await asyncio.gather(work, change, return_exceptions=True)

    def _start(self, job: Job) -> None:
        passage = Passage(job, self._store, self._clock, self._name)
        if self._parking is not None and self._parking.wants(job):
            task = asyncio.create_task(self._settle(passage, self._parking.park(passage)))
        elif self._suspects.may_begin(job, self.terms.lost):
            task = asyncio.create_task(self._work(passage))
        else:
            task = asyncio.create_task(self._settle(passage, self._postponed(passage)))
            self._postponing.add(task)
            task.add_done_callback(self._postponing.discard)
        self._under_way[job.id] = passage, task
        task.add_done_callback(lambda done: self._gone(job.id, done))

    def _gone(self, job_id: str, task: asyncio.Task[None]) -> None:
        if self._under_way.get(job_id, (None, None))[1] is task:
            del self._under_way[job_id]
            self._suspects.gone(job_id)
        self._room.set()

    async def _renew(self) -> None:
        """Three times in a lease. Who does not hold its job any more stops working on it."""
        while True:
            await asyncio.sleep(self.terms.lease / 3)
            working = list(self._under_way.values())
            try:
                standings = await self._store.renew([passage.job.held for passage, _ in working], self.terms.lease)
            except StoreError as error:
                log.warning(_NO_STORE, error.args[0])
                continue
            for (_, task), standing in zip(working, standings, strict=True):
                if standing == "lost":
                    task.cancel()

    # Working

    async def _work(self, passage: Passage) -> None:
        try:
            change = await self._outcome(passage)
        except Fenced:
            return
        except asyncio.CancelledError:
            if self._stopping:
                await self._settle(passage, self._given_back(passage))
            return
        except StoreError as error:  # its lease runs out, and it is taken up where it was
            log.warning(_NO_STORE, error.args[0])
            return
        await self._settle(passage, change)

    async def _outcome(self, passage: Passage) -> Change:
        job, terms = passage.job, self.terms
        if job.expires is not None and self._clock.wall() > job.expires:
            return self._ended(passage, Finished(outcome="expired", error="expired"), _EXPIRED)
        if job.lost >= terms.lost:
            return self._died(passage, said(*_LOST, times=job.lost), "worker_lost")
        if self._postponing and job.lost:  # they must be out of its reach
            await asyncio.wait(self._postponing)
        handler = self._handlers.get(job.kind)
        if handler is None:
            return self._died(passage, said(*_NO_HANDLER, kind=job.kind), "unknown_kind")
        try:
            async with asyncio.timeout(None if job.expires is None else job.expires - self._clock.wall()) as limit:
                done = await handler.handle(passage)
        except (Fenced, StoreError, asyncio.CancelledError):
            raise
        except TryAgain as error:
            return self._failed(passage, error)
        except Exception as error:  # its text may quote a prompt, so only its kind and place are told
            if isinstance(error, TimeoutError) and limit.expired():
                return self._ended(passage, Finished(outcome="expired", error="expired"), _EXPIRED)
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error(_BROKE, job.id, type(error).__name__, where)
            return self._failed(passage, TryAgain(_INTERNAL, "internal"))
        if isinstance(done, Waiting):
            return passage.change((("parked", None),), (step(passage.place, "parked"),), _CHILDREN)
        return self._ended(passage, done, done.why)

    async def _settle(self, passage: Passage, change: Change) -> None:
        """The store's last word on it from here. Where the store cannot, the lease runs out, and the job is done again."""
        try:
            await passage.make(change)
        except Fenced:
            return
        except StoreError as error:
            log.warning(_NO_STORE, error.args[0])

    # Changes

    def _ended(self, passage: Passage, done: Finished, why: str | None) -> Change:
        place = step(passage.place, "ended", done.outcome)
        change = passage.change((("ended", done.outcome),), (place,), why)
        spawn = self._notices(passage.job, place, change.at)
        return replace(change, result=done.result, error=done.error, spawn=spawn)

    def _failed(self, passage: Passage, error: TryAgain) -> Change:
        failures = passage.job.failures + 1
        most = tries_within(self.terms.backoff, self.terms.patience) if error.waits else self.terms.failures
        if failures >= (error.tries or max(most, self.terms.failures)):
            return replace(self._died(passage, error.why, error.code), failures=1)
        pause = backoff(self.terms.backoff, failures, passage.job.id) if error.delay is None else error.delay
        if passage.job.expires is not None:  # its end is not put off by a pause
            pause = min(pause, max(passage.job.expires - self._clock.wall(), 0.0) + 0.001)
        change = passage.change((("failed", None),), (step(passage.place, "failed"),), error.why)
        return replace(change, failures=1, delay=pause, error=error.code)

    def _died(self, passage: Passage, why: str, code: str) -> Change:
        place = step(passage.place, "died")
        change = passage.change((("died", None),), (place,), why)
        return replace(change, error=code, spawn=self._notices(passage.job, place, change.at))

    def _postponed(self, passage: Passage) -> Change:
        change = passage.change((("failed", None),), (step(passage.place, "failed"),), _ONE_AT_A_TIME)
        return replace(change, delay=self._suspects.pause(self.terms.lease))

    def _given_back(self, passage: Passage) -> Change:
        return passage.change((("failed", None),), (step(passage.place, "failed"),), _STOPPED)


def backoff(first: float, failures: int, job_id: str) -> float:
    """Seconds until the next try: doubling, at most 5 minutes, and by up to a fifth different from job to job."""
    spread = 0.9 + 0.2 * (crc32(job_id.encode()) % 1000) / 1000
    return min(first * 2.0 ** (failures - 1), _LONGEST) * spread


def tries_within(first: float, seconds: float) -> int:
    """How many tries there are with these pauses until so many seconds are over."""
    tries, spent = 1, 0.0
    while spent < seconds:
        spent += min(first * 2.0 ** (tries - 1), _LONGEST)
        tries += 1
    return tries


async def call_off(store: JobStore, job_id: str, at: float, op: str, notices: Notices) -> Job | None:
    """Ends a job for its caller; who works on it loses it. Gives it as it is then, None where there is none. One that is
    over stays as it is."""
    while (job := await store.get(job_id)) is not None and job.place.state != "completed":
        if job.place.disposition == "dead":
            break
        place = step(job.place, "ended", "cancelled")
        change = Change(
            op=op,
            at=at,
            events=(("ended", "cancelled"),),
            places=(place,),
            why=why_of(_CALLED_OFF),
            fence=True,
            error="cancelled",
            spawn=notices(job, place, at),
        )
        try:
            await store.advance(job.held, change)
        except Fenced:
            continue
        return await store.get(job_id)
    return job


async def revive(store: JobStore, job_id: str, at: float, op: str) -> Job | None:
    """A dead job is begun anew, where it stopped. Gives it as it is then, None where there is none; one that is not dead
    stays as it is."""
    while (job := await store.get(job_id)) is not None and job.place.disposition == "dead":
        place = step(job.place, "revived")
        change = Change(op=op, at=at, events=(("revived", None),), places=(place,), why=why_of(_BY_HAND), again=True)
        try:
            await store.advance(job.held, change)
        except Fenced:
            continue
        return await store.get(job_id)
    return job


_NO_STORE = Said("the job store cannot be used: %s", "任务存储暂时不可用：%s")
_BROKE = Said("job %s failed inside the gateway: %s\n%s", "任务 %s 在网关内部出错：%s\n%s")
_INTERNAL = Said("the gateway failed; its log has the details", "网关内部出错；详情见网关的日志")
_EXPIRED = Said("its time ran out before it was done", "在完成之前已超过期限")
_LOST = ("its worker died or fell silent {times} times", "执行它的工作进程已 {times} 次中断或失去响应")
_NO_HANDLER = ('this worker does not know jobs of kind "{kind}"', "这个工作进程不认识“{kind}”类任务")
_CHILDREN = Said("waits for its parts", "等待各部分完成")
_STOPPED = Said(
    "the worker was stopped; the job goes on elsewhere, or after its start",
    "工作进程已停止；任务会由其他进程或在重启后继续",
)
_ONE_AT_A_TIME = Said(
    "its workers died; it waits until others of which that is true are done here, so that it is known which one is to blame",
    "执行它的工作进程曾中断；这里正在执行另一个这样的任务，它先等待，以便分清是哪一个引起的",
)
_CALLED_OFF = Said("called off", "已取消")
_BY_HAND = Said("begun anew by hand", "人工重新开始")
