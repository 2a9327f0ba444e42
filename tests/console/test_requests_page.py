"""The list of requests, each request's page, and what can be said of one; over a log that the test makes up."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from console.house import House, place_of, text_of
from console.test_entrance import ADMIN, READER
from pointsman.console.pages.requests import RequestsPage, wanted_of
from pointsman.console.rows import Listed, Row, Wanted, Whole
from pointsman.console.templates import Templates
from pointsman.console.track import track_of
from pointsman.console.visit import Route
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, Mark, Match, TargetChoice
from pointsman.domain.feedback import Feedback
from pointsman.domain.intent import Heard, Hearing
from pointsman.domain.request import Request, Turn

PROMPT = "<script>alert(1)</script> 你好"


def row(**fields: object) -> Row:
    usual = {
        "id": "req_1", "received": 1_796_051_138.9, "endpoint": "chat", "model": "auto", "caller": "desk", "stage": "l0",
        "rule": "greet", "action": "answer", "outcome": "ok", "status": 200, "error": None, "target": None,
        "input_tokens": 11, "output_tokens": None, "cached_tokens": None, "decided_ms": 0.3, "ttft_ms": None,
        "total_ms": 0.4, "policy": "abc", "snapshot": "def", "under_way": False,
    }  # fmt: skip
    return msgspec.convert({**usual, **fields}, Row)


def asked(text: str = PROMPT) -> Request:
    return Request(id="req_1", endpoint="chat", model="auto", turns=(Turn("user", text),))


RULED = Decision(
    stage="l0", reason="rule greet took it", rule="greet", action="answer", parameters={"text": "Hi"},
    matched=(Match("whole", "你好", 26, 28),), marks=(Mark("pii", "pii.name", "medium"),), shadow=("later",),
)  # fmt: skip
HEARING = Hearing(first=Heard(arbiter="embedded", model="m", scores=(("refund", 0.9), ("bill", 0.05)), intent="refund"))
ROUTED = Decision(
    stage="model", reason="no rule took it", intent="refund", confidence=0.4, fallback_reason="below the gate",
    hearing=HEARING, targets=(TargetChoice("a@b", "fallback", 0.5, 0.7, 1.2, 0.1, 2, 0.5),),
    left_out=(TargetChoice("c@d", "down"),),
)  # fmt: skip
TRIES = (Attempt("c@d", 1.0, 20.0, None, "connect"), Attempt("a@b", 21.0, 200.0, 200))
MODEL = row(stage="model", rule=None, action=None, target="a@b", intent="refund", ttft_ms=221.0, total_ms=800.0)


class Log:
    """`known` by their ids; `wanted` is what was asked for, `kept` what was said."""

    def __init__(self, *known: Whole, more: str | None = None) -> None:
        self.known = {each.row.id: each for each in known}
        self.more = more
        self.wanted: list[Wanted] = []
        self.kept: list[Feedback] = []
        self.takes = True

    def page(self, wanted: Wanted) -> Listed:
        self.wanted.append(wanted)
        return Listed([each.row for each in self.known.values()], self.more)

    def whole(self, request_id: str) -> Whole | None:
        return self.known.get(request_id)

    async def keep(self, feedback: Feedback) -> bool:
        self.kept.append(feedback)
        return self.takes


def house(log: Log, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from RequestsPage(templates, log).routes()

    return House(pages, here=here)


def test_a_list_shows_what_decided_each() -> None:
    log = Log(
        Whole(row(), asked(), RULED, (), None), Whole(msgspec.structs.replace(MODEL, id="req_2"), None, None, (), None)
    )
    page = text_of(house(log).get("/ui/requests"))
    assert 'href="/ui/requests/req_1"' in page and "stage-l0" in page and 'href="/ui/requests?rule=greet"' in page
    assert 'href="/ui/requests?target=a%40b"' in page and "221 ms" in page


def test_filters_are_kept_in_the_form_and_given_to_the_log() -> None:
    log = Log()
    page = text_of(
        house(log).get("/ui/requests?kind=l0&rule=gr%22eet&since=1h&text=%E4%BD%A0%E5%A5%BD&mark=pii.name&nonsense=1")
    )
    wanted = log.wanted[0]
    assert wanted.filters == {"rule": 'gr"eet', "mark": "pii.name"} and wanted.kind == "l0" and wanted.text == "你好"
    assert 'value="gr&#34;eet"' in page and 'name="mark" value="pii.name"' in page and "No request is like that" in page


def test_an_empty_log_teaches_how_to_fill_it() -> None:
    assert "curl" in text_of(house(Log()).get("/ui/requests"))


def test_what_makes_no_sense_is_passed_over() -> None:
    wanted = wanted_of({"kind": "x", "since": "yesterday", "until": "12.5", "rule": "  "}, 1000.0)
    assert wanted == Wanted(until=12.5)
    assert wanted_of({"since": "15m"}, 1000.0).since == 100.0


def test_older_ones_come_below() -> None:
    log = Log(Whole(row(), None, None, (), None), more="CURSOR")
    served = house(log)
    page = text_of(served.get("/ui/requests?rule=greet"))
    assert "before=CURSOR" in page and "rule=greet" in page
    piece = text_of(served.get("/ui/requests?rule=greet&before=CURSOR", hx_request="true"))
    assert "<html" not in piece and "<tr" in piece and log.wanted[-1].before == "CURSOR"


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_page_of_one_says_all_that_is_known(tongue: str) -> None:
    said = Feedback(request_id="req_1", received=1.0, caller="desk", adopted=False, comment="not me")
    page = text_of(house(Log(Whole(row(), asked(), RULED, (), said))).get("/ui/requests/req_1", tongue))  # type: ignore[arg-type]
    for part in ("greet", "你好", "pii.name", "later", "not me", "abc", "def", "&lt;script&gt;alert(1)"):
        assert part in page, part
    assert "<script>alert" not in page
    page = text_of(house(Log(Whole(MODEL, asked(), ROUTED, TRIES, None))).get("/ui/requests/req_1", tongue))  # type: ignore[arg-type]
    for part in ("refund", "0.900", "0.050", "below the gate", "a@b", "c@d", "connect", "0.500", "0.70"):
        assert part in page, part


def test_without_its_content_the_page_says_why() -> None:
    page = text_of(house(Log(Whole(row(), None, None, TRIES, None))).get("/ui/requests/req_1"))
    assert "log.prompts: off" in page and "c@d" in page


def test_a_request_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pointsman.console.pages.requests._LATE", (0.0,))
    reply = house(Log()).get("/ui/requests/req_%3Cb%3E")
    assert reply.status == 404 and "log.keep" in text_of(reply) and "<b>" not in text_of(reply)


def test_that_it_was_wrong_is_kept_in_the_name_of_who_said_so() -> None:
    log = Log(Whole(row(), asked(), RULED, (), None))
    served = house(log, here=False)
    served.sign_in(ADMIN)
    assert place_of(served.post("/ui/requests/req_1/wrong", {"comment": " no "})) == "/ui/requests/req_1?kept=1"
    [said] = log.kept
    assert (said.request_id, said.caller, said.adopted, said.comment) == ("req_1", "ops", False, "no")
    assert served.post("/ui/requests/req_1/wrong", {"comment": "x" * 2001}).status == 400
    log.takes = False
    assert served.post("/ui/requests/req_1/wrong", {"comment": ""}).status == 503


def test_a_reader_says_nothing_and_is_not_asked_to() -> None:
    log = Log(Whole(row(), asked(), RULED, (), None))
    served = house(log, here=False)
    served.sign_in(READER)
    assert "/wrong" not in text_of(served.get("/ui/requests/req_1"))
    assert served.post("/ui/requests/req_1/wrong", {"comment": ""}).status == 403 and log.kept == []


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_one_that_is_under_way(tongue: str) -> None:
    going = msgspec.structs.replace(MODEL, outcome=None, status=None, total_ms=None, under_way=True)
    served = house(Log(Whole(going, asked(), ROUTED, TRIES, None)))
    said = {"en": "under way", "zh": "进行中"}[tongue]
    assert said in text_of(served.get("/ui/requests", tongue))  # type: ignore[arg-type]
    page = text_of(served.get("/ui/requests/req_1", tongue))  # type: ignore[arg-type]
    assert said in page and "/wrong" not in page and "None" not in page
    assert taken(Whole(going, None, ROUTED, TRIES, None))[1] == "under way"


def taken(whole: Whole) -> tuple[list[str], str]:
    track = track_of(whole)
    return [station.name for station in track.stations if station.passed], track.ended


def test_a_track_has_the_stations_that_it_came_to() -> None:
    assert taken(Whole(row(), None, RULED, (), None)) == (["Door", "L0 rules"], "reply")
    assert taken(Whole(row(outcome="refused"), None, RULED, (), None)) == (["Door", "L0 rules"], "stop")
    every = ["Door", "L0 rules", "L1 arbiter", "Routing", "Target"]
    assert taken(Whole(MODEL, None, ROUTED, TRIES, None)) == (every, "reply")
    failed = msgspec.structs.replace(MODEL, outcome="failed", target=None, intent=None)
    assert taken(Whole(failed, None, None, TRIES, None)) == (["Door", "L0 rules", "Routing", "Target"], "stop")
    assert taken(Whole(row(stage=None, rule=None, outcome="failed"), None, None, (), None)) == (["Door"], "stop")
    heard = Decision(stage="l1", reason="so", intent="refund", confidence=0.9, hearing=HEARING)
    assert taken(Whole(row(stage="l1", rule=None, intent="refund"), None, heard, (), None)) == (every[:3], "reply")
