"""The upstream recites what it should, the bare peers pass it on unchanged, and the stream load notices what is wrong."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pointsman.bench.bodies import check_canned, check_stream, check_whole, fetch
from pointsman.bench.canned import CHAT, EVENTS, asked, payloads, whole
from pointsman.bench.event_check import EventCheck
from pointsman.bench.processes import Child, free_port
from pointsman.bench.starts import CANNED, peer
from pointsman.bench.streams import load_streams
from pointsman.domain.errors import PointsmanError
from pointsman.http.openai.aggregate import Aggregate

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="uvloop")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Child]:
    port = free_port()
    command = [sys.executable, "-m", "pointsman.bench.upstream", str(port)]
    with Child(command, port, tmp_path_factory.mktemp("engine") / "output.txt") as child:
        child.wait_until_it_listens(30)
        yield child


def good() -> EventCheck:
    return EventCheck(payloads())


def counts(engine: Child) -> dict[str, int]:
    return json.loads(fetch(engine.port, "/bench"))


def test_the_stream_adds_up_to_the_object() -> None:
    aggregate = Aggregate()
    aggregate.feed(b"".join(b"data: " + data + b"\n\n" for data in payloads(usage=True)))
    assert aggregate.result() == json.loads(whole())
    assert 1000 <= len(whole()) <= 1400
    assert len(payloads()) == EVENTS + 1


def test_a_body_of_a_size() -> None:
    assert len(whole(5000)) == 5000
    json.loads(whole(5000))


def test_it_recites_and_counts(engine: Child) -> None:
    before = counts(engine)
    check_whole(engine.port)
    check_stream(engine.port, EVENTS)
    after = counts(engine)
    assert {name: after[name] - before[name] for name in after} == {"accepted": 3, "wholes": 1, "streams": 1}
    assert json.loads(fetch(engine.port, "/v1/models"))["data"][0]["max_model_len"] > 10_000
    with pytest.raises(PointsmanError, match="status 404"):
        fetch(engine.port, "/nothing")


def test_usage_comes_where_it_is_asked_for(engine: Child) -> None:
    body = asked(stream=True)[:-1] + b',"stream_options":{"include_usage":true}}'
    assert fetch(engine.port, body=body).count(b'"usage"') == 1
    assert b'"usage"' not in fetch(engine.port, body=asked(stream=True))


def test_streams_in_parallel(engine: Child) -> None:
    load = load_streams(engine.port, CHAT, asked(stream=True), good, 4, 0.2)
    assert load.errors == 0
    assert load.requests >= 4
    assert 0 < load.p50_us <= load.p99_us <= load.worst_us


def test_a_stream_that_differs_is_no_success(engine: Child) -> None:
    others = payloads()
    others[7] = others[7].replace(b"step by step", b"leap by leap")
    with pytest.raises(PointsmanError, match="event 8 is"):
        load_streams(engine.port, CHAT, asked(stream=True), lambda: EventCheck(others), 2, 0.2)


def test_a_status_that_differs_is_no_success(engine: Child) -> None:
    with pytest.raises(PointsmanError):
        load_streams(engine.port, CHAT, asked(stream=False), good, 1, 0.1)


def test_nobody_there() -> None:
    with pytest.raises(PointsmanError):
        load_streams(free_port(), CHAT, asked(stream=True), good, 1, 0.1)


@pytest.mark.parametrize("name", ["bare-asyncio", "bare-asgi"])
def test_bare_peers(name: str, engine: Child, tmp_path: Path) -> None:
    """Those whose packages are likely to be there."""
    if name == "bare-asgi":
        pytest.importorskip("uvicorn", reason="the gateway does without it; make bench installs it beside")
    port = free_port()
    start = peer(name, Path(sys.prefix))(port, engine.port, tmp_path)
    with Child(start.command, port, tmp_path / "output.txt") as child:
        child.wait_until_it_answers(lambda: check_whole(port), 30)
        before = counts(engine)
        for _ in range(5):
            check_whole(port)
            check_stream(port, EVENTS)
        check_canned(port, CANNED)
        assert load_streams(port, CHAT, asked(stream=True), good, 1, 0.1).errors == 0
        after = counts(engine)
    assert after["accepted"] - before["accepted"] <= 3


def test_a_child_that_ends_says_why(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no such thing')"]
    with Child(command, free_port(), tmp_path / "output.txt") as child, pytest.raises(PointsmanError) as failed:
        child.wait_until_it_listens(30)
    assert "exit code 1" in str(failed.value)
    assert "no such thing" in str(failed.value)


def test_other_bodies_are_told_apart(tmp_path: Path) -> None:
    """An upstream whose objects are longer: not what is expected of the usual one."""
    port = free_port()
    command = [sys.executable, "-m", "pointsman.bench.upstream", str(port), "--size", "3000", "--events", "10"]
    with Child(command, port, tmp_path / "output.txt") as child:
        child.wait_until_it_listens(30)
        check_whole(port, 3000)
        check_stream(port, 10)
        with pytest.raises(PointsmanError, match="choices"):
            check_whole(port)
        with pytest.raises(PointsmanError, match="content"):
            check_whole(port, text_only=True)
        with pytest.raises(PointsmanError, match="event 10"):
            check_stream(port, EVENTS)
        with pytest.raises(PointsmanError, match="add up to another"):
            check_stream(port, EVENTS, text_only=True)
