"""What becomes of a request to an entry that no rule took: never a dead end. Words for a picture go to the action `image`, a
calculation goes to the action `maths`, where the config has actions of these names; all else goes on to a model. An action
that computes itself gets only what was read whole (calculation/), so that what it would refuse goes to a model instead."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import re2

from pointsman.domain.features import Features
from pointsman.domain.policy import ActionRule
from pointsman.domain.rule import Conditions, Rule
from pointsman.pipeline.picture_words import asks_for_picture

DEGRADES = ("image", "maths")
COMPUTES = "maths"
"""The `source` of a rule whose action is of that kind: it computes itself."""
_LONGEST = 200  # characters: longer texts are about something
_ASKS_MATHS: Any = re2.compile(
    r"(?i)等于|多少|计算|算一下|算出|求|解方程|化简|导数|积分|极限|=\s*[?？]|\b(?:what is|what's|calculate|compute|solve|"
    r"evaluate|simplify|integrate|differentiate|derivative)\b"
)


def degrade_rules(actions: Mapping[str, ActionRule]) -> dict[str, Rule]:
    """Rules without conditions of their own, one for each of these actions that there is."""
    rules = {}
    for name in DEGRADES:
        if name in actions:
            spec = actions[name].spec
            source = spec.kind if spec is not None else ""
            if source == COMPUTES:
                importlib.import_module("pointsman.calculation")  # here, not in the first request
            rules[name] = Rule(f"degrade.{name}", "degrade", 0, (), (), Conditions(), name, source=source)
    return rules


def degrade_of(question: str | None, features: Features, rules: Mapping[str, Rule]) -> Rule | None:
    """The rule that the question falls to, if any. Requests with tools, pictures or a form of reply go to a model, and so
    does what answers a question of the assistant's."""
    if not rules or not question or len(question) > _LONGEST:
        return None
    if features.tools or features.images or features.structured or features.asked or features.code:
        return None
    data = question.encode(errors="replace")
    if "image" in rules and asks_for_picture(data):
        return rules["image"]
    if "maths" in rules and (_is_read(question) if rules["maths"].source == COMPUTES else _is_maths(question, data)):
        return rules["maths"]
    return None


def _is_read(question: str) -> bool:
    from pointsman.calculation import understands

    return understands(question)


def _is_maths(question: str, data: bytes) -> bool:
    """An expression that makes up most of the text, or that something is asked of."""
    from pointsman.extractors import extract, may_hold

    if not may_hold("maths", data):
        return False
    finds = extract("maths", question)
    covered = sum(find.end - find.start for find in finds)
    return bool(finds) and (covered * 2 >= len(question.strip()) or _ASKS_MATHS.search(data) is not None)
