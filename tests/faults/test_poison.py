"""Jobs that cannot be done: given up after so many failures, or after so many workers that died over them, and no other job
with them."""

from __future__ import annotations

import signal

from faults.ground import Ground, until
from faults.plans import FAILURES, Plan, ended, planned
from pointsman.domain.job import Job
from store.jobs.makes import sound

KILLS, FAILS = Plan(kills=99), Plan(fails=99)
_LOST = 4


async def _worked(ground: Ground, most: int, **role: object) -> int:
    """Workers one after another, until one of them outlives all work. How many died."""
    for died in range(most + 1):
        if await ground.run(f"w{died}", **role) == 0:
            return died
    raise AssertionError("they never stop dying")


async def _job(ground: Ground, number: int) -> tuple[Job, list[str]]:
    store = ground.opened()
    try:
        job = await store.get(planned(number, Plan()).id)
        assert job is not None
        return job, await sound(store, job.id)
    finally:
        await store.close()


async def test_what_always_fails_is_dead_after_so_many_failures(ground: Ground) -> None:
    assert await ground.submit(FAILS, Plan(), Plan(fails=FAILURES - 1)) == 0
    assert await ground.run() == 0
    assert await ground.check() == {"internal": 1, "ok": 2}
    job, events = await _job(ground, 0)
    assert (job.failures, job.lost, job.error) == (FAILURES, 0, "internal")
    assert events.count("failed") == FAILURES - 1
    assert events[-1] == "died"


async def test_what_kills_its_workers_is_dead_after_so_many_of_them(ground: Ground) -> None:
    assert await ground.submit(KILLS, Plan(kills=_LOST - 1)) == 0
    await _worked(ground, 2 * _LOST, lost=_LOST)
    assert await ground.check() == {"worker_lost": 1, "ok": 1}
    job, events = await _job(ground, 0)
    assert (job.failures, job.error) == (0, "worker_lost")
    assert job.lost >= _LOST  # the other may have killed the worker that was about to give it up
    assert set(events) <= {"submitted", "failed", "died"}  # postponed, at most: that it was begun nobody could tell
    job, _ = await _job(ground, 1)
    assert (job.failures, job.lost, ended(job)) == (0, _LOST - 1, "ok")


async def test_it_takes_no_others_along(ground: Ground) -> None:
    """They are under way in the same process when it kills that one, and as many deaths would be their end, too."""
    slow = Plan(steps=2, pause=0.15)
    assert await ground.submit(slow, slow, Plan(kills=_LOST, hurts=0.05), slow, slow, slow) == 0
    assert await _worked(ground, _LOST, lost=_LOST, concurrency=6) == _LOST
    store = ground.opened()
    jobs = [await store.get(planned(number, Plan()).id) for number in range(6)]
    await store.close()
    assert [ended(job) for job in jobs if job] == ["ok", "ok", "worker_lost", "ok", "ok", "ok"]


async def test_others_are_done_meanwhile(ground: Ground) -> None:
    assert await ground.submit(*[KILLS] * 3, *[FAILS] * 3) == 0
    workers = [ground.start("w", forever=True)]
    store = ground.opened()
    assert await ground.submit(*[Plan()] * 10, first=10) == 0

    async def done() -> bool:
        jobs = [await store.get(planned(number, Plan()).id) for number in range(10, 20)]
        return all(job is not None and ended(job) == "ok" for job in jobs)

    while not await done():
        if not workers[-1].alive:
            workers.append(ground.start(f"w{len(workers)}", forever=True))
        await until(lambda: True)
    await store.close()
    workers[-1].signal(signal.SIGKILL)
