"""docs/routing/bench-route.md and the card of difficulties, in both languages: the same figures, verbs that there are."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from pointsman.cli.bench_route import declare_route
from pointsman.cli.train_scores import declare_scores
from pointsman.routing.classifier.difficulty import HEADS, shipped_difficulty

DOCS = Path(__file__).resolve().parents[2] / "docs" / "routing"
PAGES = ("bench-route", "difficulty-card")
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(page: str, chinese: bool = False) -> str:
    return (DOCS / f"{page}{'.zh-CN' if chinese else ''}.md").read_text(encoding="utf-8")


def test_commands() -> None:
    for page, declare in (("bench-route", declare_route), ("difficulty-card", declare_scores)):
        [words] = re.findall(r"^\$ pointsman (?:bench route|train) (.*)$", text_of(page), re.MULTILINE)
        parser = argparse.ArgumentParser()
        declare(parser)
        if page == "difficulty-card":
            parser.add_argument("--out")
        parser.parse_args(words.split())
    parser = argparse.ArgumentParser()
    declare_route(parser)
    told = {option for action in parser._actions for option in action.option_strings}
    assert set(re.findall(r"`(--[a-z-]+)", text_of("bench-route"))) <= told


def test_what_the_card_says_of_the_model_that_ships() -> None:
    made, card = shipped_difficulty(), text_of("difficulty-card")
    words = re.search(r"^\$ pointsman train (.*)$", card, re.MULTILINE)
    assert words is not None
    assert re.findall(r"--light (\S+)", words[1]) == made.about["light"].split(", ")
    assert re.findall(r"--heavy (\S+)", words[1]) == made.about["heavy"].split(", ")
    assert made.about["questions"] == "5608" and "5,608" in card
    assert all(f"`{head}`" in card for head in HEADS)
