"""Breakers of several gateways on one store: what one sees the others know, and one at a time tries a target again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest

from pointsman.domain.attempt import Attempt
from pointsman.pipeline import shared_breakers
from pointsman.pipeline.breakers import Breakers
from pointsman.pipeline.shared_breakers import SharedBreakers
from pointsman.ports.clock import SystemClock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError
from pointsman.routing.breaker import BreakerRules
from pointsman.store.ephemeral.memory import MemoryEphemeral

NAME = "m@a"
BAD = Attempt(NAME, 0.0, 1.0, 500, "http", "CUDA out of memory")
GOOD = Attempt(NAME, 0.0, 1.0, 200)
RULES = BreakerRules(least=3, pause=0.1)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_breakers, "EVERY", 0.02)
    monkeypatch.setattr(shared_breakers, "PATIENCE", 0.1)


@contextlib.asynccontextmanager
async def gateways(store: Ephemeral, count: int) -> AsyncIterator[list[Breakers]]:
    """That many, each probing its target well all the time."""
    made, shared = [], []
    for _ in range(count):
        breakers = Breakers(SystemClock(), RULES)
        breakers.keep([NAME])
        breakers.shared = one = SharedBreakers(breakers, store, SystemClock())
        one.start()
        made.append(breakers)
        shared.append(one)

    async def probe() -> None:
        while True:
            for breakers in made:
                breakers.probed(NAME, True)
            await asyncio.sleep(0.01)

    probing = asyncio.create_task(probe())
    await asyncio.sleep(0.05)
    try:
        yield made
    finally:
        probing.cancel()
        for one in shared:
            await one.close()


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.005)


def states(made: list[Breakers]) -> list[str]:
    return sorted(breakers.shown(NAME)[0] for breakers in made)


def fail(breakers: Breakers) -> None:
    for _ in range(3):
        breakers.told(BAD)


async def test_one_trips_and_all_are_open_and_one_alone_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_breakers, "PATIENCE", 60.0)
    async with gateways(MemoryEphemeral(), 3) as made:
        fail(made[0])
        await until(lambda: "closed" not in states(made))
        assert {breakers.of(NAME).cause for breakers in made} == {"out_of_memory"}
        await until(lambda: "half_open" in states(made))
        for _ in range(20):
            assert states(made) == ["half_open", "open", "open"]
            await asyncio.sleep(0.01)
        (trying,) = [breakers for breakers in made if breakers.shown(NAME)[0] == "half_open"]
        trying.sent(NAME)
        await asyncio.sleep(0.2)
        assert states(made) == ["open", "open", "trying"]
        trying.told(GOOD)
        await until(lambda: states(made) == ["closed"] * 3)


async def test_a_try_that_fails_keeps_all_of_them_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_breakers, "PATIENCE", 60.0)
    async with gateways(MemoryEphemeral(), 2) as made:
        fail(made[0])
        await until(lambda: "half_open" in states(made))
        (trying,) = [breakers for breakers in made if breakers.shown(NAME)[0] == "half_open"]
        trying.sent(NAME)
        trying.told(BAD)
        assert trying.of(NAME).trips == 2
        (other,) = [breakers for breakers in made if breakers is not trying]
        await until(lambda: other.of(NAME).trips == 2)


async def test_who_has_no_request_to_try_it_with_lets_others() -> None:
    async with gateways(MemoryEphemeral(), 2) as made:
        fail(made[0])
        seen: set[int] = set()
        async with asyncio.timeout(20):
            while len(seen) < 2:
                seen |= {number for number, each in enumerate(made) if each.shown(NAME)[0] == "half_open"}
                await asyncio.sleep(0.005)


async def test_one_that_is_alone_stays_ready_to_try() -> None:
    async with gateways(MemoryEphemeral(), 1) as made:
        fail(made[0])
        await until(lambda: states(made) == ["half_open"])
        for _ in range(30):
            await asyncio.sleep(0.01)
            assert states(made) == ["half_open"]


async def test_one_that_starts_knows_what_is_open() -> None:
    store = MemoryEphemeral()
    rules = BreakerRules(least=3, pause=60.0)
    async with gateways(store, 1) as old:
        old[0].rules = rules
        fail(old[0])
        await until(lambda: states(old) == ["open"])
        await asyncio.sleep(0.05)
        async with gateways(store, 1) as new:
            await until(lambda: states(new) == ["open"])


class Broken(MemoryEphemeral):
    """A store that is gone."""

    async def swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        raise StoreError("gone")

    put = scan = get = swap  # type: ignore[assignment]


async def test_without_the_store_each_goes_by_itself() -> None:
    async with gateways(Broken(), 2) as made:
        fail(made[0])
        await until(lambda: states(made) == ["closed", "half_open"])
        made[0].sent(NAME)
        made[0].told(GOOD)
        assert states(made) == ["closed", "closed"]


async def test_a_target_that_is_not_ours_is_not_adopted() -> None:
    breakers = Breakers(SystemClock())
    breakers.adopt("other@b", "open", 1, "connect")
    assert breakers.shown("other@b") == ("closed", None)
