"""Jobs that wait since the machine is under pressure: in the store, with the reason, in their order, not for ever."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from pointsman.admission.pressure import Load, Thresholds
from pointsman.domain.job import Job, Submission
from pointsman.domain.lifecycle import step
from pointsman.pipeline.job_worker import JobWorker, Terms
from pointsman.pipeline.parking import Parking, ParkingRules
from pointsman.pipeline.passage import Finished, Passage
from pointsman.ports.clock import SystemClock
from pointsman.ports.job_store import JobStore, Wanted
from pointsman.store.jobs.memory import MemoryJobStore

FULL, IDLE = Load(0.97, 0.02, 0.4, engines=True), Load(0.1, 0.02, 0.4)
AT_ONCE = Thresholds(dwell=0.0, calm=0.0, longest=60.0)
QUICK = Terms(concurrency=2, lease=0.6, poll=0.05, backoff=0.01)


class Turning:
    """A clock that the test turns, and what the machine says."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.load: Load | None = IDLE

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self.now

    async def sample(self) -> Load | None:
        return self.load


class House:
    """A worker with its parking; `done` are the jobs that it did, in order."""

    def __init__(self, store: JobStore, machine: Turning, most: int = 100) -> None:
        self.store, self.machine = store, machine
        self.done: list[str] = []
        self.causes: list[str] = []
        self.parking = Parking(store, machine, "w1", machine.sample)
        self.parking.rules = ParkingRules(AT_ONCE, most)
        self.parking.counted = self.causes.append
        self.worker = JobWorker(
            store, {"request": self, "webhook": self}, SystemClock(), QUICK, "w1", parking=self.parking
        )

    async def handle(self, passage: Passage) -> Finished:
        self.done.append(passage.job.id)
        await passage.begin("because")
        return Finished()

    @contextlib.asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.worker.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def look(self, load: Load | None = None, after: float = 0.0) -> None:
        self.machine.now += after
        self.machine.load = load
        await self.parking.look()

    async def parked(self, count: int) -> list[Job]:
        """Those that wait, once there are so many."""
        async with asyncio.timeout(20):
            while (
                len(found := await self.store.ls(Wanted(phase="parked"), 1000)) != count or self.parking.parked != count
            ):
                await asyncio.sleep(0.01)
        return found

    async def all_done(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.done) < count:
                await asyncio.sleep(0.01)


def jobs(*numbers: int, queue: str = "interactive") -> list[Submission]:
    return [
        Submission(
            id=f"job_{number:03}",
            queue=queue,
            kind="request",
            caller="ann",
            created=float(number),
            body=b"b",  # type: ignore[arg-type]
        )
        for number in numbers
    ]


async def test_new_jobs_wait_and_go_on_in_their_order() -> None:
    house = House(MemoryJobStore(), Turning())
    await house.look(FULL)
    await house.store.submit(jobs(*range(20)))
    async with house.working():
        await house.parked(20)
        assert house.done == [] and house.causes == ["mismatch"] * 20
        await house.look(IDLE)
        await house.all_done(20)
    assert house.done == [f"job_{number:03}" for number in range(20)]
    [submitted, parked, unparked, *rest] = await house.store.trace("job_000")
    assert [submitted.event, parked.event, unparked.event, rest[-1].event] == [
        "submitted",
        "parked",
        "unparked",
        "ended",
    ]
    assert parked.why is not None and unparked.why is not None
    assert parked.why[0] == ("the CPU is at 97% and the engines at 2%; it waits until that is over, for 60 s at most")
    assert parked.why[1] == "CPU 使用率 97%，而推理引擎只有 2%；等它过去，最多等 60 秒"
    assert unparked.why == ("the machine has room again", "机器又有余力了")


async def test_no_more_than_so_many_are_parked_and_the_others_stay_behind_them() -> None:
    house = House(MemoryJobStore(), Turning(), most=3)
    await house.look(FULL)
    await house.store.submit(jobs(*range(8)))
    async with house.working():
        found = await house.parked(3)
        assert sorted(job.id for job in found) == ["job_000", "job_001", "job_002"]
        assert (await house.store.counts())["interactive.waiting"] == 5 and house.parking.room == 0
        assert "3" in str(house.parking.problem)
        await house.look(IDLE)
        await house.all_done(8)
    assert house.done == [f"job_{number:03}" for number in range(8)] and house.parking.problem is None


async def test_what_was_begun_and_what_tells_receivers_goes_on() -> None:
    store = MemoryJobStore()
    house = House(store, Turning())
    await store.submit([*jobs(1), *jobs(2, queue="webhook")])
    [job] = await store.claim(("interactive",), "w0", 1, 60.0)
    passage = Passage(job, store, SystemClock(), "w0")
    await passage.begin("because")
    await passage.make(passage.change((("failed", None),), (step(passage.place, "failed"),)))
    await house.look(FULL)
    async with house.working():
        await house.all_done(2)
    assert house.causes == [] and sorted(house.done) == ["job_001", "job_002"]


async def test_pressure_that_does_not_end_is_no_lock() -> None:
    house = House(MemoryJobStore(), Turning())
    await house.look(FULL)
    await house.store.submit(jobs(1))
    async with house.working():
        await house.parked(1)
        await house.look(FULL, after=59.0)
        assert house.parking.parked == 1
        await house.look(FULL, after=1.0)
        await house.all_done(1)
        await house.store.submit(jobs(2))
        await house.all_done(2)
    [_, _, unparked, *_] = await house.store.trace("job_001")
    assert unparked.why is not None and unparked.why[0].startswith("the pressure lasts too long")


async def test_jobs_of_a_process_that_died_are_released_by_another() -> None:
    store, machine = MemoryJobStore(), Turning()
    dead, alive = House(store, machine), House(store, machine)
    await dead.look(FULL)
    await store.submit(jobs(1, 2))
    async with dead.working():
        await dead.parked(2)
    machine.now = SystemClock().wall() + 55.0  # they were parked by that clock
    async with alive.working():
        await alive.look(IDLE)
        assert len(await store.ls(Wanted(phase="parked"), 10)) == 2
        await alive.look(IDLE, after=32.0)
        await alive.all_done(2)
        assert (await store.trace("job_001"))[2].why == ("it has waited for as long as it may", "已等到允许的最长时间")
    assert alive.done == ["job_001", "job_002"]


async def test_one_that_waits_for_its_children_is_left_alone() -> None:
    store, machine = MemoryJobStore(), Turning()
    house = House(store, machine)
    await store.submit(jobs(1))
    [parent] = await store.claim(("interactive",), "w0", 1, 60.0)
    passage = Passage(parent, store, machine, "w0")
    await passage.begin("because")
    await passage.make(passage.change((("parked", None),), (step(passage.place, "parked"),), left=1))
    await house.look(IDLE, after=1000.0)
    assert (await store.get("job_001")).place.disposition == "parked"  # type: ignore[union-attr]


async def test_where_nobody_looks_nothing_waits() -> None:
    house = House(MemoryJobStore(), Turning())
    await house.look(FULL)
    assert house.parking.pressure.holds
    await house.look(None)
    assert not house.parking.pressure.holds and house.parking.room is None


async def test_a_worker_that_stops_leaves_nothing_parked() -> None:
    house = House(MemoryJobStore(), Turning())
    await house.look(FULL)
    await house.store.submit(jobs(1))
    async with house.working():
        await house.parked(1)
    await house.parking.close()
    assert (await house.store.counts()) == {"interactive.waiting": 1}
