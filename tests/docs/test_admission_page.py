"""docs/admission.md in both languages: what it shows loads, and the metrics and reasons that it names are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from docs.pages import DOCS, needs_docs, text_of
from pointsman.admission.auto import Why
from pointsman.config.load import load
from pointsman.routing.causes import Cause
from pointsman.telemetry import catalogue

PAGES = ("admission.md", "admission.zh-CN.md")
MODELS = {"light": {"backends": [{"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}]}}

pytestmark = needs_docs


def blocks(text: str) -> list[str]:
    return re.findall(r"^```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


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
