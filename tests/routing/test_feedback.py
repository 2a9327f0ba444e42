"""From what callers say and do to what a model's quality moves by."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.feedback import Signs, Word
from pointsman.domain.quality import Quality, QualityShift
from pointsman.routing.feedback import FeedbackRules, Moved, grade_of, moves, shifts_of

TODAY = 20_000
RULES = FeedbackRules()
TABLE = [Quality("small", "math", 0.4, 20), Quality("small", None, 0.6, 40), Quality("large", None, 0.8, 1000)]


def word(model: str = "small", task: str | None = "math", **more: Any) -> Word:
    told: dict[str, Any] = {"rating": None, "adopted": None, "edited": False, "retried": False} | more
    return Word(told.pop("day", TODAY), told.pop("caller", "app"), model, task, **told)


def one(moved: tuple[Moved, ...] | list[Moved], model: str = "small", task: str | None = "math") -> Moved:
    [found] = [each for each in moved if (each.model, each.task) == (model, task)]
    return found


def crowd(count: int, **more: Any) -> list[Word]:
    """As many callers say it, each once."""
    return [word(caller=f"c{number}", **more) for number in range(count)]


@pytest.mark.parametrize(
    ("told", "grade"),
    [
        ({"rating": 5}, (1.0, 1.0)),
        ({"rating": 3}, (0.5, 1.0)),
        ({"rating": 1, "adopted": True}, (0.0, 1.0)),
        ({"adopted": True}, (1.0, 1.0)),
        ({"adopted": True, "edited": True}, (0.75, 1.0)),
        ({"adopted": False, "edited": True}, (0.0, 1.0)),
        ({"edited": True}, (0.5, 0.5)),
        ({"retried": True}, (0.0, 0.5)),
        ({}, (0.0, 0.0)),
    ],
)
def test_the_strongest_word_counts(told: dict[str, Any], grade: tuple[float, float]) -> None:
    assert grade_of(word(**told), RULES) == grade


def test_the_mean_begins_at_the_figure_of_the_table() -> None:
    # 20 grades of 0.4 and 4 of 1: (8 + 4) / 24 - 0.4 = 0.1
    assert one(moves(crowd(4, adopted=True), (), TABLE, TODAY, RULES)).shift == 0.10
    # over all tasks 40 grades of 0.6 and 4 of 1
    assert one(moves(crowd(4, adopted=True), (), TABLE, TODAY, RULES), task=None).shift == 0.04


def test_what_was_measured_by_much_moves_slowly_and_what_was_not_measured_begins_in_the_middle() -> None:
    large = one(moves(crowd(10, model="large", adopted=False), (), TABLE, TODAY, RULES), "large", "math")
    assert (large.weight, large.shift) == (200.0, -0.04)
    unknown = one(moves(crowd(2, model="new", adopted=True), (), TABLE, TODAY, RULES), "new", "math")
    assert (unknown.figure, unknown.weight, unknown.measured, unknown.shift) == (0.5, 20.0, False, 0.05)


def test_one_caller_that_votes_ten_thousand_times_moves_no_more_than_its_bound() -> None:
    few = one(moves([word(adopted=False, count=5)], (), TABLE, TODAY, RULES))
    many = one(moves([word(adopted=False, count=10_000)], (), TABLE, TODAY, RULES))
    assert many.shift == few.shift == -0.08
    others = crowd(50, adopted=True)
    against = one(moves([*others, word(caller="one", adopted=False, count=10_000)], (), TABLE, TODAY, RULES))
    assert against.shift == RULES.bound, "fifty who are content outweigh one who votes ten thousand times"


def test_a_whole_crowd_moves_no_more_than_the_bound() -> None:
    assert one(moves(crowd(500, rating=1), (), TABLE, TODAY, RULES)).shift == -RULES.bound
    assert one(moves(crowd(500, rating=5), (), TABLE, TODAY, RULES)).shift == RULES.bound


def test_it_forgets() -> None:
    def after(days: int) -> float:
        return one(moves(crowd(3, adopted=True, day=TODAY - days), (), TABLE, TODAY, RULES)).grades

    assert after(14) == pytest.approx(after(0) / 2)
    assert after(28) == pytest.approx(after(0) / 4)
    assert moves(crowd(3, adopted=True, day=TODAY - 200), (), TABLE, TODAY, RULES) == ()


def test_what_is_said_of_other_work_counts_half() -> None:
    bad = crowd(40, task="faq", adopted=False)
    alone = one(moves(crowd(1, adopted=True), (), TABLE, TODAY, RULES)).shift
    beside = one(moves([*bad, *crowd(1, adopted=True)], (), TABLE, TODAY, RULES)).shift
    assert alone > 0 > beside


def test_what_callers_do_is_held_against_what_they_do_with_others() -> None:
    everywhere = [Signs(TODAY, f"c{n}", model, "math", 40, 8, 4) for n in range(9) for model in ("small", "large")]
    assert {each.shift for each in moves((), everywhere, TABLE, TODAY, RULES)} == {0.0}
    worse = [
        *(Signs(TODAY, f"c{n}", "small", "math", 40, 30, 20) for n in range(9)),
        *(Signs(TODAY, f"c{n}", "large", "math", 40, 0, 0) for n in range(9)),
    ]
    moved = moves((), worse, TABLE, TODAY, RULES)
    assert one(moved).shift < 0 < one(moved, "large").shift
    off = msgspec.structs.replace(RULES, asked_again=0.0, hung_up=0.0)
    assert moves((), worse, TABLE, TODAY, off) == ()


def test_what_is_done_never_takes_away_from_what_is_said() -> None:
    words = crowd(3, adopted=False)
    quiet = [Signs(TODAY, "other", "small", "math", 10_000, 0, 0)]
    assert one(moves(words, quiet, TABLE, TODAY, RULES)).shift == one(moves(words, (), TABLE, TODAY, RULES)).shift


def test_routing_gets_a_task_of_its_own_where_it_differs_from_the_whole() -> None:
    def moved(task: str | None, shift: float) -> Moved:
        return Moved("m", task, 0.5, 20.0, False, 1, 0, 1.0, shift)

    assert shifts_of([moved(None, 0.0), moved("math", 0.0)]) == ()
    assert shifts_of([moved(None, -0.02), moved("math", 0.0), moved("faq", 0.01)]) == (
        QualityShift("m", None, -0.02),
        QualityShift("m", "math", 0.0),
        QualityShift("m", "faq", 0.01),
    )


_words = st.lists(
    st.builds(
        Word,
        day=st.integers(TODAY - 200, TODAY + 1),
        caller=st.sampled_from(["a", "b", "部门"]),
        model=st.sampled_from(["small", "large", "new"]),
        task=st.sampled_from(["math", "faq", None]),
        rating=st.none() | st.integers(1, 5),
        adopted=st.none() | st.booleans(),
        edited=st.booleans(),
        retried=st.booleans(),
        count=st.integers(1, 10_000),
    ),
    max_size=12,
)
_signs = st.lists(
    st.builds(
        lambda day, caller, model, task, replies, again, hung: Signs(
            day, caller, model, task, replies, min(again, replies), min(hung, replies)
        ),
        st.integers(TODAY - 200, TODAY + 1),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["small", "large"]),
        st.sampled_from(["math", None]),
        *[st.integers(0, 500)] * 3,
    ),
    max_size=8,
)


@given(_words, _signs, st.sampled_from([0.0, 0.005, 0.095, 0.1, 0.5]), st.randoms())
def test_it_is_bounded_rounded_and_knows_no_order(
    words: list[Word], signs: list[Signs], bound: float, random: Any
) -> None:
    rules = msgspec.structs.replace(RULES, bound=bound)
    moved = moves(words, signs, TABLE, TODAY, rules)
    for each in moved:
        assert abs(each.shift) <= bound
        assert 0.0 <= each.figure + each.shift <= 1.0
        assert round(each.shift, 2) == each.shift
    random.shuffle(words)
    random.shuffle(signs)
    assert moves(words, signs, TABLE, TODAY, rules) == moved


@given(_words, st.integers(1, 10_000))
def test_more_praise_never_lowers_and_more_complaint_never_raises(words: list[Word], count: int) -> None:
    """Of callers who said nothing before."""
    mine = [each for each in words if (each.model, each.task) == ("small", "math")]
    before = {each.shift for each in moves(mine, (), TABLE, TODAY, RULES) if each.task == "math"} or {0.0}
    praise = one(moves([*mine, word(caller="z", rating=5, count=count)], (), TABLE, TODAY, RULES))
    complaint = one(moves([*mine, word(caller="z", rating=1, count=count)], (), TABLE, TODAY, RULES))
    assert complaint.shift <= before.pop() <= praise.shift
