"""What is unambiguous is repaired, all else is not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.arbiter.llm.repair import MOST, as_number, object_in

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner))
objects = st.dictionaries(st.text(max_size=6), values, max_size=4)
plain_words = st.text("abc XYZ,.:!?你好\n", max_size=30)


@given(objects)
def test_a_sound_object_is_itself(value: dict[str, Any]):
    assert object_in(json.dumps(value)) == value
    assert object_in(f"  {json.dumps(value, ensure_ascii=False, indent=2)}\n") == value


@given(objects, plain_words, plain_words)
def test_words_around_it_and_a_fence(value: dict[str, Any], before: str, after: str):
    text = json.dumps(value)
    assert object_in(f"{before}{text}{after}") == value
    if "```" not in text:
        assert object_in(f"{before}```json\n{text}\n```{after}") == value
        assert object_in(f"{before}```\n{text}") == value


def with_commas(value: Any) -> str:
    """JSON with a comma after each last element."""
    if isinstance(value, dict):
        inside = "".join(f"{json.dumps(key)}: {with_commas(part)}, " for key, part in value.items())
        return "{" + inside + "}"
    if isinstance(value, list):
        return "[" + "".join(f"{with_commas(part)},\n" for part in value) + "]"
    return json.dumps(value)


@given(objects)
def test_trailing_commas(value: dict[str, Any]):
    assert object_in(with_commas(value)) == value


@given(st.text(max_size=80))
def test_anything_at_all_gives_an_object_or_nothing(text: str):
    found = object_in(text)
    assert found is None or isinstance(found, dict)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        "3",
        '{"a": 1',
        '{"a": 1} or {"a": 2}',
        "{a: 1}",
        "{'a': 1}",
        '{"a": ,}',
        "{,}",
        "{" * 5000,
        "x" * MOST * 2,
    ],
)
def test_what_could_mean_two_things_or_nothing(text: str):
    assert object_in(text) is None


@pytest.mark.parametrize(
    "value, types, meant",
    [
        ("3", ("integer",), 3),
        ("3.0", ("integer",), 3),
        ("3.5", ("number",), 3.5),
        (" -2e3 ", ("number", "null"), -2000),
        ("3.5", ("integer",), "3.5"),
        ("3", ("string", "integer"), "3"),
        ("3 pieces", ("integer",), "3 pieces"),
        ("1e999", ("number",), "1e999"),
        (4, ("string",), 4),
    ],
)
def test_numbers_in_quotes(value: Any, types: tuple[str, ...], meant: Any):
    assert as_number(value, types) == meant
