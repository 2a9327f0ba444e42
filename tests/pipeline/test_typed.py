"""A text of a message as its schema wants it, and what is said where it is none."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.actions.parameters import Checker
from pointsman.actions.specs import takes
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said
from pointsman.pipeline.typed import typed

TODAY = datetime.date(2026, 11, 30)
WHOLE, NUMBER, TRUTH = {"type": "integer"}, {"type": "number"}, {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
MAYBE = {"type": ["integer", "null"]}
EITHER = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
SIZE = {"enum": ["Small", "LARGE", 3, None]}


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("7", WHOLE, 7), (" 1,200 ", WHOLE, 1200), ("１２", WHOLE, 12), ("三十五", WHOLE, 35), ("3.0", WHOLE, 3),
        ("1e3", WHOLE, 1000), ("-4", WHOLE, -4), ("负四", WHOLE, -4), ("3个", WHOLE, 3), ("两台", WHOLE, 2),
        ("1.5万", WHOLE, 15000), ("2 million", WHOLE, 2000000), ("3.5", WHOLE, "3.5"), ("many", WHOLE, "many"),
        ("", WHOLE, ""), ("9" * 300, WHOLE, "9" * 300), ("1e999999", WHOLE, "1e999999"), ("三三两两", WHOLE, "三三两两"),
        ("12 or 13", WHOLE, "12 or 13"), ("12,34", WHOLE, "12,34"),
        ("3.5", NUMBER, 3.5), ("三点五", NUMBER, 3.5), ("−2.5", NUMBER, -2.5), ("1e-3", NUMBER, 0.001),
        ("nan", NUMBER, "nan"), ("inf", NUMBER, "inf"),
        ("True", TRUTH, True), ("是的", TRUTH, True), ("不要", TRUTH, False), ("off", TRUTH, False),
        ("maybe", TRUTH, "maybe"),
        ("7", MAYBE, 7), ("null", MAYBE, None), ("无", MAYBE, None), ("", MAYBE, None), ("seven", MAYBE, "seven"),
        ("7", EITHER, 7), ("", EITHER, None), ("x", EITHER, "x"),
        ("none", {"type": ["string", "null"]}, "none"), ("7", {"type": ["string", "integer"]}, "7"),
        ("yes", {"oneOf": [{"type": "number"}, {"type": "boolean"}]}, True),
        ("2", {"anyOf": [{"anyOf": [{"type": "integer"}]}, {"type": "null"}]}, 2),
        ("small", SIZE, "Small"), ("ｌａｒｇｅ ", SIZE, "LARGE"), ("3", SIZE, 3), ("three", SIZE, "three"),
        ("无", SIZE, None),
        ("三", SIZE, 3), ("5", {"anyOf": [{"enum": ["all"]}, {"type": "integer"}]}, 5), ("x", {"const": "X"}, "X"),
        ("2026-12-01", DAY, "2026-12-01"), ("2026/1/5", DAY, "2026-01-05"), ("2026年2月3日", DAY, "2026-02-03"),
        ("20260203", DAY, "2026-02-03"), ("2026-02-30", DAY, "2026-02-30"), ("明天", DAY, "2026-12-01"),
        ("tomorrow", DAY, "2026-12-01"), ("上周", DAY, "上周"), ("whenever", DAY, "whenever"),
        ("明天", {"anyOf": [DAY, {"type": "null"}]}, "2026-12-01"),
        ("2026-12-01T09:00:00+08:00", MOMENT, "2026-12-01T09:00:00+08:00"), ("2026-12-01T09:00", MOMENT, "2026-12-01T09:00"),
        ("7", {"type": "array", "items": WHOLE}, [7]), ("x", {}, "x"), ("x", {"type": "string"}, "x"),
        (7, WHOLE, 7), (None, WHOLE, None), (["7"], WHOLE, ["7"]),
    ],
)  # fmt: skip
def test_texts(text: Any, schema: dict[str, Any], value: Any) -> None:
    found = typed(text, schema, TODAY)
    assert found == value and type(found) is type(value)


def test_without_a_day_no_distance_is_counted() -> None:
    assert typed("明天", DAY) == "明天" and typed("2026/1/5", DAY) == "2026-01-05"


@given(st.text(), st.sampled_from([WHOLE, NUMBER, TRUTH, DAY, MOMENT, MAYBE, EITHER, SIZE]))
def test_whatever_comes_it_is_what_is_wanted_or_as_it_was(text: str, schema: dict[str, Any]) -> None:
    found = typed(text, schema, TODAY)
    if found != text or not isinstance(found, str):
        Checker(ActionSpec(name="x", kind="http", parameters=takes({"x": schema}))).check({"x": found})


@pytest.mark.parametrize(
    ("schema", "en", "zh"),
    [
        (WHOLE, "must be a whole number", "必须是整数"),
        (MAYBE, "must be a whole number or null", "必须是整数或null"),
        (EITHER, "must be a whole number or null", "必须是整数或null"),
        (TRUTH, "must be true or false", "必须是true 或 false"),
        (DAY, "must be a day such as 2026-12-31", "必须是日期，例如 2026-12-31"),
        ({"anyOf": [DAY, {"enum": ["any"]}]}, "must be a day such as 2026-12-31 or one of any", "或下列之一：any"),
        ({"type": "string", "format": "email"}, "must be an e-mail address", "必须是邮箱地址"),
        (SIZE, "must be one of Small, LARGE, 3, null", "必须是下列之一"),
        ({"anyOf": [{"minimum": 3, "type": "integer"}]}, "must be a whole number", "必须是整数"),
    ],
)
def test_what_is_no_such_value_is_told(schema: dict[str, Any], en: str, zh: str) -> None:
    value = typed("secret words", schema, TODAY)
    spec = ActionSpec(name="stock", kind="http", parameters=takes({"x": schema}))
    with pytest.raises(PointsmanError) as caught:
        Checker(spec).check({"x": value})
    message = caught.value.message
    assert isinstance(message, Said) and caught.value.param == "parameters.x"
    assert en in message and zh in message.zh and "secret" not in message
