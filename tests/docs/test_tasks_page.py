"""docs/routing/tasks-card.md in both languages: the same figures, verbs and options that there are, sizes that are so."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

import pytest

from pointsman.cli import classify, train
from pointsman.offline.training.lessons import lessons
from pointsman.routing.classifier.tasks import shipped_bytes

DOCS = Path(__file__).resolve().parents[2] / "docs" / "routing"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(chinese: bool = False) -> str:
    return (DOCS / f"tasks-card{'.zh-CN' if chinese else ''}.md").read_text(encoding="utf-8")


def test_both_languages_say_the_same() -> None:
    english, chinese = text_of(), text_of(chinese=True)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    codes = [re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE) for text in (english, chinese)]
    assert codes[0] == codes[1]
    numbers = r"\d+\.\d+|\d,\d{3}"
    assert sorted(re.findall(numbers, english)) == sorted(re.findall(numbers, chinese))
    for text in (english, chinese):
        for link in re.findall(r"\]\(([^)#:]+\.md)\)", text):
            assert (DOCS / link).resolve().exists(), link


def test_commands() -> None:
    for name, module in (("classify", classify), ("train", train)):
        found = re.findall(rf"^\$ pointsman {name} (.*)$", text_of(), re.MULTILINE)
        assert len(found) == 2
        for words in found:
            parser = argparse.ArgumentParser()
            module.declare(parser)
            parser.parse_args(words.split())


def test_sizes() -> None:
    text = text_of()
    assert f"{len(shipped_bytes()) / 1e6:.1f} MB" in text
    sources = Counter((language, each.source) for language in ("zh", "en") for each in lessons(language))  # type: ignore[arg-type]
    own = f"{sources['zh', None]:,} Chinese, {sources['en', None]:,} English"
    assert own in text
    assert f"| {sources['en', 'self_instruct']} English |" in text
    assert f"| {sources['en', 'arena_hard']} English |" in text
