"""What docs/arbiter/training.md shows, in both languages: verbs and options that there are, sizes that are so."""

from __future__ import annotations

import re

import pytest

from docs.pages import DOCS, needs_docs
from pointsman.arbiter.cut import TOKENS
from pointsman.arbiter.lesson import MOST_TEXTS
from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.shipped_outside import shipped_outside
from pointsman.arbiter.training import outside_share
from pointsman.arbiters.background import background
from pointsman.cli import bench, calibrate
from pointsman.cli.parser import Parser

PAGES = ("training.md", "training.zh-CN.md")
pytestmark = needs_docs


def text_of(page: str) -> str:
    return (DOCS / "arbiter" / page).read_text(encoding="utf-8")


def test_both_have_the_same_figures() -> None:
    english, chinese = (re.sub(r"(CC BY|Apache-)\s?\d\.0", "", text_of(page)) for page in PAGES)
    numbers = r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w,.])"
    table = [sorted(re.findall(numbers, line)) for line in english.splitlines() if line.startswith("| ")]
    other = [sorted(re.findall(numbers, line)) for line in chinese.splitlines() if line.startswith("| ")]
    assert table == other


@pytest.mark.parametrize("page", PAGES)
def test_commands(page: str) -> None:
    commands = re.findall(r"^\$ pointsman (\w+) (.*)$", text_of(page), re.MULTILINE)
    assert len(commands) == 4
    for verb, words in commands:
        parser = Parser()
        {"bench": bench, "calibrate": calibrate}[verb].declare(parser)
        parser.parse_args(words.split())
    assert all(f"`{flag}`" in text_of(page) for flag in ("--labels", "--weak", "--dry-run", "--spelling"))


@pytest.mark.parametrize("page", PAGES)
def test_sizes(page: str) -> None:
    text = text_of(page)
    assert f"{len(background().counts):,}" in text and str(len(shipped_outside())) in text
    assert f" {TOKENS} " in text and f"{MOST_TEXTS:,}" in text and str(len(shipped_intents())) in text
    assert [round(100 * outside_share(count)) for count in (1, 15, 150)] == [94, 50, 9]
