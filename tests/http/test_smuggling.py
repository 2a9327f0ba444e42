"""Request smuggling: what could be read in two ways is refused, at least where nginx refuses it, and its connection ends.

Every case goes to a gateway as users start it, and, where it is installed, to nginx; behind each stands an upstream that
keeps every byte."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Iterator
from functools import partial

import pytest
import yaml
from smuggling.cases import (
    BODY,
    CASES,
    ENDLESS,
    GOOD,
    HIDDEN,
    LINE,
    TE,
    UPGRADE,
    Case,
    asking,
    chunk,
    coded,
    health,
    sized,
)
from smuggling.nginx import NGINX, WHY_NOT, nginx
from smuggling.recorder import Recorder, Seen
from smuggling.wire import Outcome, first_answer, play

from execution.engine import CHAT, DONE, conversation, delta, door, streamed
from pointsman.http.auth import hash_key
from running import process

SETTLED = "This is over."
TABS = "a tab is white space (RFC 9110, 5.6.3), which llhttp strips before anybody sees it; nginx takes spaces only"
LAXER: dict[str, str] = dict.fromkeys(("te_tab", "cl_tab", "cl_trailing_tab"), TABS)
"""What the gateway takes although nginx does not, and why."""


def whole(body: bytes, kind: str = "text/plain") -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (kind.encode(), len(body), body)


def engine(request: Seen) -> bytes:
    if request.method == "GET":
        return whole(b'{"object":"list","data":[{"id":"m"}]}', "application/json")
    return whole(conversation("hello"), "text/event-stream")


class Front:
    """A server under test, and what its upstream has seen."""

    def __init__(self, port: int, upstream: Recorder) -> None:
        self.port = port
        self.upstream = upstream

    def play(self, case: Case, *, dribbled: bool = False) -> tuple[Outcome, list[Seen]]:
        """What `case` came to, and the requests that were sent on for it. A plain request behind it gives time to what
        nobody gets an answer to."""
        before = len(self.upstream.seen)
        outcome = play(self.port, case.raw, case.later, dribbled=dribbled)
        assert play(self.port, sized(body=asking(SETTLED))).statuses == [200]
        seen = self.upstream.seen[before:]
        return outcome, [one for one in seen if one.path != "/v1/models" and SETTLED.encode() not in one.body]

    def asked(self) -> int:
        return sum(seen.method == "POST" for seen in self.upstream.seen)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp("gateway")
    with Recorder(engine) as upstream:
        backend = {"engine": "openai", "model": "m", "base_url": f"http://127.0.0.1:{upstream.port}/v1"}
        config = {
            "models": {"medium": {"backends": [backend]}},
            "rules": {"packs": []},
            "server": {"max_body": "1MB"},
            "auth": {"keys": [{"name": "boss", "hash": hash_key("k-boss")}]},
        }
        path = folder / "pointsman.yaml"
        path.write_text(yaml.safe_dump(config))
        with process(["-c", str(path), "--port", "0", "--data-dir", str(folder / "data")]) as started:
            front = Front(int(started.base.rpartition(":")[2]), upstream)
            yield front
            counted = accounted(started.base, front.asked())
            assert counted == front.asked(), "the engine was asked what the gateway has no record of, or the reverse"
            assert upstream.strange == []
            assert "Traceback" not in "".join(started.lines)


def accounted(base: str, wanted: int) -> int:
    """Requests to models by the gateway's own count, which is due shortly after each answer."""
    for _ in range(1500):
        with urllib.request.urlopen(f"{base}/metrics") as answer:
            text = answer.read().decode()
        lines = [line for line in text.splitlines() if line.startswith("pointsman_requests_total{")]
        count = sum(int(float(line.rpartition(" ")[2])) for line in lines if 'stage="model"' in line)
        if count == wanted:
            break
        time.sleep(0.02)
    return count


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    if NGINX is None:
        pytest.skip(WHY_NOT)
    with (
        Recorder(lambda request: whole(request.path.encode())) as upstream,
        nginx(upstream.port, tmp_path_factory.mktemp("nginx")) as port,
    ):
        yield Front(port, upstream)


def named(cases: list[Case], failing: dict[str, str]) -> list[object]:
    """The cases as parameters; those in `failing` must fail, or the entry there goes."""

    def marks(case: Case) -> list[pytest.MarkDecorator]:
        reason = failing.get(case.name)
        return [pytest.mark.xfail(strict=True, reason=reason)] if reason else []

    return [pytest.param(case, id=case.name, marks=marks(case)) for case in cases]


