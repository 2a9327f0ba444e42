"""docs/extractors.md and its Chinese twin: their example runs, they list every kind, and they say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.extractors import KINDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
FILES = [DOCS / "extractors.md", DOCS / "extractors.zh-CN.md"]

pytestmark = pytest.mark.skipif(not FILES[0].exists(), reason="the wheel is tested without the repository")


def texts() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in FILES]


def test_the_example_runs_and_is_the_same() -> None:
    english, chinese = (re.findall(r"```python\n(.*?)```", text, re.DOTALL) for text in texts())
    assert english == chinese
    for code in english:
        exec(code, {})


def test_every_kind_has_its_row_in_both() -> None:
    for text in texts():
        assert tuple(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == KINDS


def test_the_same_headings_rows_and_code_words() -> None:
    english, chinese = texts()
    for pattern in (r"^#+ ", r"^\|", r"^- "):
        assert len(re.findall(pattern, english, re.MULTILINE)) == len(re.findall(pattern, chinese, re.MULTILINE)), (
            pattern
        )
    words = [set(re.findall(r"`([a-z_]+)`", text)) for text in (english, chinese)]
    assert words[0] == words[1]
