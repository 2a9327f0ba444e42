"""Moments as people write them, and what a request's words name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.actions.media.asked import asked_of
from pointsman.actions.media.moments import clock, seconds_of


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("90", 90), ("1.5", 1.5), (90, 90), ("1:23", 83), ("1：23", 83), ("01:02:03.5", 3723.5), ("0:00", 0),
        ("90s", 90), ("1m30s", 90), ("1h", 3600), ("1h2m3s", 3723), ("2 minutes", 120), ("1 hour 5 min", 3900),
        ("1分30秒", 90), ("1分30", 90), ("一分半", 90), ("半分钟", 30), ("三十秒", 30), ("1小时2分", 3720),
        ("一小时半", 5400), ("90 秒", 90), ("两分钟", 120), ("十五秒", 15),
    ],
)  # fmt: skip
def test_moments(written: Any, seconds: float) -> None:
    assert seconds_of(written) == seconds


@pytest.mark.parametrize(
    "written",
    ["", "abc", "-3", -3, "1:75", "1:2:75", "1:75:00", "1:2:3:4", "1e9", float("inf"), float("nan"), "秒", "9" * 100],
)
def test_what_is_no_moment(written: Any) -> None:
    assert seconds_of(written) is None


@given(st.integers(0, 359_999))
def test_a_clock_reads_back(seconds: int) -> None:
    assert seconds_of(clock(seconds)) == seconds


@given(st.text(max_size=80))
def test_any_text_is_a_moment_or_none(written: str) -> None:
    found = seconds_of(written)
    assert found is None or found >= 0


@given(
    st.sampled_from(["convert", "trim", "audio", "thumbnail"]),
    st.text("0123456789:. 分秒时前后最从到第 fromtolastsec", max_size=80),
)
def test_any_words(do: Any, question: str) -> None:
    found = asked_of(do, question)
    assert all(value >= 0 for key, value in found.items() if key != "format")


@pytest.mark.parametrize(
    ("do", "question", "found"),
    [
        ("convert", "把这段录音转成mp3", {"format": "mp3"}),
        ("convert", "convert talk.mp4 to webm please", {"format": "webm"}),
        ("convert", "把 talk.mp4 转成 MKV 格式", {"format": "mkv"}),
        ("convert", "turn it into a jpeg", {"format": "jpg"}),
        ("convert", "make it smaller", {}),
        ("audio", "提取音频为 mp4", {}),
        ("trim", "截取1:20到2:05", {"start": 80, "end": 125}),
        ("trim", "cut it from 1:20 to 2:05", {"start": 80, "end": 125}),
        ("trim", "从1分30秒到2分", {"start": 90, "end": 120}),
        ("trim", "please cut out 0:01 to 0:02", {"start": 1, "end": 2}),
        ("trim", "10s - 20s", {"start": 10, "end": 20}),
        ("trim", "只要前30秒", {"end": 30}),
        ("trim", "keep the first 30 seconds", {"end": 30}),
        ("trim", "最后一分半", {"last": 90}),
        ("trim", "the last 5 s", {"last": 5}),
        ("trim", "剪掉前10秒", {"start": 10}),
        ("trim", "remove the first 10 seconds and the last 5 seconds", {"start": 10, "but_last": 5}),
        ("trim", "删掉1:00到2:00", {}),
        ("trim", "从第10秒开始截取5秒", {"start": 10, "duration": 5}),
        ("trim", "from 5 seconds for 2 seconds", {"start": 5, "duration": 2}),
        ("thumbnail", "截取第10秒的画面", {"at": 10}),
        ("thumbnail", "a thumbnail at 0:10 as jpeg", {"at": 10, "format": "jpg"}),
        ("thumbnail", "在1:05处截图", {"at": 65}),
    ],
)
def test_what_words_name(do: Any, question: str, found: dict[str, Any]) -> None:
    assert asked_of(do, question) == found
