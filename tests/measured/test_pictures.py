"""Requests for pictures, and requests that only mention them, written by somebody who had not seen the code: `tests/sets/
image/requests.jsonl` with {"text", "takes"}. `-s` prints what was missed or taken wrongly, and the figures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pointsman.domain.request import Request, Turn
from pointsman.domain.rule import Conditions, Rule
from pointsman.features.extract import extract
from pointsman.pipeline.degrade import degrade_of

SET = Path(__file__).parents[1] / "sets" / "image" / "requests.jsonl"
pytestmark = pytest.mark.skipif(not SET.exists(), reason="no set of requests for pictures")
PRECISION, RECALL = 0.97, 0.94
"""Floors, a little below what is reached."""


def test_what_goes_to_the_action() -> None:
    rules = {"image": Rule("degrade.image", "degrade", 0, (), (), Conditions(), "image")}
    right = wrong = wanted = 0
    for line in SET.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = row["text"]
        features = extract(Request("req_1", "chat", "auto", (Turn("user", text),)), None, text)
        taken = degrade_of(text, features, rules) is not None
        right += taken and row["takes"]
        wrong += taken and not row["takes"]
        wanted += row["takes"]
        if taken != row["takes"]:
            print("taken wrongly:" if taken else "missed:", text)
    precision, recall = right / (right + wrong), right / wanted
    print(f"precision {precision:.3f} recall {recall:.3f}: {right} of {wanted} requests, and {wrong} others")
    assert precision >= PRECISION and recall >= RECALL
