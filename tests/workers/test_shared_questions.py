from __future__ import annotations

import asyncio

from pointsman.app.workers.channel import Channel
from pointsman.app.workers.messages import Change, Done, Message
from pointsman.app.workers.shared_questions import SharedQuestions
from pointsman.domain.request import Request, Turn
from pointsman.pipeline.open_questions import OpenQuestion

ASKED = Request("r1", "chat", "auto", (Turn("user", "export sales"),), now=1000.0, session="s", caller="c")
KEY = ("c", "s")


class Told(Channel):
    """A hub that answers when the test lets it."""

    def __init__(self) -> None:
        self.changes: list[Message] = []
        self.all_know = asyncio.Event()

    async def ask(self, message: Message) -> Message:
        self.changes.append(message)
        await self.all_know.wait()
        return Done()


async def test_what_changes_here_is_told_and_settled_when_all_know() -> None:
    channel = Told()
    questions = SharedQuestions(channel)
    await questions.settled()
    questions.remember(ASKED, "Which month?")
    assert questions.settling
    waiting = asyncio.create_task(questions.settled())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    channel.all_know.set()
    await waiting
    kept = OpenQuestion(1900.0, (*ASKED.turns, Turn("assistant", "Which month?")))
    assert channel.changes == [Change(KEY, kept)] and not questions.settling
    assert len(questions.recall(ASKED).turns) == 3
    await questions.settled()
    assert channel.changes[1:] == [Change(KEY, None)]
    questions.recall(ASKED)
    assert not questions.settling, "there was nothing to tell"


async def test_others_changes_are_taken_in_and_not_told_again() -> None:
    channel = Told()
    questions = SharedQuestions(channel)
    questions.take_in(Change(KEY, OpenQuestion(1900.0, (Turn("assistant", "Which month?"),))))
    assert [key for key, _ in questions] == [KEY]
    questions.take_in(Change(KEY, None))
    assert list(questions) == [] and channel.changes == []


async def test_of_two_changes_to_one_session_the_later_one_counts_everywhere() -> None:
    """This worker's own change is on its way to the hub: what the hub passes on before it has that is the earlier one."""
    channel = Told()
    questions = SharedQuestions(channel)
    questions.remember(ASKED, "Which month?")
    questions.take_in(Change(KEY, None))
    assert [key for key, _ in questions] == [KEY]
    channel.all_know.set()
    await questions.settled()
    questions.take_in(Change(KEY, None))
    assert list(questions) == []
