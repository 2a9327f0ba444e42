"""How fast targets are, from what records tell."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.attempt import Attempt
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import EngineTimes, Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.rates import MeasuredRates
from pointsman.recording.figures import times_of_timings
from pointsman.recording.meter import Meter
from pointsman.recording.rates import WINDOW, Rate, sample_of, weighted_median

POLICY = PolicyDocument("1", (), {}, (), (), (), (), None, 0)
ASKED = Request("r", "chat", "auto", (Turn("user", "x"),))


def record(**changes: Any) -> Record:
    """Of a stream: 1,000 tokens of which 200 were cached, 81 tokens of reply in 2 s after 0.5 s at the target."""
    given_ = {
        "target": "m@x",
        "attempts": (Attempt("m@x", 100.0, 2500.0, 200),),
        "timings": Timings(1.0, 600.0, 2600.0),
        "input_tokens": 1000,
        "cached_tokens": 200,
        "output_tokens": 81,
    }
    return Record(ASKED, 0.0, "ok", **{**given_, **changes})


class TestSample:
    def test_of_what_we_saw_of_a_stream(self) -> None:
        found = sample_of(record())
        assert found is not None
        assert (found.prefill, found.decode) == ((800, 0.5), (80, 2.0))

    def test_of_an_engine_s_own_figures(self) -> None:
        found = sample_of(record(engine_times=EngineTimes(700, 350.0, 60, 1500.0)))
        assert found is not None
        assert (found.prefill, found.decode) == ((700, 0.35), (60, 1.5))

    @pytest.mark.parametrize(
        "changes",
        [
            {"target": None},
            {"cache": "hit"},
            {"timings": Timings(1.0, None, 2600.0)},
            {"input_tokens": None, "output_tokens": None},
            {"input_tokens": 210, "output_tokens": 3},
            {"input_tokens": 210, "output_tokens": 81, "output_estimated": True},
            {"engine_times": EngineTimes(5, 350.0, 2, 1500.0)},
            {"engine_times": EngineTimes(700, 0.0, 60, 0.0)},
        ],
    )
    def test_there_is_none_where_nothing_tells(self, changes: dict[str, Any]) -> None:
        assert sample_of(record(**changes)) is None

    def test_nothing_is_learnt_from_what_failed(self) -> None:
        assert sample_of(Record(ASKED, 0.0, "cancelled", target="m@x")) is None


@given(st.lists(st.tuples(st.floats(0.1, 1e5), st.integers(1, 10_000)), min_size=1, max_size=WINDOW))
def test_the_weighted_median_is_that_of_as_many_single_ones(values: list[tuple[float, int]]) -> None:
    single = sorted(value for value, weight in values for _ in range(weight))
    assert weighted_median(sorted(values)) == single[(len(single) - 1) // 2]


class TestRate:
    def test_is_shown_to_two_digits_and_stays_until_it_has_moved(self) -> None:
        rate = Rate()
        assert rate.take(1000, 8.1)
        assert rate.shown == 120.0
        assert not rate.take(100_000, 100_000 / 128)
        assert rate.shown == 120.0, "within a tenth"
        assert rate.take(1_000_000, 1_000_000 / 140)
        assert rate.shown == 140.0

    def test_some_that_were_held_up_do_not_move_it(self) -> None:
        rate = Rate()
        for number in range(WINDOW):
            rate.take(100, 100.0 if number % 3 == 0 else 1.0)
        assert rate.shown == 100.0

    @given(st.lists(st.tuples(st.integers(8, 5000), st.floats(0.001, 500.0)), min_size=1, max_size=60))
    def test_what_is_shown_is_near_the_estimate(self, seen: list[tuple[int, float]]) -> None:
        rate = Rate()
        for tokens, seconds in seen:
            rate.take(tokens, seconds)
        estimate = weighted_median(sorted([(tokens / seconds, tokens) for tokens, seconds in seen][-WINDOW:]))
        assert rate.shown == pytest.approx(estimate, rel=0.16)


def test_who_measures_tells_only_of_what_is_news() -> None:
    rates, heard = MeasuredRates(), []
    rates.changed = heard.append
    for _ in range(5):
        rates.put(record(), POLICY, Snapshot.of(()))
    assert heard == ["m@x"]
    assert rates.of("m@x") == (1600.0, 40.0)
    assert rates.of("other") == (None, None)
    rates.keep([])
    assert rates.of("m@x") == (None, None)


TIMINGS = {"prompt_n": 12, "prompt_ms": 34.5, "predicted_n": 7, "predicted_ms": 89.0}


class TestEngineTimes:
    def test_of_a_stream_with_its_engine_s_figures(self) -> None:
        meter = Meter()
        meter.feed(b'data: {"choices": []}\n\n')
        meter.feed(b"data: " + json.dumps({"choices": [], "timings": TIMINGS}).encode() + b"\n\ndata: [DONE]\n\n")
        assert meter.engine_times() == EngineTimes(12, 34.5, 7, 89.0)

    def test_of_a_stream_without(self) -> None:
        meter = Meter()
        meter.feed(b'data: {"choices": []}\n\ndata: [DONE]\n\n')
        assert meter.engine_times() is None

    @pytest.mark.parametrize("name", TIMINGS)
    @pytest.mark.parametrize("value", [None, "x", -1, True, 1e300])
    def test_figures_that_are_none(self, name: str, value: Any) -> None:
        assert times_of_timings(json.dumps({**TIMINGS, name: value}).encode()) is None
