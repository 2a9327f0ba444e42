"""Whose turn it is: cores, in the order of coming and of cost."""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest

from pointsman.actions.child import Cores
from pointsman.actions.child.cores import action_cores, machine_cores
from pointsman.domain.action import ALL


class Queue:
    """Work that ends when it is told to, and who began."""

    def __init__(self, total: int) -> None:
        self.cores = Cores(total)
        self.began: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def ask(self, name: str, cores: int = 1, seconds: float = 1.0) -> None:
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._work(name, cores, seconds))
        await asyncio.sleep(0)

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.tasks[name]
        await asyncio.sleep(0)

    async def call_off(self, name: str) -> None:
        self.tasks[name].cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.tasks[name]
        await asyncio.sleep(0)

    async def _work(self, name: str, cores: int, seconds: float) -> None:
        async with self.cores.taken(cores, seconds):
            self.began.append(name)
            await self.ends[name].wait()


async def test_no_more_cores_than_there_are() -> None:
    queue = Queue(3)
    await queue.ask("two", 2)
    await queue.ask("one")
    await queue.ask("another")
    assert queue.began == ["two", "one"] and queue.cores.free == 0
    await queue.end("two")
    assert queue.began == ["two", "one", "another"]
    await queue.end("one")
    await queue.end("another")
    assert queue.cores.free == 3


@pytest.mark.parametrize("cores", [ALL, 64])
async def test_all_that_there_are(cores: int) -> None:
    queue = Queue(3)
    await queue.ask("small")
    await queue.ask("all", cores)
    await queue.ask("dear", 1, 1000.0)
    assert queue.began == ["small"], "what needs many is not passed by all that needs few"
    await queue.end("small")
    assert queue.began == ["small", "all"] and queue.cores.free == 0
    await queue.end("all")
    assert queue.began == ["small", "all", "dear"]
    await queue.end("dear")


async def test_what_is_cheap_goes_first_but_passes_only_what_costs_more() -> None:
    queue = Queue(1)
    await queue.ask("first")
    await queue.ask("film", 1, 1000.0)
    await queue.ask("sum", 1, 0.1)
    await queue.ask("another sum", 1, 0.1)
    await queue.ask("longer film", 1, 2000.0)
    for name in ("first", "sum", "another sum", "film"):
        await queue.end(name)
    assert queue.began == ["first", "sum", "another sum", "film", "longer film"]
    await queue.end("longer film")


async def test_who_gives_up_holds_nothing() -> None:
    queue = Queue(1)
    for name in ("first", "second", "third"):
        await queue.ask(name)
    await queue.call_off("second")
    await queue.call_off("first")
    assert queue.began == ["first", "third"]
    await queue.call_off("third")
    assert queue.cores.free == 1


async def test_called_off_in_the_moment_of_its_turn() -> None:
    queue = Queue(1)
    await queue.ask("first")
    await queue.ask("second")
    await queue.ask("third")
    queue.ends["first"].set()
    await asyncio.sleep(0)
    queue.tasks["second"].cancel()
    for _ in range(5):
        await asyncio.sleep(0)
    assert queue.began[-1] == "third" and queue.tasks["second"].done()
    await queue.end("third")
    assert queue.cores.free == 1


async def test_whatever_happens_all_cores_come_back() -> None:
    source = random.Random(8)
    cores = Cores(4)
    held = 0

    async def work() -> None:
        nonlocal held
        wanted = source.randint(0, 6)
        async with cores.taken(wanted, source.random() * 50):
            took = 4 if wanted in (ALL, 5, 6) else wanted
            held += took
            try:
                assert held <= 4
                for _ in range(source.randint(0, 3)):
                    await asyncio.sleep(0)
            finally:
                held -= took

    for _ in range(200):
        tasks = [asyncio.create_task(work()) for _ in range(12)]
        for _ in range(source.randint(0, 6)):
            await asyncio.sleep(0)
        for task in source.sample(tasks, 4):
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert not [one for one in results if isinstance(one, AssertionError)]
        assert cores.free == 4 and held == 0


def test_cores_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= action_cores() <= machine_cores()
    monkeypatch.setattr("pointsman.actions.child.cores.machine_cores", lambda: 16)
    assert (action_cores(), action_cores(4), action_cores(40)) == (15, 3, 1)
