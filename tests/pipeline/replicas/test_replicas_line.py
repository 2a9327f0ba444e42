"""Several gateways before the same nodes: one line in the store, and what happens where the store fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import pytest

import pointsman.pipeline.replicas.peers as peers
from pipeline.replicas.scripted import TARGET, House
from pointsman.balancing.outlier import Ejection
from pointsman.domain.attempt import Attempt
from pointsman.domain.node import NodeChoice
from pointsman.pipeline.replicas.peers import Peers
from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral.memory import MemoryEphemeral


class Breakable(MemoryEphemeral):
    """One that can be gone for a while, and where others come between two calls."""

    broken = False
    calls = 0

    async def get(self, key: str) -> bytes | None:
        await self._trip()
        value = await super().get(key)
        await self._trip()
        return value

    async def swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        await self._trip()
        done = await super().swap(key, expected, value, seconds)
        await self._trip()
        return done

    async def _trip(self) -> None:
        for _ in range(self.calls % 4):
            await asyncio.sleep(0)

    def _now(self) -> float:
        self.calls += 1
        if self.broken:
            raise StoreError("out of order")
        return super()._now()


class Gateway:
    """A pool and what it tells the others."""

    def __init__(self, shared: Breakable, slots: int | None = 2) -> None:
        self.peers = Peers(shared)
        around = lambda: self.peers.around(TARGET.name)  # noqa: E731
        self.house = House("a", "b", slots=slots, shared=shared, me=self.peers.me, around=around)
        self.pool = self.house.pool

    async def start(self) -> None:
        await self.pool.probe()
        self.peers.install({TARGET.name: self.pool})

    async def stop(self) -> None:
        await self.peers.close()
        await self.pool.close()

    def take(self) -> asyncio.Future[NodeChoice | None]:
        return asyncio.ensure_future(self.pool.take((), ()))


@pytest.fixture
def shared() -> Breakable:
    return Breakable()


@pytest.fixture
async def gateways(shared: Breakable, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Gateway]]:
    monkeypatch.setattr(peers, "EVERY", 0.02)
    async with AsyncExitStack() as stack:
        found = []
        for _ in range(3):
            gateway = Gateway(shared)
            await gateway.start()
            stack.push_async_callback(gateway.stop)
            found.append(gateway)
        await until(lambda: all(gateway.peers.gateways == 3 for gateway in found))
        yield found


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not there():
            await asyncio.sleep(0.005)


async def test_no_slot_is_given_twice_and_whoever_came_first_goes_first(gateways: list[Gateway]) -> None:
    order: list[int] = []
    taken: dict[str, int] = {}
    most = 0

    async def one(number: int) -> None:
        nonlocal most
        pool = gateways[number % 3].pool
        choice = await pool.take((), ())
        assert choice is not None
        order.append(number)
        taken[choice.node] = taken.get(choice.node, 0) + 1
        most = max(most, *taken.values())
        await asyncio.sleep(0.01)
        taken[choice.node] -= 1
        pool.give(choice.node)

    tasks = []
    for number in range(40):
        tasks.append(asyncio.create_task(one(number)))
        await asyncio.sleep(0.002)
    await asyncio.gather(*tasks)
    assert most == 2 and sorted(order) == list(range(40))
    late = sum(before > after for at, before in enumerate(order) for after in order[at + 1 :])
    assert late <= 40, order  # of 780 pairs: who stands in the line goes in its order, told a moment apart


async def test_a_rush_comes_to_its_end(gateways: list[Gateway]) -> None:
    """Many at once, through all gateways, some of whom give up: all others are served, no slot is given twice or lost."""
    taken: dict[str, int] = {}
    most = 0

    async def one(number: int) -> bool:
        nonlocal most
        pool = gateways[number % 3].pool
        choice = await pool.take((), ())
        assert choice is not None
        taken[choice.node] = taken.get(choice.node, 0) + 1
        most = max(most, *taken.values())
        try:
            for _ in range(number % 5):
                await asyncio.sleep(0)
            return True
        finally:
            taken[choice.node] -= 1
            pool.give(choice.node)

    for _ in range(6):
        tasks = [asyncio.create_task(one(number)) for number in range(90)]
        await asyncio.sleep(0.003)
        for task in tasks[::7]:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(each, asyncio.CancelledError) or each is True for each in ended)
        assert sum(each is True for each in ended) >= 90 - len(tasks[::7])
        await until(lambda: not any(gateway.pool.line.held for gateway in gateways))
    assert most <= 2


async def test_a_slot_that_another_gateway_frees(gateways: list[Gateway]) -> None:
    one, two, _ = gateways
    held = [await one.take() for _ in range(4)]
    waiting = two.take()
    await asyncio.sleep(0.05)
    assert not waiting.done()
    assert held[0] is not None
    one.pool.give(held[0].node)
    choice = await waiting
    assert choice is not None and choice.node == held[0].node
    await until(lambda: two.pool.line.held == {choice.node: 1})


async def test_a_slot_that_is_given_back_and_taken_at_once(gateways: list[Gateway]) -> None:
    one = gateways[0]
    held = [await one.take() for _ in range(4)]
    await asyncio.sleep(0.03)
    for choice in held:
        assert choice is not None
        one.pool.give(choice.node)
        async with asyncio.timeout(5):
            again = await one.pool.take((), ())
        assert again is not None and again.node == choice.node


async def test_a_gateway_that_is_gone_holds_nothing(gateways: list[Gateway], shared: Breakable) -> None:
    one, two, three = gateways
    for _ in range(4):
        await one.take()
    waiting = two.take()
    await asyncio.sleep(0.03)
    assert one.peers._task is not None
    one.peers._task.cancel()  # as if its process had been killed
    await shared.delete(f"peer/{one.peers.me}")
    assert await waiting is not None
    await until(lambda: two.peers.gateways == three.peers.gateways == 2)


async def test_a_lost_ledger_is_written_anew(gateways: list[Gateway], shared: Breakable) -> None:
    one, two, _ = gateways
    for _ in range(4):
        await one.take()
    await shared.delete("pool/m@nodes")
    await asyncio.sleep(0.1)
    waiting = two.take()
    await asyncio.sleep(0.05)
    assert not waiting.done(), "what one holds is known again"
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)


async def test_where_the_store_fails_each_goes_by_what_it_sees(
    gateways: list[Gateway], shared: Breakable, caplog: pytest.LogCaptureFixture
) -> None:
    one, two, _ = gateways
    for _ in range(4):
        await one.take()
    waiting = two.take()
    await asyncio.sleep(0.03)
    assert not waiting.done()
    shared.broken = True
    assert await waiting is not None, "the engine may have to let it wait, but nobody hangs"
    assert "cannot be used, each goes by what it sees: out of order" in caplog.text
    shared.broken = False
    await until(lambda: two.peers.around(TARGET.name).alive)
    two_more = two.take()
    await asyncio.sleep(0.03)
    assert not two_more.done()
    two_more.cancel()
    await asyncio.gather(two_more, return_exceptions=True)


async def test_one_that_gives_up_in_the_line(gateways: list[Gateway]) -> None:
    one, two, three = gateways
    held = [await one.take() for _ in range(4)]
    first, second = two.take(), two.take()
    await asyncio.sleep(0.03)
    first.cancel()
    assert held[0] is not None
    one.pool.give(held[0].node)
    assert await second is not None
    await asyncio.sleep(0.03)
    after = three.take()
    await asyncio.sleep(0.03)
    assert not after.done(), "all four are taken: three of the one, one of the other"
    assert held[1] is not None
    one.pool.give(held[1].node)
    assert await after is not None


async def test_what_one_ejects_the_others_leave_alone(gateways: list[Gateway], shared: Breakable) -> None:
    one, two, _ = gateways
    one.house.engines["a"].status = 500
    one.pool.told(Attempt(TARGET.name, 0.0, 1.0, 500, "http", node="a"))
    await until(lambda: two.pool.members["a"].health == "ejected")
    assert two.pool.members["a"].standing.trips == 1
    two.house.clock.now += Ejection().pause
    await two.house.look("a")
    assert two.pool.members["a"].health == "up", "it has tried it itself"
    await asyncio.sleep(0.1)
    assert two.pool.members["a"].health == "up", "what was told once is not heard twice"


async def test_without_slots_what_others_had_a_moment_ago_counts(
    shared: Breakable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "EVERY", 0.02)
    one, two = Gateway(shared, slots=None), Gateway(shared, slots=None)
    for gateway in (one, two):
        await gateway.start()
    await until(lambda: two.peers.gateways == one.peers.gateways == 2)
    for _ in range(10):
        one.pool.line._held["a"] = one.pool.line._held.get("a", 0) + 1
    await until(lambda: two.peers.around(TARGET.name).outside == {"a": 10})
    assert {(await two.take()).node for _ in range(4)} == {"b"}  # type: ignore[union-attr]
    for gateway in (one, two):
        await gateway.stop()


async def test_a_gateway_that_is_alone_asks_no_store(shared: Breakable) -> None:
    alone = Gateway(shared)
    await alone.start()
    await until(lambda: alone.peers._others == {} and shared.calls)
    before = shared.calls
    for _ in range(4):
        choice = await alone.take()
        assert choice is not None
        alone.pool.give(choice.node)
    assert shared.calls == before
    await alone.stop()
