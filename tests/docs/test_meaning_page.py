"""docs/routing/meaning.md in both languages: the same figures, commands that there are, limits that are so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.cli import bench, classify, train
from pointsman.cli.parser import Parser
from pointsman.config.policy_schema import Classifier
from pointsman.pipeline import meanings
from pointsman.routing.classifier.meaning import TOKENS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "routing"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(chinese: bool = False) -> str:
    return (DOCS / f"meaning{'.zh-CN' if chinese else ''}.md").read_text(encoding="utf-8")


def test_both_languages_say_the_same() -> None:
    english, chinese = text_of(), text_of(chinese=True)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^```", r"^\d\. "):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    codes = [re.findall(r"^```.*?^```$", text, re.DOTALL | re.MULTILINE) for text in (english, chinese)]
    assert codes[0] == codes[1]
    numbers = r"\d+\.\d+|\d,\d{3}"
    assert sorted(re.findall(numbers, english)) == sorted(re.findall(numbers, chinese))
    for text in (english, chinese):
        for link in re.findall(r"\]\(([^)#:]+\.md)\)", text):
            assert (DOCS / link).resolve().exists(), link


@pytest.mark.parametrize(("name", "module"), [("classify", classify), ("train", train), ("bench", bench)])
def test_commands(name: str, module: object) -> None:
    found = re.findall(rf"^\$ pointsman {name} (.*)$", text_of(), re.MULTILINE)
    assert found
    for words in found:
        parser = Parser()
        module.declare(parser)  # type: ignore[attr-defined]
        parser.parse_args(words.split())


def test_limits() -> None:
    text = text_of()
    assert f"timeout: {Classifier().timeout:g}" in text and f"first {TOKENS} tokens" in text
    assert (meanings.MOST, meanings._AGAIN) == (8, 5.0) and "eight texts" in text and "five seconds" in text
