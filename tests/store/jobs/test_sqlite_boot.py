"""Leases and delays go by the machine's own clock, and have run out when it was started again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pointsman.store.jobs.boot import boot_id
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.makes import change, claimed, ids, one, submission, submitted


class Machine:
    """`now` is seconds since it was started, for the `starts`th time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.now = 1000.0
        self.starts = 1

    def open(self) -> SqliteJobStore:
        return SqliteJobStore(self._path, clock=lambda: self.now, boot=f"boot-{self.starts}")

    def start_again(self) -> None:
        self.now = 3.0
        self.starts += 1


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "jobs.sqlite")


async def test_leases_go_by_the_clock_that_is_given(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, submission())
    job = await one(store, lease=30.0)
    machine.now += 29.9
    assert await claimed(store) == []
    assert await store.renew([job.held], 30.0) == ["held"]
    machine.now += 29.9
    assert await claimed(store) == []
    machine.now += 0.2
    assert (await one(store)).lost == 1
    await store.close()


async def test_delays_do(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, submission(1), submission(2))
    job = (await claimed(store))[0]
    await store.advance(job.held, change(job, "failed", delay=10.0))
    assert ids(await claimed(store, 5, 1.0)) == ["job_000002"]
    machine.now += 9.9
    assert ids(await claimed(store, 5, 1.0)) == ["job_000002"]
    machine.now += 2.0
    assert ids(await claimed(store, 5, 1.0)) == ["job_000002", "job_000001"]
    await store.close()


async def test_of_those_whose_delay_ran_out_the_oldest_comes_first(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, *(submission(number) for number in (1, 2, 3)))
    for job, delay in zip(await claimed(store, 3), (3.0, 2.0, 1.0), strict=True):
        await store.advance(job.held, change(job, "failed", delay=delay))
    await submitted(store, submission(4))
    machine.now += 3.0
    assert ids(await claimed(store, 4)) == [f"job_{number:06}" for number in (1, 2, 3, 4)]
    await store.close()


async def test_they_outlast_the_process(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, submission(1), submission(2))
    first, second = await claimed(store, 2, 30.0)
    await store.advance(second.held, change(second, "failed", delay=30.0))
    await store.put("value", b"v", 30.0)
    await store.close()
    store = machine.open()
    assert await claimed(store) == []
    assert await store.renew([first.held], 40.0) == ["held"]
    assert await store.read("value") == b"v"
    machine.now += 31.0
    assert ids(await claimed(store, 2)) == [second.id]
    assert await store.read("value") is None
    await store.close()


async def test_none_outlasts_the_machine(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, *(submission(number) for number in (1, 2, 3)))
    first, second = await claimed(store, 2, 1e9)
    await store.advance(second.held, change(second, "failed", delay=1e9))
    await store.put("value", b"v", 1e9)
    await store.close()
    machine.start_again()
    store = machine.open()
    assert await store.read("value") is None
    jobs = await claimed(store, 3)
    assert [(job.id, job.lost) for job in jobs] == [(first.id, 1), (second.id, 0), ("job_000003", 0)]
    await store.close()


async def test_what_is_parked_or_over_stays_so(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, submission(1), submission(2), submission(3))
    for job, event in zip(await claimed(store, 3), ("parked", "ended:ok", "died"), strict=True):
        await store.advance(job.held, change(job, event, left=1))
    await store.close()
    machine.start_again()
    store = machine.open()
    assert await claimed(store) == []
    assert await store.counts() == {"interactive.parked": 1, "interactive.dead": 1}
    await store.close()


async def test_a_claim_after_the_start_is_as_any_other(machine: Machine) -> None:
    store = machine.open()
    await submitted(store, submission())
    await one(store)
    await store.close()
    machine.start_again()
    store = machine.open()
    job = await one(store, lease=30.0)
    await store.close()
    store = machine.open()
    assert await claimed(store) == []
    assert await store.renew([job.held], 30.0) == ["held"]
    await store.close()


def test_a_start_has_one_name() -> None:
    assert boot_id() == boot_id()
    if sys.platform == "linux":
        assert boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_also_where_the_system_has_none_for_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("pointsman.store.jobs.boot._LINUX", tmp_path / "none")
    monkeypatch.setattr("psutil.boot_time", lambda: 1_700_000_000.4)
    monkeypatch.setattr("sys.platform", "other")
    assert boot_id() == "28333333"
