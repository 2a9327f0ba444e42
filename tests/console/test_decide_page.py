"""The page *Decide*: a conversation in, every stage out."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

import pytest

from console.house import House, text_of
from console.test_entrance import READER
from console.test_requests_page import HEARING, RULED, Log, asked, row
from pointsman.console.decide.page import DecidePage, pieces_of
from pointsman.console.rows import Whole
from pointsman.console.rules.told import Answer, Failed, Job, Near, NearRules, Nears, both
from pointsman.console.templates import Templates
from pointsman.console.visit import Route
from pointsman.domain.decision import Decision, Match, TargetChoice
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Said, said


class Decider:
    models: Sequence[str] = ("auto", "light")

    def __init__(self, decision: Decision | None = None) -> None:
        self.decision = decision
        self.asked: list[tuple[Request, bool]] = []
        self.near: Answer = Nears((Near("cards", {"all1": ("card",)}, (both(Said("needs more", "还差")),)),), 12)

    async def decide(self, request: Request, arbiter: bool) -> Decision:
        self.asked.append((request, arbiter))
        if self.decision is None:
            raise PointsmanError(said("there is no model", "没有这个模型"), status=404)
        return self.decision

    async def ask(self, job: Job) -> Answer:
        assert isinstance(job, NearRules)
        return self.near


def house(decider: Decider, log: Log | None = None, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from DecidePage(templates, decider, log or Log(), decider.ask).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_what_a_rule_takes_is_marked_and_what_came_near_is_told(tongue: str) -> None:
    decider = Decider(RULED)
    form = {"turn_role": "user", "turn_text": asked().turns[0].text, "model": "auto", "role": "staff", "tools": "on"}
    page = text_of(house(decider).post("/ui/decide", form, tongue))  # type: ignore[arg-type]
    [(request, arbiter)] = decider.asked
    assert (request.model, request.caller_role, request.tools, arbiter) == ("auto", "staff", True, False)
    for part in ("<mark>你好<sub>whole</sub></mark>", "svg", "/ui/rules/cards", "pii.name", "&lt;script&gt;"):
        assert part in page, part
    assert ("needs more" if tongue == "en" else "还差") in page and "<script>alert" not in page


def test_a_conversation_grows_and_the_arbiter_is_asked_by_choice() -> None:
    heard = Decision(
        stage="model", reason="unsure", intent="refund", confidence=0.4, fallback_reason="below the gate",
        hearing=HEARING, targets=(TargetChoice("a@b", "fallback", 0.5, 0.7, 1.2, 0.1, 2, 0.5),),
    )  # fmt: skip
    decider = Decider(heard)
    served = house(decider)
    more = text_of(served.post("/ui/decide", {"turn_role": "user", "turn_text": "one", "more": "1"}))
    assert more.count("<textarea") == 2 and not decider.asked
    page = text_of(served.post("/ui/decide", {"turn_role": "user", "turn_text": "one", "arbiter": "on"}))
    assert decider.asked[0][1] and "refund" in page and "0.500" in page and "a@b" in page


def test_nothing_said_is_nothing_decided() -> None:
    decider = Decider(RULED)
    assert house(decider).post("/ui/decide", {"turn_role": "user", "turn_text": "  "}).status == 200
    assert not decider.asked and house(decider).get("/ui/decide").status == 200


def test_what_goes_wrong_is_told_where_it_was_asked() -> None:
    reply = house(Decider()).post("/ui/decide", {"turn_role": "user", "turn_text": "hello there"})
    assert reply.status == 404 and "there is no model" in text_of(reply) and "hello there" in text_of(reply)
    decider = Decider(RULED)
    decider.near = Failed(both(Said("broke off", "中断")))
    assert "broke off" in text_of(house(decider).post("/ui/decide", {"turn_role": "user", "turn_text": "你好"}))
    long = {"turn_role": "user", "turn_text": "x" * 200_001}
    assert house(decider).post("/ui/decide", long).status == 413


def test_a_request_of_the_log_is_tried_again() -> None:
    whole = Whole(row(), asked("what was asked"), RULED, (), None)
    page = html.unescape(text_of(house(Decider(RULED), Log(whole)).get("/ui/decide?request=req_1")))
    assert re.search(r"<textarea[^>]*>\nwhat was asked</textarea>", page)


def test_who_may_only_look_may_ask() -> None:
    served = house(Decider(RULED), here=False)
    served.sign_in(READER)
    assert served.post("/ui/decide", {"turn_role": "user", "turn_text": "你好"}).status == 200


def test_pieces_make_the_text_again() -> None:
    matched = (Match("b", "cd", 2, 4), Match("a", "bcd", 1, 4), Match("c", "f", 5, 6), Match("d", "zz", 9, 11))
    pieces = pieces_of("abcdef", matched)
    assert [(piece.text, piece.group) for piece in pieces] == [("a", ""), ("bcd", "a"), ("e", ""), ("f", "c")]
    assert "".join(piece.text for piece in pieces) == "abcdef"
    assert pieces_of("", ()) == [] and Turn("user", "").text == ""
