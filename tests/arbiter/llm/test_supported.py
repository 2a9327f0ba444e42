"""What a model made up is left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.arbiter.llm.supported import Source, supported
from pointsman.domain.json_schema import validator_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "region": {"type": "string"},
        "top": {"type": "integer", "minimum": 1, "maximum": 100},
        "rate": {"type": ["number", "null"]},
        "format": {"enum": ["pdf", "xlsx"]},
        "charts": {"type": "boolean"},
        "codes": {"type": "array", "items": {"type": "string"}},
        "who": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}},
        "day": {"$ref": "#/$defs/day"},
    },
    "$defs": {"day": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}},
}


def told(text: str, context: dict[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    return supported(values, SCHEMA, Source(text, context))


@pytest.mark.parametrize(
    "text, values, kept",
    [
        ("导出华东 区前10名", {"region": "华东区", "top": 10}, {"region": "华东区", "top": 10}),
        ("EAST coast", {"region": "east Coast"}, {"region": "EAST coast"}),
        ("前十名", {"top": 10}, {"top": 10}),
        ("前１０名", {"top": "10"}, {"top": 10}),
        ("export it", {"region": "East", "top": 5}, {}),
        ("export 200", {"top": 200}, {}),
        ("at 12.5 %", {"rate": "12.5"}, {"rate": 12.5}),
        ("export it", {"format": "pdf", "charts": True}, {"format": "pdf", "charts": True}),
        ("export it", {"format": "docx"}, {}),
        ("A1 and B2", {"codes": ["A1", "C3", "b2"]}, {"codes": ["A1", "B2"]}),
        ("unlock alice", {"who": {"name": "Alice"}}, {"who": {"name": "alice"}}),
        ("A1", {"codes": ["C3"]}, {}),
        ("Ann is here", {"who": {"name": "Ann", "age": 30}}, {"who": {"name": "Ann"}}),
        ("on 2025-06-01", {"day": "2025-06-01"}, {"day": "2025-06-01"}),
        ("on 1 June", {"day": "1 June"}, {}),
        ("x", {"unknown": "x", "region": None, "top": ""}, {}),
    ],
)
def test_what_the_query_says(text: str, values: dict[str, Any], kept: dict[str, Any]):
    assert told(text, **values) == kept


def test_what_was_read_in_it_by_rule_is_said_too():
    context = {"time_range": {"from": "2025-05-01", "to": "2025-05-31"}}
    assert told("last month", context, day="2025-05-01") == {"day": "2025-05-01"}
    assert told("last month", None, day="2025-05-01") == {}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from([*SCHEMA["properties"], "other"]), anything), st.text(max_size=60))
def test_what_is_left_always_holds_to_the_schema(values: dict[str, Any], text: str):
    kept = supported(values, SCHEMA, Source(text))
    assert validator_of(SCHEMA).is_valid(kept)
