"""docs/admission.md in both languages: what it shows loads, and the metrics and reasons that it names are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from pointsman.admission.auto import Why
from pointsman.config.load import load
from pointsman.routing.causes import Cause
from pointsman.telemetry import catalogue

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("admission.md", "admission.zh-CN.md")
MODELS = {"light": {"backends": [{"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}]}}

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="the wheel is tested without the repository")


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def blocks(text: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def test_both_languages_say_the_same() -> None:
    english, chinese = map(text_of, PAGES)
    for pattern in (r"^#+ ", r"^\|", r"^- ", r"^\d\. ", r"^```"):
        assert len({len(re.findall(pattern, text, re.MULTILINE)) for text in (english, chinese)}) == 1, pattern
    assert blocks(english) == blocks(chinese)
    names = [set(re.findall(r"pointsman_\w+|x-(?:pointsman|ratelimit)-[\w-]+", text)) for text in (english, chinese)]
    assert names[0] == names[1]


@pytest.mark.parametrize("number", range(len(blocks(text_of(PAGES[0])) if DOCS.exists() else [])))
def test_every_config_is_one(number: int, tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump({"models": MODELS, **yaml.safe_load(blocks(text_of(PAGES[0]))[number])}))
    load(path, None, {})


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_there_is(page: str) -> None:
    text = text_of(page)
    known = set(catalogue.FAMILIES)
    for name in set(re.findall(r"`pointsman_(\w+)", text)):
        assert re.sub(r"_(total|bucket|sum|count)$", "", name) in known or name in known, name
    for word in (*get_args(Cause), *(why for why in get_args(Why) if why not in ("begun", "unchanged"))):
        assert f"`{word}`" in text, word
