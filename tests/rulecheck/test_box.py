"""Sets of circumstances against the conditions that they stand for."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.domain.features import Features
from pointsman.domain.rule import Asking, Conditions
from pointsman.rulecheck.box import Box, Some, Span, box_of, witness
from pointsman.rules.cases import plain_features
from pointsman.rules.conditions import holds
from thorough import tries

ENTRIES = frozenset(("x", "y"))
names = st.sampled_from([None, None, frozenset("x"), frozenset("xy"), frozenset("z")])
flags = st.sampled_from([None, None, True, False])
lows, highs = st.sampled_from([None, 0, 1, 3]), st.sampled_from([None, 3, 5])
conditions = st.builds(
    Conditions,
    min_tokens=lows, max_tokens=highs, min_characters=lows, max_characters=highs, min_turn=lows, max_turn=highs,
    roles=names, keys=names, groups=names, sources=names, entries=names,
    endpoints=st.sampled_from([None, frozenset(["chat"]), frozenset(["embeddings"])]),
    languages=st.sampled_from([None, frozenset(["zh"]), frozenset(["en", "other"])]),
    asked=flags, brief=flags, tools=flags, images=flags, structured=flags,
)  # fmt: skip
who = st.sampled_from([None, "x", "y", "z"])
askings = st.builds(Asking, st.sampled_from("xy"), st.sampled_from(["chat", "completions"]), who, who, who, who)
counts = st.integers(0, 7)
features = st.builds(
    Features,
    input_tokens=st.just(1), question_tokens=counts, characters=counts, language=st.sampled_from(["zh", "en", "other"]),
    turns=counts, asked=st.booleans(), code=st.just(False), tools=st.booleans(), images=st.integers(0, 2),
    structured=st.booleans(), brief=st.booleans(), task_type=st.none(), task_source=st.just("none"),
)  # fmt: skip


def inside(box: Box | None, seen: Features, asking: Asking) -> bool:
    if box is None:
        return False
    of = {
        "tokens": seen.question_tokens, "characters": seen.characters, "language": seen.language, "turn": seen.turns,
        "asked": seen.asked, "brief": seen.brief, "tools": seen.tools, "images": bool(seen.images),
        "structured": seen.structured, "endpoint": asking.endpoint, "entry": asking.entry, "role": asking.role,
        "key": asking.key, "group": asking.group, "source": asking.source,
    }  # fmt: skip
    return all(of[name] in values for name, values in box.scalars)


@settings(max_examples=tries(150, 500), deadline=None)
@given(conditions, conditions, features, askings)
def test_boxes_are_the_conditions(one: Conditions, other: Conditions, seen: Features, asking: Asking) -> None:
    first, second = box_of(one, ENTRIES), box_of(other, ENTRIES)
    assert inside(first, seen, asking) == holds(one, seen, asking)
    if first is None or second is None:
        return
    both = holds(one, seen, asking) and holds(other, seen, asking)
    assert inside(first.meet(second), seen, asking) == both
    rest = any(inside(left, seen, asking) for left in first.minus(second))
    assert rest == (holds(one, seen, asking) and not holds(other, seen, asking))


@settings(max_examples=tries(90, 300), deadline=None)
@given(conditions, features)
def test_what_is_chosen_lies_inside(made: Conditions, seen: Features) -> None:
    box = box_of(made, ENTRIES)
    if box is None:
        return
    assert holds(made, *box.circumstances(seen, free=True))
    if box.holds_text(seen):
        assert holds(made, *box.circumstances(seen))


def test_spans_value_by_value() -> None:
    spans = [Span(low, high) for low in range(5) for high in (None, *range(low, 6))]
    for one, other in itertools.product(spans, spans):
        for value in range(8):
            met = one.meet(other)
            assert (met is not None and value in met) == (value in one and value in other)
            assert any(value in left for left in one.minus(other)) == (value in one and value not in other)
            assert one.pick(value) in one


def test_sets_value_by_value() -> None:
    sets = [Some(frozenset(values), but) for values in ("", "x", "xy", "z") for but in (False, True) if values or but]
    for one, other in itertools.product(sets, sets):
        for value in (None, "x", "y", "z", "w"):
            met = one.meet(other)
            assert (met is not None and value in met) == (value in one and value in other)
            assert any(value in left for left in one.minus(other)) == (value in one and value not in other)
            assert one.pick(None) in one


def test_a_plain_request_needs_no_words() -> None:
    seen = plain_features("hi")
    box = box_of(Conditions(), frozenset(["auto"]))
    assert box is not None
    assert witness("hi", seen, *box.circumstances(seen)).given == {}
    box = box_of(Conditions(roles=frozenset("ab"), images=True, min_turn=2), frozenset(["bot"]))
    assert box is not None
    assert witness("hi", seen, *box.circumstances(seen)).given == {
        "turn": 2, "images": True, "entry": "bot", "role": "a",
    }  # fmt: skip
