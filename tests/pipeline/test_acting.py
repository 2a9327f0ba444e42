"""What an action of a rule is given, and what of it is shown."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.actions.specs import takes
from pointsman.domain.action import ActionSpec
from pointsman.domain.decision import Match
from pointsman.domain.policy import ActionRule
from pointsman.domain.rule import Conditions, Rule
from pointsman.pipeline.acting import HIDDEN, act_of, decide_act, shown

SPEC = ActionSpec(
    name="stock",
    kind="http",
    about={"en": "Looks up stock", "zh": "查询库存"},
    parameters=takes(
        {
            "symbol": {"type": "string", "x-about": {"en": "the article", "zh": "货号"}},
            "count": {"type": "integer"},
            "urgent": {"type": "boolean", "default": False},
            "question": {"type": "string"},
            "file": {"type": "string", "format": "file"},
            "second": {"type": "string", "format": "file", "default": ""},
        }
    ),
    redact=("symbol",),
)
RULE = Rule("stock", "own", 50, (), (), Conditions(), "stock")


@pytest.mark.parametrize(
    ("given", "slots", "files", "expected"),
    [
        ({"count": "{n}"}, {"symbol": "A1", "n": "1,200"}, ("attached:0",), {"symbol": "A1", "count": 1200}),
        ({"symbol": "X-{symbol}", "count": 3}, {"symbol": "A1"}, ("f",), {"symbol": "X-A1", "count": 3}),
        ({"count": "many"}, {"symbol": "A1"}, ("f",), {"symbol": "A1", "count": "many"}),
        ({"count": 1, "urgent": "True"}, {"symbol": "A1"}, ("f",), {"symbol": "A1", "count": 1, "urgent": True}),
        ({"count": 1}, {"symbol": "A1"}, ("f", "g"), {"symbol": "A1", "count": 1, "second": "g"}),
    ],
)
def test_what_fills_a_parameter(
    given: dict[str, Any], slots: dict[str, str], files: tuple[str, ...], expected: dict[str, Any]
) -> None:
    found = act_of(SPEC, given, slots, "how many?", files, "en")
    assert found == {**expected, "question": "how many?", "file": files[0]}


def test_a_number_that_may_be_null_is_a_number() -> None:
    spec = ActionSpec(name="x", kind="http", parameters=takes({"n": {"type": ["integer", "null"]}}))
    assert act_of(spec, {}, {"n": "7"}, "?", (), "en") == {"n": 7}


def test_what_lacks_is_told_in_the_language_of_the_question() -> None:
    assert act_of(SPEC, {}, {}, "?", (), "zh") == "“查询库存”还缺少：货号、count、file。请补充后再发一次。"
    told = act_of(SPEC, {"count": 1}, {}, "?", ("f",), "en")
    assert told == "“Looks up stock” still needs: the article. Please send it again with that."


def test_slots_of_a_slot_are_not_read() -> None:
    found = act_of(SPEC, {"symbol": "{a}", "count": 1}, {"a": "{question}", "b": "x"}, "secret", ("f",), "en")
    assert isinstance(found, dict) and found["symbol"] == "{question}"


def test_what_nobody_is_to_see_stands_in_the_parameters_alone() -> None:
    matched = (Match("symbol", "A1", 0, 2), Match("word", "stock", 3, 8))
    decision = decide_act(SPEC, {"count": 1}, RULE, matched, "A1 stock", ("f",), "en")
    assert decision.parameters["symbol"] == "A1" and decision.execution_path == ("stock",)
    assert [match.text for match in decision.matched] == [HIDDEN, "stock"] and "A1" not in decision.reason
    seen = shown(decision, {"stock": ActionRule("act", spec=SPEC)})
    assert seen.parameters["symbol"] == HIDDEN and seen.parameters["count"] == 1


def test_an_action_whose_parameter_is_called_text_is_no_reply() -> None:
    spec = ActionSpec(name="say", kind="generate", parameters=takes({"text": {"type": "string"}}))
    decision = decide_act(spec, {"text": "hello"}, RULE, (), "?", (), "en")
    assert decision.text is None and decision.parameters == {"text": "hello"}
    asks = decide_act(spec, {}, RULE, (), "?", (), "en")
    assert asks.text is not None and "text" in asks.text and asks.execution_path == ()


def test_a_value_that_is_not_to_be_seen_stays_out_however_it_was_written() -> None:
    spec = ActionSpec(name="pay", kind="http", parameters=takes({"pin": {"type": "integer"}}), redact=("pin",))
    matched = (Match("pin", "１２３４", 3, 7), Match("word", "pay", 0, 3))
    decision = decide_act(spec, {}, RULE, matched, "pay１２３４", (), "en")
    assert decision.parameters == {"pin": 1234} and [match.text for match in decision.matched] == [HIDDEN, "pay"]
    decision = decide_act(spec, {"pin": "{code}"}, RULE, (Match("code", "三十五", 0, 3),), "", (), "zh")
    assert decision.parameters == {"pin": 35} and decision.matched[0].text == HIDDEN and "三十五" not in decision.reason
