"""What a webhook tells, and when it is told again."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.webhook import LONGEST_PAUSE, PAUSES, Notice, pause_after, payload

NOTICE = Notice("https://hooks.example.com/x", "job.completed", "job_abc", 1667507170.344522)


def test_a_notice_survives_the_store():
    assert Notice.decode(NOTICE.encode()) == NOTICE
    assert msgspec.msgpack.decode(NOTICE.encode()) == [
        "https://hooks.example.com/x",
        "job.completed",
        "job_abc",
        1667507170.344522,
    ]
    for bad in (b"", b"\x90", msgspec.msgpack.encode(["u", "job.exploded", "j", 0.0])):
        with pytest.raises(msgspec.DecodeError):
            Notice.decode(bad)


def test_the_payload():
    read = json.loads(payload(NOTICE, {"id": "job_abc", "status": "completed", "中": [1, None]}))
    assert read == {
        "type": "job.completed",
        "timestamp": "2022-11-03T20:26:10.344Z",
        "data": {"id": "job_abc", "status": "completed", "中": [1, None]},
    }
    whole = msgspec.structs.replace(NOTICE, happened=0.0)
    assert json.loads(payload(whole, {}))["timestamp"] == "1970-01-01T00:00:00.000Z"


def test_ten_tries_within_three_days():
    pauses = [pause_after(failures, "webhook_1") for failures in range(1, 11)]
    assert pauses[-1] is None and None not in pauses[:-1]
    assert sum(PAUSES) > 2 * 86400 and sum(pauses[:-1]) < 3.4 * 86400
    assert sorted(pauses[:-2]) == pauses[:-2]


@given(st.integers(1, len(PAUSES)), st.text(max_size=40), st.none() | st.floats(0, 1e9))
def test_pauses_have_their_bounds_and_are_the_same_everywhere(failures: int, message_id: str, asked: float | None):
    pause = pause_after(failures, message_id, asked)
    assert pause is not None
    least = max(PAUSES[failures - 1], min(asked or 0.0, LONGEST_PAUSE))
    assert least <= pause <= least * 1.2
    assert pause == pause_after(failures, message_id, asked)


def test_what_failed_together_is_not_tried_again_together():
    assert len({pause_after(1, f"webhook_{number}") for number in range(100)}) == 100
    assert pause_after(1, "webhook_1") / PAUSES[0] != pause_after(2, "webhook_1") / PAUSES[1]
