"""What callers do with replies without a word."""

from __future__ import annotations

from typing import Any

from pipeline.policies import ask
from pointsman.domain.attempt import Outcome
from pointsman.domain.feedback import Served, Signs
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Turn
from pointsman.pipeline.signs import ReplyWatch

DAY = 86_400.0
NOON = 20_000 * DAY + 43_200
SMALL = Served("small", "math")


def reply(
    text: str,
    at: float,
    outcome: Outcome = "ok",
    *,
    ttft: float | None = 100.0,
    earlier: tuple[str, ...] = (),
    **more: Any,
) -> Record:
    """Asked at `at` seconds after noon; it took two seconds."""
    request = ask(text, **more)
    if earlier:
        turns = [turn for word in earlier for turn in (Turn("user", word), Turn("assistant", "so"))]
        request = ask(text, **more).__class__("r", "chat", "auto", (*turns, Turn("user", text)), **more)
    return Record(request, NOON + at, outcome, timings=Timings(ttft=ttft, total=2000.0))


def seen(*records: Record, served: Served = SMALL) -> Signs:
    watch = ReplyWatch()
    for record in records:
        watch.put(record, served)
    [signs] = watch.seen()
    assert watch.seen() == []
    return signs


def test_the_same_again_within_minutes() -> None:
    first = reply("How do I reset my router to factory settings?", 0)
    for text, at, again in (
        ("How do I reset my router to factory settings??", 30, 1),
        ("how do i reset my router to the factory settings", 200, 1),
        ("How do I reset my router to factory settings?", 2.5, 0),  # no person has read it by then
        ("How do I reset my router to factory settings?", 400, 0),
        ("And how do I change its password?", 30, 0),
        ("How do I reset my router 2 to factory settings?", 30, 0),
    ):
        assert seen(first, reply(text, at)) == Signs(20_000, "anonymous", "small", "math", 2, again, 0), (text, at)


def test_it_must_be_the_same_person_in_the_same_conversation() -> None:
    question = "请把这段话翻译成英文，语气正式一些"
    assert seen(reply(question, 0), reply(question, 30)).asked_again == 1
    assert seen(reply(question, 0, user="a"), reply(question, 30, user="b")).asked_again == 0
    assert seen(reply(question, 0, session="a"), reply(question, 30, session="b")).asked_again == 0
    assert seen(reply(question, 0), reply(question, 30, earlier=("something else",))).asked_again == 0
    assert seen(reply(question, 0), reply(question, 30, earlier=(question,))).asked_again == 1
    assert seen(reply(question, 0, earlier=("hi",)), reply(question, 30, earlier=("hi",))).asked_again == 1


def test_what_is_long_must_be_the_very_same() -> None:
    template = "Tell whether this review is kind, and reply with yes or no only. " * 8
    assert seen(reply(template + "Lovely.", 0), reply(template + "Awful.", 30)).asked_again == 0
    assert seen(reply(template + "Lovely.", 0), reply(template + "Lovely.", 30)).asked_again == 1


def test_it_counts_for_the_reply_that_was_not_enough() -> None:
    watch = ReplyWatch()
    watch.put(reply("what is the tallest mountain in Africa", 0), SMALL)
    watch.put(reply("what is the tallest mountain in Africa", 30), Served("large", None))
    assert sorted(watch.seen(), key=lambda each: each.model) == [
        Signs(20_000, "anonymous", "large", None, 1, 0, 0),
        Signs(20_000, "anonymous", "small", "math", 1, 1, 0),
    ]


def test_who_goes_away_while_the_reply_comes() -> None:
    assert seen(reply("a", 0, "cancelled")).hung_up == 1
    assert seen(reply("a", 0, "cancelled", ttft=None)).hung_up == 0, "nothing had come yet"
    assert seen(reply("a", 0, "failed")).hung_up == 0


def test_batches_are_left_out() -> None:
    watch = ReplyWatch()
    watch.put(reply("a", 0, priority="batch"), SMALL)
    assert watch.seen() == []
