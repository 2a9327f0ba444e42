"""Which target served a session last: known here, told to others, never waited for in vain."""

from __future__ import annotations

import asyncio
from typing import Any

from pointsman.domain.request import Request, Turn
from pointsman.pipeline.sessions import LIFE, PATIENCE, Sessions, goes_on, session_of
from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral.memory import MemoryEphemeral


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self.now


def asked(*texts: str, **about: Any) -> Request:
    turns = [Turn("assistant" if number % 2 else "user", text) for number, text in enumerate(texts)]
    return Request("r", "chat", "auto", (Turn("system", "Be kind."), *turns), **about)


class Broken:
    """A store that answers nothing: late, or not at all."""

    def __init__(self, late: bool) -> None:
        self.late = late
        self.asked = 0

    async def get(self, key: str) -> bytes | None:
        self.asked += 1
        if self.late:
            await asyncio.sleep(3600)
        raise StoreError("gone")

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        await self.get(key)


def test_a_session_is_what_the_client_names_or_how_the_conversation_began() -> None:
    first, later = asked("hello"), asked("hello", "hi", "and now?")
    assert session_of(first) == session_of(later)
    assert session_of(asked("hello there")) != session_of(first)
    assert session_of(asked("hello", user="u")) != session_of(first)
    assert session_of(asked("hello", caller="k")) != session_of(first)
    assert session_of(asked("hello", session="s")) == session_of(asked("what else", session="s"))
    assert session_of(asked("hello", session="s", caller="k")) != session_of(asked("hello", session="s"))
    assert session_of(asked("half \ud800")) != session_of(first)


def test_nobody_is_asked_about_a_first_turn_without_a_name() -> None:
    assert not goes_on(asked("hello"))
    assert goes_on(asked("hello", session="s"))
    assert goes_on(asked("hello", "hi", "and now?"))


async def test_is_remembered_for_a_while() -> None:
    clock = Clock()
    sessions = Sessions(clock)
    assert sessions.last("one") is None
    sessions.served("one", "m@x")
    assert (sessions.last("one"), await sessions.recall("one")) == ("m@x", "m@x")
    sessions.served("one", "m@y")
    clock.now += LIFE - 1
    assert sessions.last("one") == "m@y"
    clock.now += 2
    assert sessions.last("one") is None


async def test_others_hear_of_it() -> None:
    store = MemoryEphemeral()
    one, two = Sessions(Clock(), store), Sessions(Clock(), store)
    one.served("a", "m@x")
    one.served("b", "m@y")
    for _ in range(50):
        await asyncio.sleep(0)
    assert two.last("a") is None, "it does not ask unless it is told to"
    assert (await two.recall("a"), await two.recall("b"), await two.recall("c")) == ("m@x", "m@y", None)
    assert two.last("a") == "m@x"
    await one.close()
    await two.close()


async def test_a_store_that_does_not_answer_costs_little() -> None:
    clock = Clock()
    for late in (True, False):
        store = Broken(late)
        sessions = Sessions(clock, store)  # type: ignore[arg-type]
        async with asyncio.timeout(100 * PATIENCE):
            assert await sessions.recall("a") is None
        sessions.served("b", "m@x")
        await asyncio.sleep(0)
        assert sessions.last("b") == "m@x"
        await sessions.close()
        assert store.asked >= 2