def test_the_set_is_well_made():
    assert len(CASES) >= 60
    assert len({case.name for case in CASES + ENDLESS}) == len(CASES + ENDLESS)
    assert LAXER.keys() <= {case.name for case in CASES + ENDLESS}


@pytest.mark.parametrize("case", named(CASES, {}))
@pytest.mark.parametrize("dribbled", [False, True], ids=["whole", "dribbled"])
def test_what_is_ambiguous_is_refused_and_nothing_is_smuggled(gateway: Front, case: Case, dribbled: bool):
    if dribbled and len(case.raw) > 5000:
        return
    outcome, seen = gateway.play(case, dribbled=dribbled)
    if case.must == "refuse":
        assert outcome.refused, str(outcome)
        assert not outcome.kept, str(outcome)
    if case.must == "accept":
        assert outcome.statuses[0] == 200, str(outcome)
    if case.pipelined and outcome.kept:
        assert len(outcome.answers) == 2, str(outcome)
    assert not any(status >= 500 for status in outcome.statuses)
    served = [answer for answer in outcome.answers if answer.headers.get("x-pointsman-stage") == "model"]
    assert len(seen) == len(served), f"the engine was asked {len(seen)} times, the client has {outcome}"
    assert len(seen) <= (2 if case.pipelined else 1)
    texts = [json.loads(request.body)["messages"][0]["content"] for request in seen]
    assert texts in ([], [GOOD], [GOOD, HIDDEN]) or (case.pipelined and texts == [HIDDEN])
    assert HIDDEN not in texts or case.pipelined


@pytest.mark.parametrize("case", named(CASES, LAXER))
def test_what_nginx_refuses_is_refused(gateway: Front, reference: Front, case: Case):
    theirs, _ = reference.play(case)
    if not theirs.refused or 502 in theirs.statuses:  # 502: it sent on what its upstream refused
        return
    ours, _ = gateway.play(case)
    assert ours.refused, f"nginx: {theirs}; the gateway: {ours}"
    if case.must == "refuse" and not theirs.kept:
        assert not ours.kept, f"nginx: {theirs}; the gateway: {ours}"


@pytest.mark.parametrize("case", named(ENDLESS, {}))
def test_what_has_no_end_is_refused_before_it(gateway: Front, case: Case):
    answer = first_answer(gateway.port, case.raw)
    assert answer is not None
    assert answer.status in (400, 413, 431)


def test_an_upgrade_does_not_change_the_version(gateway: Front):
    outcome = play(gateway.port, sized(*UPGRADE, start=LINE[:-1] + b"0"))
    assert outcome.statuses == [200]
    assert not outcome.kept


def test_a_thousand_upgrades_at_once(gateway: Front):
    outcome = play(gateway.port, health(b"Host: x", *UPGRADE) * 1000)
    assert (set(outcome.statuses), len(outcome.answers), outcome.kept) == ({200}, 1000, True)


@pytest.mark.parametrize("where", ["at once", "later"])
def test_a_trailer_is_no_header(gateway: Front, where: str):
    """A key there would pass every proxy that looks at headers."""
    start = coded(TE, b"X-Forwarded-For: 203.0.113.7", body=chunk(BODY))
    asked = gateway.asked()
    end = b"0\r\nAuthorization: Bearer k-boss\r\n\r\n"
    outcome = play(gateway.port, start + end) if where == "at once" else play(gateway.port, start, end)
    assert outcome.statuses == [401]
    assert gateway.asked() == asked


def test_with_its_key_in_a_header_the_same_request_is_served(gateway: Front):
    outcome = play(gateway.port, coded(TE, b"X-Forwarded-For: 203.0.113.7", b"Authorization: Bearer k-boss"))
    assert outcome.statuses == [200]


@pytest.mark.parametrize("junk", [b"junk\r\n\r\n", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"])
def test_junk_during_an_answer_does_not_get_into_it(junk: bytes):
    body = json.dumps({"model": "medium", "stream": True, "messages": [{"role": "user", "content": GOOD}]}).encode()
    request = b"POST %b HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (CHAT.encode(), len(body), body)
    with door() as gateway, gateway.connect() as sock:
        gateway.engine.play = streamed(delta("a", role="assistant"), 0.5, delta("b"), delta(finish="stop"), DONE)
        sock.sendall(request)
        got = b""
        while b"data: " not in got:
            got += sock.recv(65536)
        sock.sendall(junk)
        got += b"".join(iter(partial(received, sock), b""))
    rest = got[12:]
    assert b"HTTP/1.1" not in rest or rest[: rest.index(b"HTTP/1.1")].endswith(b"\r\n0\r\n\r\n")


def received(sock: socket.socket) -> bytes:
    try:
        return sock.recv(65536)
    except ConnectionError:
        return b""
