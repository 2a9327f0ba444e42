"""Which language to answer in: measured on a frozen set of 80 texts, and sane on the corners."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.request import Request, Turn
from pointsman.features.extract import extract
from pointsman.features.language import language_of

SETS = Path(__file__).resolve().parent.parent / "sets"


def test_accuracy_on_the_frozen_set() -> None:
    rows = [json.loads(line) for line in (SETS / "language.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = [
        (row["language"], language_of(row["text"]), row["text"])
        for row in rows
        if language_of(row["text"]) != row["language"]
    ]
    accuracy = 1 - len(wrong) / len(rows)
    print(f"language: accuracy {accuracy:.3f} on {len(rows)}")
    for row in wrong:
        print("  ", *row)
    assert accuracy >= 0.9


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好", "zh"),
        ("hello", "en"),
        ("请用 Python 写一个 hello world", "zh"),
        ("What does 你好 mean in English, and when would I say it?", "en"),
        ("日本語で答えてください", "other"),
        ("안녕하세요", "other"),
        ("Guten Tag, können Sie mir bitte helfen?", "other"),
        ("x = [i for i in range(10)]", "en"),
        ("12345", "en"),
        ("😀👍", "en"),
        ("", "en"),
        ("，。！", "en"),
        ("Can you explain the naïve Bayes classifier?", "en"),
        ("My résumé needs a new layout", "en"),
    ],
)
def test_corners(text: str, language: str) -> None:
    assert language_of(text) == language


@given(st.text(max_size=60))
def test_any_text_has_one(text: str) -> None:
    assert language_of(text) in ("zh", "en", "other")


@pytest.mark.parametrize(
    ("text", "header", "language"),
    [
        ("123", "zh-CN,zh;q=0.9", "zh"),
        ("", " ZH", "zh"),
        ("？？？", "en-US,zh;q=0.5", "en"),
        ("👍", None, "en"),
        ("hello", "zh-CN", "en"),
        ("你好", "en-US", "zh"),
    ],
)
def test_the_client_tells_where_the_text_does_not(text: str, header: str | None, language: str) -> None:
    request = Request("i", "chat", "auto", (Turn("user", text),), accept_language=header)
    assert extract(request).language == language
