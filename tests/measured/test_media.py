"""The rules of `examples/media_rules.yaml` against requests to convert or cut sound and film, and requests that only mention
them: `tests/sets/media/requests.jsonl` with {"text", "takes"}. `-s` prints what was wrong, and the figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointsman.library import Rules

ROOT = Path(__file__).parents[2]
SET = ROOT / "tests" / "sets" / "media" / "requests.jsonl"
pytestmark = pytest.mark.skipif(not SET.exists(), reason="no set of requests for sound and film")
PRECISION, RECALL = 0.97, 0.95
"""Floors, a little below what is reached. The rules were written with these texts at hand."""


def test_what_the_rules_take() -> None:
    rules = Rules.load(ROOT / "examples" / "media_rules.yaml")
    right = wrong = wanted = 0
    for line in SET.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        taken = rules.decide(row["text"]).taken
        right += taken and row["takes"]
        wrong += taken and not row["takes"]
        wanted += row["takes"]
        if taken != row["takes"]:
            print("taken wrongly:" if taken else "missed:", row["text"])
    precision, recall = right / (right + wrong), right / wanted
    print(f"precision {precision:.3f} recall {recall:.3f}: {right} of {wanted} requests, and {wrong} others")
    assert precision >= PRECISION and recall >= RECALL
