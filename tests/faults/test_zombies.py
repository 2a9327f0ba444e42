"""A worker that stands still until another has its job may change nothing any more when it goes on."""

from __future__ import annotations

import signal

import pytest

from faults.ground import Ground, Process, until
from faults.plans import Plan, planned
from faults.strikes import Strike
from pointsman.domain.job import Job


async def _zombie(ground: Ground, call: str, when: str = "before", number: int = 1) -> Process:
    """It does one job at a time: else it might stop while it claims the next, and nobody gets on with the same SQLite file
    while one that writes to it stands still."""
    process = ground.start("zombie", strikes=(Strike(when, call, number, stop=True),), forever=True, concurrency=1)
    await until(lambda: process.stopped)
    return process


async def _job(ground: Ground, number: int = 0) -> Job:
    store = ground.opened()
    job = await store.get(planned(number, Plan()).id)
    await store.close()
    assert job is not None
    return job


def _refused(ground: Ground, call: str) -> bool:
    """Either it was told so, or it had come to know that the job is another's before the answer came."""
    return ["job_000000", call, "zombie"] in ground.noted("fenced") or [call, "zombie"] in ground.noted("called_off")


async def _goes_on(ground: Ground, zombie: Process) -> None:
    """Until it knows that the job is not its own: it works no more on it."""
    zombie.signal(signal.SIGCONT)
    assert await ground.submit(Plan(), first=1) == 0
    while (await _job(ground, 1)).place.state != "completed":  # it is a worker like others again
        await until(lambda: True)
    zombie.kill()


@pytest.mark.parametrize("call", ["admitted", "dispatched", "stepped", "effect", "link", "ended", "failed"])
async def test_after_another_did_the_job(ground: Ground, call: str) -> None:
    plan = Plan(fails=1) if call == "failed" else Plan()
    assert await ground.submit(plan) == 0
    zombie = await _zombie(ground, call)
    assert await ground.run("heir") == 0
    before = await _job(ground)
    await _goes_on(ground, zombie)
    assert await _job(ground) == before
    if call not in ("effect", "link"):  # those come to know it at the step that comes after
        assert _refused(ground, call)
    assert await ground.check() == {"ok": 2}


@pytest.mark.parametrize("call", ["stepped", "ended"])
async def test_while_another_has_it_and_has_done_nothing_yet(ground: Ground, call: str) -> None:
    """Only the token tells the two apart."""
    assert await ground.submit(Plan(steps=2, gate="gate")) == 0
    (ground.folder / "gate").touch()
    zombie = await _zombie(ground, call)
    (ground.folder / "gate").unlink()
    heir = ground.start("heir", forever=True)
    while (await _job(ground)).worker != "heir":
        await until(lambda: True)
    before = await _job(ground)
    zombie.signal(signal.SIGCONT)
    while not _refused(ground, call):
        assert (await _job(ground)).version == before.version
    after = await _job(ground)
    assert (after.version, after.token, after.worker) == (before.version, before.token, "heir")
    (ground.folder / "gate").touch()
    while (await _job(ground)).place.state != "completed":
        await until(lambda: True)
    heir.kill()
    assert await ground.check() == {"ok": 1}


async def test_its_effect_may_be_the_one_that_counts(ground: Ground) -> None:
    """It publishes while the other is not as far yet: there is one effect, and the other tells that one."""
    assert await ground.submit(Plan(gate="gate")) == 0
    (ground.folder / "gate").touch()
    zombie = await _zombie(ground, "link")
    (ground.folder / "gate").unlink()
    heir = ground.start("heir", forever=True)
    while (await _job(ground)).worker != "heir":
        await until(lambda: True)
    zombie.signal(signal.SIGCONT)
    await until(lambda: any((ground.folder / "files" / "effects").glob("job*")))
    (ground.folder / "gate").touch()
    while (await _job(ground)).place.state != "completed":
        await until(lambda: True)
    heir.kill()
    assert (await _job(ground)).result.startswith(b"zombie ")
    assert [False, "heir"] in [entry[1:] for entry in ground.noted("published")]
    assert await ground.check() == {"ok": 1}


async def test_one_that_nobody_replaced_goes_on(ground: Ground) -> None:
    """Its lease ran out, and nobody wanted the job."""
    assert await ground.submit(Plan()) == 0
    zombie = await _zombie(ground, "stepped")
    store = ground.opened()
    await store.wait(("interactive",), 60.0)  # for the end of the lease
    await store.close()
    zombie.signal(signal.SIGCONT)
    while (await _job(ground)).place.state != "completed":
        await until(lambda: True)
    zombie.kill()
    assert (await _job(ground)).token == 1
    assert await ground.check() == {"ok": 1}
