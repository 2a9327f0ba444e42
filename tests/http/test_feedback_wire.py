"""`POST /v1/feedback`: what may be said, by whom, of which requests, and where it can be read afterwards."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import (
    CHAT,
    Door,
    Engine,
    Reply,
    asking,
    assert_error,
    config,
    conversation,
    delta,
    door,
    streamed,
    user,
)
from pointsman.app import askers as askers_module
from pointsman.app.askers import Askers
from pointsman.domain.errors import PointsmanError
from pointsman.domain.feedback import Asker, Feedback
from pointsman.http.auth import hash_key
from pointsman.store.log_reader import LogReader
from running import Running, running

FEEDBACK = "/v1/feedback"
RULES = {"packs": ["builtin:smalltalk"]}
REMOTE = {"x-forwarded-for": "203.0.113.7"}
KEYS = [
    {"name": "boss", "hash": hash_key("k-boss"), "admin": True},
    {"name": "app", "hash": hash_key("k-app")},
]


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door(rules=RULES) as opened:
        opened.engine.play = streamed(conversation("from the model"))
        yield opened


@pytest.fixture
def alone() -> Iterator[Door]:
    """One whose figures nobody else moves."""
    with door(rules=RULES) as opened:
        yield opened


def asked(gateway: Door, text: str = "hello") -> str:
    """The id of a request that a rule answers, or with another text the model."""
    fields = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    reply = gateway.post(CHAT, json.dumps(fields).encode())
    assert reply.status == 200
    return reply.headers["x-pointsman-request-id"]


def give(gateway: Door, fields: Any, *headers: str) -> Reply:
    return gateway.post(FEEDBACK, fields if isinstance(fields, bytes) else json.dumps(fields).encode(), *headers)


def kept(folder: Path, request_id: str) -> Feedback | None:
    reader = LogReader(folder / "data")
    try:
        return reader.feedback_on(request_id)
    finally:
        reader.close()


def until(holds: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 10
    while not (value := holds()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)
    return value


# What may be said

GOOD: list[dict[str, Any]] = [
    {"adopted": True},
    {"adopted": False},
    {"rating": 1},
    {"rating": 5},
    {"comment": "不是这个意思 🙂"},
    {"comment": "🙂" * 2000},
    {"edited": True},
    {"retried": True},
    {"adopted": True, "rating": 4, "edited": True, "retried": False, "comment": "good"},
    {"adopted": False, "rating": None, "comment": None, "edited": None},
    {"rating": 2, "comment": ""},
]


@pytest.mark.parametrize("fields", GOOD)
def test_what_is_said_is_kept_and_told_back(gateway: Door, fields: dict[str, Any]) -> None:
    name = asked(gateway)
    before = time.time()
    reply = give(gateway, {"request_id": name, **fields})
    assert reply.status == 201, reply.body
    stored = reply.json
    assert before - 1 <= stored.pop("received") <= time.time() + 1
    nothing = {"adopted": None, "rating": None, "edited": False, "retried": False, "comment": None}
    given = {name: value for name, value in fields.items() if value is not None and value != ""}
    assert stored == {"request_id": name, "caller": "anonymous"} | nothing | given
    found = until(lambda: kept(gateway.folder, name))
    assert (found.adopted, found.rating, found.edited, found.retried, found.comment) == tuple(
        (nothing | given).values()
    )


def test_later_words_replace_earlier_ones(gateway: Door) -> None:
    name = asked(gateway)
    for fields in ({"adopted": True, "comment": "yes"}, {"rating": 1}):
        assert give(gateway, {"request_id": name, **fields}).status == 201
    found = until(lambda: (one := kept(gateway.folder, name)) and one.rating and one)
    assert (found.adopted, found.rating, found.comment) == (None, 1, None)


BAD: dict[str, tuple[Any, str, str]] = {
    "nothing": ({}, "request_id", "bad_request"),
    "no id": ({"adopted": True}, "request_id", "bad_request"),
    "an empty id": ({"request_id": "", "adopted": True}, "request_id", "bad_request"),
    "an id that is none": ({"request_id": 7, "adopted": True}, "request_id", "bad_request"),
    "a typo": ({"request_id": "ID", "adoptd": True}, "adoptd", "unknown_field"),
    "another's field": ({"request_id": "ID", "adopted": True, "user": "x"}, "user", "unknown_field"),
    "adopted as text": ({"request_id": "ID", "adopted": "true"}, "adopted", "bad_request"),
    "adopted as a number": ({"request_id": "ID", "adopted": 1}, "adopted", "bad_request"),
    "edited as text": ({"request_id": "ID", "adopted": True, "edited": "no"}, "edited", "bad_request"),
    "retried as a number": ({"request_id": "ID", "adopted": True, "retried": 0}, "retried", "bad_request"),
    "rating too low": ({"request_id": "ID", "rating": 0}, "rating", "bad_request"),
    "rating too high": ({"request_id": "ID", "rating": 6}, "rating", "bad_request"),
    "rating between": ({"request_id": "ID", "rating": 4.5}, "rating", "bad_request"),
    "rating as true": ({"request_id": "ID", "rating": True}, "rating", "bad_request"),
    "rating as text": ({"request_id": "ID", "rating": "5"}, "rating", "bad_request"),
    "a long comment": ({"request_id": "ID", "comment": "好" * 2001}, "comment", "bad_request"),
    "a comment that is none": ({"request_id": "ID", "comment": ["x"]}, "comment", "bad_request"),
}
EMPTY = [{}, {"comment": ""}, {"edited": False, "retried": False}, {"adopted": None, "rating": None, "comment": None}]
NO_JSON = [b"", b"[]", b"{", b'{"request_id":"ID","adopted":true,"adopted":false}', b'{"comment":"\\ud800"}']


@pytest.mark.parametrize("kind", BAD)
def test_what_may_not_be_said_is_named(gateway: Door, kind: str) -> None:
    fields, param, code = BAD[kind]
    data = json.dumps(fields).replace('"ID"', f'"{asked(gateway)}"').encode()
    assert_both(gateway, data, 400, code, param)


@pytest.mark.parametrize("fields", EMPTY)
def test_a_feedback_that_says_nothing_is_refused(gateway: Door, fields: dict[str, Any]) -> None:
    name = asked(gateway)
    assert_both(gateway, json.dumps({"request_id": name, **fields}).encode(), 400, "empty_feedback", None)
    assert kept(gateway.folder, name) is None


@pytest.mark.parametrize("data", NO_JSON)
def test_what_is_no_json_is_refused_as_everywhere(gateway: Door, data: bytes) -> None:
    reply = give(gateway, data)
    assert reply.status == 400
    assert_error(reply.json, code=reply.json["error"]["code"])
    assert reply.json["error"]["code"] in ("invalid_json", "duplicate_key")


def test_a_large_body_is_refused(gateway: Door) -> None:
    data = b'{"request_id":"x","comment":"%b"}' % (b"x" * 40_000)
    assert_both(gateway, data, 413, "body_too_large", None)
    longest = json.dumps({"request_id": asked(gateway), "comment": "🙂" * 2000}, indent=1).encode()
    assert give(gateway, longest).status == 201, "as long as escapes can make the longest comment"


def test_it_takes_a_post(gateway: Door) -> None:
    reply = gateway.raw(b"GET /v1/feedback HTTP/1.1\r\nhost: x\r\n\r\n")
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


def is_chinese(text: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", text))


def english_in(text: str) -> list[str]:
    """Runs of two and more English words outside quotes: what nobody has translated."""
    return re.findall(r"[A-Za-z]{2,} [a-z]+", re.sub(r"“[^”]*”", "", text))


def assert_both(gateway: Door, data: bytes, status: int, code: str, param: str | None) -> None:
    """The same refusal in both languages."""
    en, zh = give(gateway, data), give(gateway, data, "accept-language: zh")
    for reply in (en, zh):
        assert reply.status == status, reply.body
        error = reply.json["error"]
        assert (error["code"], error["param"], error["src"]) == (code, param, "gateway")
    assert not is_chinese(en.json["error"]["message"])
    assert is_chinese(zh.json["error"]["message"]) and not english_in(zh.json["error"]["message"]), zh.body


# Of which requests

UNKNOWN = ["req_0123456789aaaaaaaaaaaaaaa", "x", "x" * 30_000, "' or 1=1 --", "\x00", "req_😀"]


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_request_that_there_is_not(gateway: Door, name: str) -> None:
    asked(gateway)
    assert_both(
        gateway, json.dumps({"request_id": name, "adopted": True}).encode(), 404, "request_not_found", "request_id"
    )


def test_a_feedback_and_a_refused_body_are_no_requests_to_speak_of(gateway: Door) -> None:
    name = asked(gateway)
    given = give(gateway, {"request_id": name, "adopted": True})
    refused = gateway.post(CHAT, b"{")
    for reply in (given, refused, gateway.raw(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n")):
        about = {"request_id": reply.headers["x-pointsman-request-id"], "adopted": True}
        assert give(gateway, about).status == 404


@pytest.mark.parametrize(
    ("path", "fields"),
    [("/v1/completions", {"prompt": "tell me"}), ("/v1/rerank", {"query": "q", "documents": ["a"]}), (CHAT, {})],
)
def test_requests_of_every_endpoint_also_failed_ones(gateway: Door, path: str, fields: dict[str, Any]) -> None:
    fields = fields or {"messages": [{"role": "user", "content": "x" * 40_000}]}
    reply = gateway.post(path, json.dumps({"model": "medium", **fields}).encode())
    name = reply.headers["x-pointsman-request-id"]
    assert give(gateway, {"request_id": name, "adopted": False}).status == 201


def test_one_refused_for_its_model_once_the_log_has_it(gateway: Door) -> None:
    reply = gateway.post(
        CHAT, json.dumps({"model": "no-such", "messages": [{"role": "user", "content": "x"}]}).encode()
    )
    assert reply.status == 404
    about = {"request_id": reply.headers["x-pointsman-request-id"], "retried": True}
    assert until(lambda: give(gateway, about).status == 201)


def test_how_often_is_counted(gateway: Door) -> None:
    def figure(labels: str) -> float:
        text = gateway.raw(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").body.decode()
        lines = [line for line in text.splitlines() if line.startswith(f"pointsman_feedback_total{{{labels}}}")]
        return float(lines[0].rpartition(" ")[2]) if lines else 0.0

    both, bare = 'adopted="true",rating="3"', 'adopted="none",rating="none"'
    before = figure(both), figure(bare)
    name = asked(gateway)
    give(gateway, {"request_id": name, "adopted": True, "rating": 3})
    give(gateway, {"request_id": name, "comment": "x"})
    give(gateway, {"request_id": "nobody's", "adopted": True, "rating": 3})
    assert (figure(both), figure(bare)) == (before[0] + 1, before[1] + 1)


# Who may


async def served(gateway: Running, key: str | None, path: str, fields: Any) -> httpx.Response:
    headers = {} if key is None else REMOTE | {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=gateway.base) as client:
        return await client.post(path, json=fields, headers=headers)


async def test_only_who_asked_may_speak_of_it(tmp_path: Path) -> None:
    async with (
        Engine() as engine,
        running(config(engine, auth={"keys": KEYS}, rules=RULES, log={"prompts": "off"}), tmp_path) as gateway,
    ):
        by_app = await served(gateway, "k-app", CHAT, user("hello"))
        about = {"request_id": by_app.headers["x-pointsman-request-id"], "adopted": False, "comment": "no"}
        for remembered in (True, False):
            for stranger in ("k-boss", None):
                reply = await served(gateway, stranger, FEEDBACK, about)
                assert reply.status_code == 404
                unknown = await served(gateway, stranger, FEEDBACK, {**about, "request_id": "req_none"})
                assert reply.text.replace(about["request_id"], "req_none")[:200] == unknown.text[:200]
            wrong = await served(gateway, "k-nobody", FEEDBACK, about)
            assert wrong.status_code == 401
            reply = await served(gateway, "k-app", FEEDBACK, about)
            assert reply.status_code == 201
            assert (reply.json()["caller"], reply.json()["comment"]) == ("app", None), "no prompts are kept"
            if remembered:
                await asyncio.sleep(0.3)  # the log has it
                gateway.app._serving.askers._new.clear()


@pytest.mark.parametrize("remembered", [True, False])
async def test_a_page_that_closes_is_heard(tmp_path: Path, remembered: bool) -> None:
    """It sends and is gone, before any answer."""
    async with Engine() as engine, running(config(engine, rules=RULES), tmp_path) as gateway:
        names = []
        for _ in range(10):
            names.append((await served(gateway, None, CHAT, user("hello"))).headers["x-pointsman-request-id"])
        await asyncio.sleep(0.3)  # the log has them
        if not remembered:
            gateway.app._serving.askers._new.clear()
        for name in names:
            async with asking(gateway, {"request_id": name, "rating": 1}, FEEDBACK) as stream:
                await stream.hang_up()
        for name in names:
            async with asyncio.timeout(10):
                while kept(tmp_path, name) is None:
                    await asyncio.sleep(0.01)


async def test_while_the_reply_is_under_way(tmp_path: Path) -> None:
    async with Engine() as engine, running(config(engine), tmp_path) as gateway:
        engine.play = streamed(delta("", role="assistant"), delta("a"), 30.0)
        fields = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]}
        async with asking(gateway, fields) as stream:
            assert await stream.head() == 200
            about = {"request_id": stream.headers["x-pointsman-request-id"], "adopted": False}
            assert (await served(gateway, None, FEEDBACK, about)).status_code == 201


async def test_a_log_that_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    async with Engine() as engine, running(config(engine, rules=RULES), tmp_path) as gateway:
        name = (await served(gateway, None, CHAT, user("hello"))).headers["x-pointsman-request-id"]
        gateway.app._serving._log.close()
        reply = await served(gateway, None, FEEDBACK, {"request_id": name, "adopted": True})
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "log_unavailable")
        assert int(reply.headers["retry-after"]) >= 1
        (tmp_path / "data" / "log.sqlite").write_bytes(b"no database at all" * 100)
        reply = await served(gateway, None, FEEDBACK, {"request_id": "req_x", "adopted": True})
        assert (reply.status_code, reply.json()["error"]["code"]) == (503, "log_unavailable")
        (tmp_path / "data" / "log.sqlite").unlink()
        reply = await served(gateway, None, FEEDBACK, {"request_id": "req_x", "adopted": True})
        assert reply.status_code == 404


# What is remembered


async def test_the_latest_requests_are_remembered_and_no_more_than_twice_as_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(askers_module, "_MOST", 10)
    askers = Askers(tmp_path)
    for number in range(57):
        askers.note(f"r{number}", "app", float(number))
        known = [n for n in range(number + 1) if askers.recent(f"r{n}")]
        assert known == list(range(known[0], number + 1))
        assert min(number + 1, 10) <= len(known) < 20
    assert askers.recent("r56") == Asker("app", 56.0)
    assert await askers.find("r0") is None, "there is no log here"


async def test_others_are_asked_last(tmp_path: Path) -> None:
    heard: list[str] = []

    async def others(request_id: str) -> Asker | None:
        heard.append(request_id)
        return Asker("boss", 2.0) if request_id == "theirs" else None

    askers = Askers(tmp_path, others)
    askers.note("ours", "app", 1.0)
    assert await askers.find("ours") == Asker("app", 1.0)
    assert await askers.find("theirs") == Asker("boss", 2.0)
    assert await askers.find("nobody's") is None
    assert heard == ["theirs", "nobody's"]


def test_a_request_that_is_refused_unread_is_not_remembered(tmp_path: Path) -> None:
    askers = Askers(tmp_path)

    def refuse(*_: object) -> None:
        raise PointsmanError("no")

    with pytest.raises(PointsmanError):
        askers.noting(refuse)(None, b"")  # type: ignore[arg-type]
    assert not askers._new


def test_what_was_judged_is_counted_by_the_level_that_replied(alone: Door) -> None:
    gateway = alone

    def figure() -> float:
        text = gateway.raw(b"GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n").body.decode()
        lines = [line for line in text.splitlines() if line.startswith("pointsman_judged_total{")]
        return sum(float(line.rpartition(" ")[2]) for line in lines if 'judgement="wrong"' in line)

    before = figure()
    name = asked(gateway)
    assert give(gateway, {"request_id": name, "adopted": False, "rating": 5}).status == 201
    assert until(lambda: figure() == before + 1)
    assert give(gateway, {"request_id": name, "rating": 3}).status == 201
    assert figure() == before + 1, "three of five is neither"
