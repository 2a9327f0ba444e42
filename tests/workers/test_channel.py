from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import pytest

from pointsman.app.workers.channel import Channel, ChannelError
from pointsman.app.workers.messages import Counted, Done, GiveBack, Message, Stop, Sum
from pointsman.telemetry.counts import Counts


class End:
    """One end, and what came there."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        self.lost = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.channel = Channel(self.heard.append, self.answer, self.lost.set)

    def answer(self, message: Message) -> Message | Awaitable[Message]:
        self.heard.append(message)
        match message:
            case Stop():
                return self.later()
            case Sum():
                return Counted(message.counts)
            case _:
                raise ValueError("what is that")

    async def later(self) -> Message:
        await self.may_answer.wait()
        return Done()


@asynccontextmanager
async def pair() -> AsyncIterator[tuple[End, End]]:
    ends = End(), End()
    for end, half in zip(ends, socket.socketpair(), strict=True):
        await end.channel.connect(half)
    yield ends
    for end in ends:
        end.channel.close()
        await end.lost.wait()


async def test_all_arrives_in_order_and_each_answer_is_its_own() -> None:
    async with pair() as (near, far):
        waiting = asyncio.create_task(near.channel.ask(Stop(1.0, 0.0, 0.0)))
        await asyncio.sleep(0)
        near.channel.tell(GiveBack(7))
        counts = Counts(1.0, {}, {}, {"target_up": {("m@b",): 1}, "log_records_dropped": {(): 3}})
        assert await near.channel.ask(Sum(counts)) == Counted(counts)
        assert far.heard == [Stop(1.0, 0.0, 0.0), GiveBack(7), Sum(counts)]
        assert not waiting.done()
        far.may_answer.set()
        assert await waiting == Done()


async def test_large_messages_pass_whole() -> None:
    async with pair() as (_, far):
        counts = Counts(1.0, {}, {}, {"target_up": {(f"{n}" * 100,): n for n in range(20_000)}})
        assert await far.channel.ask(Sum(counts)) == Counted(counts)


async def test_what_cannot_be_answered_raises_at_the_one_who_asked() -> None:
    async with pair() as (near, _):
        with pytest.raises(ChannelError, match="ValueError"):
            await near.channel.ask(Done())
        counts = Counts.begun()
        assert await near.channel.ask(Sum(counts)) == Counted(counts)


async def test_who_waits_when_the_other_side_ends_is_told() -> None:
    async with pair() as (near, far):
        waiting = asyncio.create_task(near.channel.ask(Stop(1.0, 0.0, 0.0)))
        await asyncio.sleep(0.01)
        far.channel.close()
        with pytest.raises(ChannelError):
            await waiting
        await near.lost.wait()
        with pytest.raises(ChannelError):
            await near.channel.ask(Stop(1.0, 0.0, 0.0))
        near.channel.tell(Done())  # into the void
        far.may_answer.set()


async def test_finish_answers_first_and_says_nothing_of_the_end() -> None:
    near, far = End(), End()
    for end, half in zip((near, far), socket.socketpair(), strict=True):
        await end.channel.connect(half)
    waiting = asyncio.create_task(near.channel.ask(Stop(1.0, 0.0, 0.0)))
    await asyncio.sleep(0.01)
    far.may_answer.set()
    await far.channel.finish()
    assert await waiting == Done()
    await near.lost.wait()
    assert not far.lost.is_set()
