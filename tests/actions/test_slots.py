"""Slots of what actions send."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.actions.slots import filled, names_in

VALUES: dict[str, Any] = {"n": 3, "who": "张三", "read": {"text": "hello", "rows": [{"a": 1}, {"a": 2}], "none": None}}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{n}", 3),
        ("{n} of {who}", "3 of 张三"),
        ("{read.text}", "hello"),
        ("{read.rows}", [{"a": 1}, {"a": 2}]),
        ("{read.rows.1.a}", 2),
        ("rows: {read.rows}", 'rows: [{"a":1},{"a":2}]'),
        ("{read.none}", None),
        ("<{read.none}>", "<>"),
        ("{nobody}", "{nobody}"),
        ("{read.nothing.x} {n}", "{read.nothing.x} 3"),
        ("{{n}} {n}", "{n} 3"),
        ({"x": ["{n}", {"y": "{who}"}], "z": True}, {"x": [3, {"y": "张三"}], "z": True}),
        (7, 7),
    ],
)
def test_filled(template: Any, expected: Any) -> None:
    assert filled(template, VALUES) == expected


def test_a_value_is_not_read_as_a_template() -> None:
    assert filled("{a} {b}", {"a": "{b}", "b": "x"}) == "{b} x"


def test_names_in() -> None:
    assert names_in({"x": ["{a}", {"y": "{b.c} {a}"}], "z": 1}) == ["a", "b.c", "a"]
