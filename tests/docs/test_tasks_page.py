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
