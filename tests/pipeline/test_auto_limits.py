"""Limits that are found out: what is seen of a target reaches the controller, and its limit the gate."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from pointsman.admission.ticket import Capacity, Ticket
from pointsman.domain.attempt import Attempt
from pointsman.domain.target import BackendState, ModelFacts, Snapshot
from pointsman.execution.attempts import Unwatched
from pointsman.pipeline import auto_limits
from pointsman.pipeline.auto_limits import AutoLimits
from pointsman.pipeline.gate import Gate, GateRules
from pointsman.ports.backend import BackendFailure, EngineLoad
from pointsman.ports.clock import SystemClock

NAME = "m@a"
Loads = list[EngineLoad | BackendFailure | None]


class Place:
    """A gate before one target, whose engine says what is in `loads`, the last of them again and again."""

    def __init__(self, *loads: EngineLoad | BackendFailure | None, slots: int | None = None) -> None:
        self.snapshot = Snapshot.of([BackendState(NAME, "up", ModelFacts(slots=slots))])
        self.gate = Gate(SystemClock(), lambda: self.snapshot)
        self.limits = AutoLimits(self.gate, lambda: self.snapshot, Unwatched())
        self.loads: Loads = [*loads]
        self.looks = 0
        self.limits.install({NAME: self.ask})
        self.gate.install(GateRules(self._capacities))

    def _capacities(self, snapshot: Snapshot) -> dict[str, Capacity]:
        return {NAME: Capacity(self.limits.sequences(NAME, snapshot.state(NAME).facts.slots))}

    async def ask(self) -> EngineLoad | None:
        self.looks += 1
        load = self.loads.pop(0) if len(self.loads) > 1 else self.loads[0]
        if isinstance(load, BackendFailure):
            raise load
        return load

    async def fill(self, count: int) -> list[asyncio.Task[str]]:
        """So many that come and stay; each that goes in is told of."""

        async def come(number: int) -> str:
            target = await self.gate.enter(Ticket(f"t{number}", "ann", (NAME,), 10))
            self.limits.sent(target)
            return target

        tasks = [asyncio.create_task(come(number)) for number in range(count)]
        await asyncio.sleep(0)
        return tasks

    @property
    def limit(self) -> tuple[int, str]:
        return self.limits.shown[NAME]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auto_limits, "PERIOD", 0.01)


async def ended(place: Place, tasks: list[asyncio.Task[str]], holds: Callable[[], bool]) -> None:
    try:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.005)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await place.limits.close()


async def test_it_grows_while_the_engine_takes_all_at_once() -> None:
    place = Place(EngineLoad(running=4, waiting=0))
    tasks = await place.fill(12)
    await ended(place, tasks, lambda: place.limit == (9, "all_taken") or place.limit[0] > 9)
    assert place.gate.inside(NAME)[0] >= 9, "who waited went in"


async def test_it_shrinks_where_requests_wait_inside() -> None:
    place = Place(EngineLoad(running=2, waiting=2))
    tasks = await place.fill(8)
    await ended(place, tasks, lambda: place.limit == (3, "engine_waiting"))


async def test_it_shrinks_where_the_engine_took_a_cache_away() -> None:
    place = Place(EngineLoad(running=4, waiting=0, preemptions=7), EngineLoad(running=4, waiting=0, preemptions=9))
    tasks = await place.fill(4)
    await ended(place, tasks, lambda: place.limit[1] == "preempted")


async def test_it_shrinks_where_a_reply_fails_of_memory() -> None:
    place = Place(EngineLoad(waiting=0))
    tasks = await place.fill(4)
    place.limits.told(Attempt(NAME, 0.0, 5.0, 500, "http", "CUDA out of memory"))
    await ended(place, tasks, lambda: place.limit[1] == "out_of_memory")


@pytest.mark.parametrize("load", [None, BackendFailure("connect", "gone")])
async def test_without_word_of_the_engine_its_first_bytes_tell(load: EngineLoad | BackendFailure | None) -> None:
    place = Place(load)
    tasks = await place.fill(4)
    place.limits.told(Attempt(NAME, 0.0, 50.0, 200))

    def late() -> bool:
        if place.looks > 1:
            place.limits.told(Attempt(NAME, 0.0, 900.0, 200))
        return place.limit[1] == "slow_start"

    await ended(place, tasks, late)


async def test_it_stays_within_the_slots_that_the_engine_tells() -> None:
    place = Place(EngineLoad(running=2, waiting=0), slots=2)
    tasks = await place.fill(6)
    await ended(place, tasks, lambda: place.looks > 5)
    assert place.limit[0] == 2


async def test_what_is_not_asked_about_has_no_limit_of_its_kind() -> None:
    place = Place(None)
    assert place.limits.sequences("other@b", 4) is None
    place.limits.install({})
    assert place.limits.sequences(NAME, 4) is None and place.limits.shown == {}
    ask: Callable[[], Awaitable[EngineLoad | None]] = place.ask
    place.limits.install({NAME: ask})
    assert place.limits.sequences(NAME, 4) == 4
