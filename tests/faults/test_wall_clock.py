"""The wall clock is stepped ten minutes to and fro: leases, delays and the order of work do not follow it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from faults.ground import Ground, until
from faults.plans import Plan
from faults.program import STEP
from faults.strikes import Strike
from pointsman.domain.job import Job
from pointsman.ports.job_store import JobStore
from store.jobs.makes import LONG, QUEUES, change, submission, submitted
from store.jobs.servers import Valkey, program, valkey

_LIBRARY = "lib*/*/faketime/libfaketime.so.1"
_PLANS = [Plan(steps=3, pause=0.05), Plan(fails=2), Plan(kills=1), Plan(children=2), Plan(again=True)] * 2
_STEPS = (STEP, -STEP, STEP, -STEP, 0.0)


async def _worked(ground: Ground, *, first: int = 0) -> None:
    assert await ground.submit(*_PLANS, first=first) == 0
    for number in range(20):
        workers = [ground.start(f"w{number}.{each}", wall="jumping") for each in range(2)]
        if 0 in [await worker.over() for worker in workers]:
            break


async def _held(store: JobStore) -> Job:
    await submitted(store, submission())
    (job,) = await store.claim(QUEUES, "w", 1, LONG)
    return job


async def _stays_held(store: JobStore, others: Callable[[], JobStore], step: Callable[[float], None]) -> None:
    held = await _held(store)
    for ahead in _STEPS:
        step(ahead)
        other = others()
        assert await other.claim(QUEUES, "other", 10, LONG) == []
        await other.close()
        assert await store.renew([held.held], LONG) == ["held"]
    after = await store.advance(held.held, change(held, "admitted", "ended:ok"))
    assert after.token == held.token


async def test_workers_whose_clocks_jump(ground: Ground) -> None:
    await _worked(ground)
    assert await ground.check() == {"ok": 14}


async def test_a_lease_is_as_long_as_ever(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    wall = time.time
    store = ground.opened()
    await _stays_held(store, ground.opened, lambda ahead: monkeypatch.setattr(time, "time", lambda: wall() + ahead))
    await store.close()


async def test_a_dead_workers_job_is_taken_up_all_the_same(ground: Ground) -> None:
    assert await ground.submit(Plan()) == 0
    assert await ground.run("first", wall="jumping", strikes=(Strike("after", "stepped"),)) < 0
    assert await ground.run("second", wall="jumping") == 0
    assert await ground.check() == {"ok": 1}


class Stepped:
    """A server whose wall clock this test sets; its monotonic one is true."""

    def __init__(self, folder: Path, library: Path) -> None:
        self._clock = folder / "clock"
        self.step(0.0)
        self.binary = folder / "valkey-server"
        self.binary.write_text(
            f"#!/bin/sh\nexport LD_PRELOAD={library} FAKETIME_TIMESTAMP_FILE={self._clock} FAKETIME_NO_CACHE=1 "
            f'FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1\nexec {program()} "$@"\n'
        )
        self.binary.chmod(0o700)

    def step(self, seconds: float) -> None:
        new = self._clock.with_suffix(".new")
        new.write_text(f"{seconds:+.0f}s\n")
        new.replace(self._clock)


@pytest.fixture
async def stepped(tmp_path: Path) -> AsyncIterator[tuple[Stepped, Ground]]:
    library = next(Path("/usr").glob(_LIBRARY), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    clock = Stepped(tmp_path, library)
    with valkey(tmp_path / "server", binary=str(clock.binary)) as server:
        assert isinstance(server, Valkey)
        before = _seconds(server)
        clock.step(STEP)
        await until(lambda: _seconds(server) > before + STEP / 2)  # the library is at work
        ground = Ground(tmp_path / "ground", f"{server.url}/0")
        yield clock, ground
        ground.end()


def _seconds(server: Valkey) -> int:
    with server.client() as client:
        return int(client.time()[0])


async def test_a_lease_does_not_follow_the_servers_clock(stepped: tuple[Stepped, Ground]) -> None:
    clock, ground = stepped
    store = ground.opened()
    await _stays_held(store, ground.opened, clock.step)
    await store.close()


async def test_work_goes_on_while_the_servers_clock_jumps(stepped: tuple[Stepped, Ground]) -> None:
    clock, ground = stepped
    assert await ground.submit(*_PLANS) == 0
    workers: Iterator[int] = iter(range(20))
    for number, ahead in zip(workers, _STEPS * 4, strict=True):
        worker = ground.start(f"w{number}", wall="jumping")
        clock.step(ahead)
        if await worker.over() == 0:
            break
    assert await ground.check() == {"ok": 14}
