"""What an action's schema says of parameters, in words."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.actions.parameters import Checker, schema_problem
from pointsman.actions.specs import takes
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

SPEC = ActionSpec(
    name="stock",
    kind="http",
    parameters=takes(
        {
            "symbol": {"type": "string", "pattern": "^[A-Z]+$", "maxLength": 8},
            "days": {"type": "integer", "minimum": 1, "maximum": 30, "default": 7},
            "unit": {"enum": ["CNY", "USD"], "default": "CNY"},
            "tags": {"type": "array", "items": {"type": "string"}, "default": []},
            "token": {"type": "string", "minLength": 4, "default": ""},
        }
    ),
    redact=("token",),
)


def test_what_is_right_passes() -> None:
    Checker(SPEC).check({"symbol": "ABC", "days": 3, "unit": "USD", "tags": ["a"]})
    assert SPEC.required == ("symbol",)


@pytest.mark.parametrize(
    ("given", "param", "en", "zh"),
    [
        ({}, "parameters.symbol", "is missing", "缺失"),
        ({"symbol": "ABC", "day": 3}, "parameters.day", 'did you mean "days"', "days"),
        ({"symbol": 3}, "parameters.symbol", "must be text", "必须是文本"),
        ({"symbol": "ABC", "days": "x"}, "parameters.days", "a whole number", "整数"),
        ({"symbol": "ABC", "days": 31}, "parameters.days", "<= 30", "<= 30"),
        ({"symbol": "abc"}, "parameters.symbol", "^[A-Z]+$", "^[A-Z]+$"),
        ({"symbol": "ABCDEFGHI"}, "parameters.symbol", "<= 8 characters", "<= 8"),
        ({"symbol": "ABC", "unit": "EUR"}, "parameters.unit", "CNY, USD", "CNY, USD"),
        ({"symbol": "ABC", "tags": ["a", 1]}, "parameters.tags.1", "must be text", "必须是文本"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], param: str, en: str, zh: str) -> None:
    with pytest.raises(PointsmanError) as caught:
        Checker(SPEC).check(given)
    error = caught.value
    assert error.param == param and error.code == "bad_parameters" and error.status == 400
    assert isinstance(error.message, Said) and en in error.message and zh in error.message.zh
    assert error.message.startswith("stock: ")


def test_no_message_repeats_a_value_that_nobody_is_to_see() -> None:
    with pytest.raises(PointsmanError) as caught:
        Checker(SPEC).check({"symbol": "ABC", "token": "se"})
    assert "se" not in caught.value.message.split("token")[1].replace("characters", "")


def test_a_schema_that_is_none_is_told() -> None:
    assert schema_problem({"type": "objekt"}) is not None
    assert schema_problem({"type": "object", "properties": {"x": {"pattern": "("}}}) is not None
    assert schema_problem(SPEC.parameters) is None


def test_a_pattern_takes_linear_time() -> None:
    spec = ActionSpec(name="x", kind="http", parameters=takes({"x": {"type": "string", "pattern": "^(a+)+$"}}))
    with pytest.raises(PointsmanError):
        Checker(spec).check({"x": "a" * 50_000 + "!"})
