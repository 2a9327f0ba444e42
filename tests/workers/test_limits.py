from __future__ import annotations

import asyncio

import pytest

from pointsman.app.workers.limits import Limits


async def asked(limits: Limits, holder: str, ticket: int) -> asyncio.Task[None]:
    task = asyncio.create_task(limits.take(holder, "a", ticket))
    await asyncio.sleep(0)
    return task


async def test_places_go_to_whoever_waits_longest() -> None:
    limits = Limits({"a": 2, "b": 1})
    first, second = await asked(limits, "x", 1), await asked(limits, "y", 1)
    assert first.done() and second.done()
    third, fourth = await asked(limits, "x", 2), await asked(limits, "y", 2)
    assert not third.done() and not fourth.done()
    await limits.take("x", "b", 3)  # another limit is none of theirs
    limits.give_back("y", 1)
    await asyncio.sleep(0)
    assert third.done() and not fourth.done()
    limits.give_back("y", 1)  # given back already
    await asyncio.sleep(0)
    assert not fourth.done()
    limits.give_back("x", 2)
    await fourth


async def test_who_gives_up_waiting_gets_none_and_holds_up_nobody() -> None:
    limits = Limits({"a": 1})
    await limits.take("x", "a", 1)
    second, third = await asked(limits, "x", 2), await asked(limits, "y", 1)
    limits.give_back("x", 2)
    with pytest.raises(asyncio.CancelledError):
        await second
    limits.give_back("x", 1)
    await third


async def test_what_a_holder_that_is_gone_held_and_wanted_is_free() -> None:
    limits = Limits({"a": 2})
    await limits.take("x", "a", 1)
    await limits.take("x", "a", 2)
    wanted, other, more = await asked(limits, "x", 3), await asked(limits, "y", 1), await asked(limits, "y", 2)
    limits.leave("x")
    await other
    await more
    assert wanted.cancelled()
    assert not (await asked(limits, "y", 3)).done()


async def test_an_unknown_limit_is_refused() -> None:
    with pytest.raises(KeyError):
        await Limits({"a": 1}).take("x", "b", 1)
