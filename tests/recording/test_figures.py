"""Figures are numbers of tokens or nothing; words of the model are never taken for them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pointsman.recording.meter import Meter


def measured(body: bytes, size: int) -> tuple[Any, ...]:
    meter = Meter()
    for start in range(0, len(body), size):
        meter.feed(body[start : start + size])
    return meter.usage()


@pytest.mark.parametrize("value", [-1, 1 << 60, 10**30, 1.5, "7", None, [], True])
def test_what_is_no_number_of_tokens(value: Any) -> None:
    body = json.dumps({"usage": {"prompt_tokens": value, "completion_tokens": 2}}).encode()
    assert measured(body, 9) == (None, 2, None, False)


@pytest.mark.parametrize("size", [1, 100, 5000, 100_000])
def test_a_model_that_writes_of_usage(size: int) -> None:
    said = 'the reply has "usage": {"prompt_tokens": 1, "completion_tokens": 1} at its end ' * 300
    event = b"data: " + json.dumps({"choices": [{"delta": {"content": said}}]}).encode() + b"\n\n"
    end = b'data: {"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n'
    assert measured(event + end + event, size) == (7, 3, None, False)
    assert measured(event * 5, size) == (None, 2, None, True)


def test_a_stream_is_finished_where_its_last_event_has_passed() -> None:
    meter = Meter()
    meter.feed(b'data: {"choices":[{"delta":{"content":"data: [DONE]"}}]}\n\nda')
    assert not meter.finished
    meter.feed(b"ta: [DONE]")
    assert meter.finished
