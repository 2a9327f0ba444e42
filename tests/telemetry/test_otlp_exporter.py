"""The exporter beside a collector that is well, slow, broken, hostile or not there."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")

from msgspec.structs import replace

from pipeline.policies import ask, features
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision
from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.target import Snapshot, Target
from pointsman.telemetry.metrics import Metrics
from pointsman.telemetry.otlp import exporter as exporters
from pointsman.telemetry.otlp.exporter import Exporter, Settings
from telemetry.collector import Collector, about, collector, until

DOCUMENT = PolicyDocument(
    "0", (Target("m@a", "light", "m", "a", "vllm"),), {}, (EntryRule("auto"),), (), (), (), None, 2
)
NOBODY = Snapshot.of([])
MODEL = Decision("model", "x", features=features())
SERVED = Record(
    ask("x"), 1e9, "ok", MODEL, attempts=(Attempt("m@a", 1, 2, 200),), target="m@a",
    timings=Timings(1.0, 20.0, 1020.0, 0.1), input_tokens=5, output_tokens=11,
)  # fmt: skip


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporters, "_PAUSE", 0.02)
    monkeypatch.setattr(exporters, "_LONGEST_PAUSE", 0.05)


@contextmanager
def exporting(base: str, **changes: Any) -> Iterator[Exporter]:
    given = Settings(
        endpoint=base, headers={"authorization": "Bearer x"}, semconv="1.37", sample=1.0, every=0.05, timeout=5.0,
        traces=True, metrics=True, service="desk", instance="one", version="0.1",
    )  # fmt: skip
    found = Exporter(replace(given, **changes))
    try:
        yield found
    finally:
        found.close()


def told(exporter: Exporter, total: Counter[tuple[str, str]]) -> Counter[tuple[str, str]]:
    total.update(exporter.news())
    return total


def put(exporter: Exporter, many: int = 1, record: Record = SERVED) -> None:
    for _ in range(many):
        exporter.put(record, DOCUMENT, NOBODY)


def test_spans_and_metrics_arrive_with_who_sent_them() -> None:
    total: Counter[tuple[str, str]] = Counter()
    with collector() as there, exporting(there.base + "/otlp") as exporter:
        counts = Metrics()
        counts.put(SERVED, DOCUMENT, NOBODY)
        exporter.take(counts.counts(NOBODY, 0))
        put(exporter)
        until(
            lambda: len(there.spans) == 6 and {"gen_ai.client.token.usage", "pointsman_requests"} <= set(there.latest)
        )
        assert there.headers["authorization"] == "Bearer x"
        assert there.headers["content-type"] == "application/x-protobuf"
        resource = there.traces[0].resource_spans[0]
        assert (
            about(resource.resource)["service.name"] == "desk"
            and about(resource.resource)["service.instance.id"] == "one"
        )
        assert resource.schema_url == "https://opentelemetry.io/schemas/1.37.0"
        until(lambda: told(exporter, total)["span", "sent"] == 6)


def test_open_telemetrys_own_metrics() -> None:
    with collector() as there, exporting(there.base, traces=False) as exporter:
        put(exporter, 2)
        put(
            exporter,
            1,
            Record(ask("x"), 1e9, "failed", None, status=429, error="queue_full", timings=Timings(1, None, 5)),
        )
        until(lambda: any(p.count == 2 for p in points(there, "gen_ai.server.request.duration")))
        until(lambda: len(points(there, "gen_ai.server.request.duration")) == 2)
        found = there.latest
        assert not there.traces
    served, refused = sorted(points(there, "gen_ai.server.request.duration"), key=lambda point: -point.count)
    assert about(served) == {
        "gen_ai.operation.name": "chat", "gen_ai.provider.name": "vllm", "gen_ai.request.model": "auto",
        "gen_ai.response.model": "m",
    }  # fmt: skip
    assert served.sum == pytest.approx(2.04) and about(refused)["error.type"] == "limit"
    [first] = points(there, "gen_ai.server.time_to_first_token")
    [gap] = points(there, "gen_ai.server.time_per_output_token")
    assert first.sum == pytest.approx(0.04) and gap.sum == pytest.approx(0.2)
    usage = {about(point)["gen_ai.token.type"]: point.sum for point in points(there, "gen_ai.client.token.usage")}
    assert usage == {"input": 10, "output": 22} and found["gen_ai.client.token.usage"].unit == "{token}"
    [called] = points(there, "gen_ai.client.operation.duration")
    assert called.count == 2 and called.sum == pytest.approx(2 * 1.019)


def points(there: Collector, name: str) -> list[Any]:
    return list(there.latest[name].histogram.data_points) if name in there.latest else []


def test_made_up_models_do_not_grow_the_metrics() -> None:
    with collector() as there, exporting(there.base, traces=False) as exporter:
        for number in range(3000):
            put(exporter, 1, Record(ask("x", f"made-up-{number}"), 1e9, "failed", None, timings=Timings(1, None, 5)))
        until(lambda: any(point.count == 3000 for point in points(there, "gen_ai.server.request.duration")))
        [point] = points(there, "gen_ai.server.request.duration")
        assert about(point)["gen_ai.request.model"] == "(unknown)"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_collector_that_is_busy_is_asked_again(status: int) -> None:
    with collector() as there:
        there.answers = [status, status]
        there.more = {"retry-after": "0"}
        with exporting(there.base, metrics=False) as exporter:
            put(exporter)
            until(lambda: len(there.spans) == 6)
            assert there.asked == 3


@pytest.mark.parametrize("status", [400, 401, 404, 413, 500, 301, 307])
def test_what_it_will_never_take_is_given_up_and_no_redirect_is_followed(status: int) -> None:
    total: Counter[tuple[str, str]] = Counter()
    with collector() as there:
        there.answers = [status]
        there.more = {"location": there.base + "/elsewhere"}
        with exporting(there.base, metrics=False) as exporter:
            put(exporter)
            until(lambda: told(exporter, total)["span", "failed"] == 6)
            put(exporter)
            until(lambda: len(there.spans) == 6)
            assert there.asked == 2


def test_a_collector_that_answers_with_very_much_is_read_no_further_than_need_be() -> None:
    with collector() as there:
        there.body = b"x" * 3_000_000
        with exporting(there.base, metrics=False) as exporter:
            put(exporter)
            until(lambda: len(there.spans) == 6)
            put(exporter)
            until(lambda: len(there.spans) == 12)


def test_nobody_listens_and_a_port_that_speaks_no_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    with exporting(nobody, metrics=False) as exporter:
        put(exporter, 50)
        until(lambda: not exporter._waiting)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                with line:
                    line.sendall(b"\x00\xff\x13garbage\r\n\r\n" * 10)

        threading.Thread(target=talk, daemon=True).start()
        with exporting(f"http://127.0.0.1:{listener.getsockname()[1]}", metrics=False) as exporter:
            put(exporter, 50)
            until(lambda: not exporter._waiting)
        listener.shutdown(socket.SHUT_RDWR)


def test_one_that_hangs_costs_spans_and_no_time_of_who_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporters, "WAITING", most := 400)
    total: Counter[tuple[str, str]] = Counter()
    with collector() as there:
        there.holds = True
        with exporting(there.base, metrics=False, timeout=30.0) as exporter:
            put(exporter)
            until(lambda: there.asked == 1)
            put(exporter, 2 * most)
            assert told(exporter, total)["span", "dropped"] == most
            assert len(exporter._waiting) == most, "no more than that is held"
            there.release.set()
            until(lambda: len(there.spans) == 6 * (most + 1))


def test_a_record_that_cannot_be_told_does_not_end_the_telling() -> None:
    total: Counter[tuple[str, str]] = Counter()
    broken = Record(ask("x"), float("nan"), "ok", MODEL, timings=Timings(1, None, 5))
    with collector() as there, exporting(there.base, metrics=False) as exporter:
        put(exporter, 1, broken)
        put(exporter)
        until(lambda: len(there.spans) == 6)
        assert told(exporter, total)["span", "failed"] == 1


def test_what_is_left_is_told_at_the_end() -> None:
    with collector() as there:
        with exporting(there.base, every=3600.0) as exporter:
            put(exporter, 3)
        assert len(there.spans) == 18 and "gen_ai.server.request.duration" in there.latest


def test_the_end_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporters, "_LAST", 0.1)
    with collector() as there:
        there.holds = True
        began = time.monotonic()
        with exporting(there.base, timeout=60.0) as exporter:
            put(exporter)
        assert time.monotonic() - began < 20
