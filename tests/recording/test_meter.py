"""What passes is measured without being read twice: tokens from the engine's own figures, wherever the bytes are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import ask
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.recording.fanout import Fanout
from pointsman.recording.meter import Meter

USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "prompt_tokens_details": {"cached_tokens": 2}}


def stream(*events: Any) -> bytes:
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def measured(body: bytes, size: int = 10_000) -> tuple[int | None, int | None, int | None, bool]:
    meter = Meter()
    for start in range(0, len(body), size):
        meter.feed(body[start : start + size])
    return meter.usage()


DELTAS = [{"choices": [{"delta": {"content": word}}]} for word in ("a", "b", "c")]


@pytest.mark.parametrize(
    ("body", "usage"),
    [
        (json.dumps({"choices": [], "usage": USAGE}).encode(), (7, 3, 2, False)),
        (stream(*DELTAS, {"choices": [], "usage": USAGE}), (7, 3, 2, False)),
        (stream(*DELTAS, {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}), (7, 3, None, False)),
        (
            stream(*DELTAS, {"choices": [], "timings": {"cache_n": 2, "prompt_n": 5, "predicted_n": 3}}),
            (7, 3, 2, False),
        ),
        (stream({"choices": [], "usage": None}, *DELTAS, {"usage": USAGE}), (7, 3, 2, False)),
        (stream({"usage": USAGE}, {"choices": [], "usage": None}), (7, 3, 2, False)),
        (json.dumps({"usage": {"prompt_tokens": "7", "completion_tokens": True}}).encode(), (None, None, None, False)),
        (json.dumps({"usage": {"prompt_tokens": 5}, "data": []}).encode(), (5, None, None, False)),
    ],
)
def test_the_figures_of_engines(body: bytes, usage: tuple[Any, ...]) -> None:
    for size in (1, 3, 17, 10_000):
        assert measured(body, size) == usage


def test_figures_of_a_pretty_printed_reply() -> None:
    """Some engines and proxies indent their JSON."""
    assert measured(json.dumps({"choices": [], "usage": USAGE}, indent=2).encode()) == (7, 3, 2, False)


def test_figures_before_a_long_tail() -> None:
    """A reply that is not streamed holds `usage` wherever the engine puts it: before a long text, too."""
    body = {"usage": USAGE, "choices": [{"message": {"content": "word " * 2000}}]}
    assert measured(json.dumps(body).encode()) == (7, 3, 2, False)


def test_figures_after_a_long_text() -> None:
    body = {"choices": [{"message": {"content": "word " * 2000}}], "usage": USAGE}
    assert measured(json.dumps(body).encode()) == (7, 3, 2, False)


def test_without_figures_the_events_are_counted() -> None:
    role, finish = (
        {"choices": [{"delta": {"role": "assistant"}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
    )
    assert measured(stream(role, *DELTAS, finish)) == (None, 3, None, True)


def test_the_word_data_in_a_text_is_no_event() -> None:
    events = [{"choices": [{"delta": {"content": "data: data: data: data:"}}]}] * 3
    role, finish = (
        {"choices": [{"delta": {"role": "assistant"}}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
    )
    assert measured(stream(role, *events, finish)) == (None, 3, None, True)


@pytest.mark.parametrize("size", [1, 2, 4, 7])
def test_events_are_counted_wherever_the_bytes_are_cut(size: int) -> None:
    body = stream({"choices": [{"delta": {"role": "assistant"}}]}, *DELTAS * 10, {"choices": [{"delta": {}}]})
    assert measured(body, size) == measured(body)


def test_nothing_came() -> None:
    assert Meter().usage() == (None, None, None, True)


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_any_bytes_have_some_figures(chunks: list[bytes]) -> None:
    meter = Meter()
    for chunk in chunks:
        meter.feed(chunk)
    assert len(meter.usage()) == 4


class TestFanout:
    def test_each_recorder_gets_each_record_in_turn(self) -> None:
        seen: list[tuple[str, str]] = []

        class Note:
            def __init__(self, name: str) -> None:
                self.name = name

            def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
                seen.append((self.name, record.request.id))

        Fanout([Note("a"), Note("b")]).put(
            Record(ask("x"), 0.0, "ok"), PolicyDocument("0", (), {}, (), (), (), (), None, 2), Snapshot.of([])
        )
        assert seen == [("a", "r1"), ("b", "r1")]


@pytest.mark.parametrize("cut", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("stream", "last"),
    [
        (b"data: {1}\n\ndata: {2}\n\n", b"data: {2}\n\n"),
        (b"data: {1}\n\ndata: {2}\n\ndata: [DONE]\n\n", b"data: {2}\n\n"),
        (b"data: {1}\r\n\r\ndata: {2}\r\n\r\n", b"data: {2}\n\n"),
        (b"data: {1}\n\n: waiting\n\n", b"data: {1}\n\n: waiting\n\n"),
        (b"data: {1}", b"data: {1}\n\n"),
        (b"", b"\n\n"),
    ],
)
def test_the_last_event(stream: bytes, last: bytes, cut: int) -> None:
    meter = Meter()
    for start in range(0, len(stream), cut):
        meter.feed(stream[start : start + cut])
    assert meter.last_event == last
