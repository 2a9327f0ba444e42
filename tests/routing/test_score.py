"""Scores against a slow and obvious way to get them, and what must hold of any score."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import features
from pointsman.domain.decision import TargetChoice
from pointsman.domain.policy import Weights
from pointsman.domain.quality import Quality, QualityShift
from pointsman.domain.target import BackendState, Load, ModelFacts, Snapshot, Target
from pointsman.routing.latency import duration, expected_output
from pointsman.routing.quality import figures_of, prior, quality_of
from pointsman.routing.score import Scoring, score
from pointsman.routing.sizes import doublings, size_in, size_of

MODELS = ("tiny-1b", "qwen2.5:7b", "llama-70b", "nameless")
RATE = st.none() | st.floats(1.0, 20_000.0)


@st.composite
def fleets(draw: st.DrawFn) -> tuple[list[Target], dict[str, BackendState], dict[str, Load]]:
    targets, states, loads = [], {}, {}
    money, watts = draw(st.booleans()), draw(st.booleans())
    for number in range(draw(st.integers(1, 5))):
        model = draw(st.sampled_from(MODELS))
        target = Target(
            f"{model}@{number}",
            draw(st.sampled_from(["light", "medium", "heavy", "own"])),
            model,
            str(number),
            "vllm",
            money_per_hour=draw(st.floats(0.0, 10.0)) if money else None,
            watts=draw(st.floats(0.0, 700.0)) if watts else None,
        )
        targets.append(target)
        states[target.name] = BackendState(
            target.name,
            draw(st.sampled_from(["up", "unknown", "loading"])),
            ModelFacts(parameters=draw(st.none() | st.integers(10**8, 10**11))),
            prefill_rate=draw(RATE),
            decode_rate=draw(RATE),
            load_seconds=draw(st.none() | st.floats(0.1, 100.0)),
            resident=draw(st.sampled_from([None, True, False])),
        )
        loads[target.name] = Load(draw(st.integers(0, 9)), draw(st.floats(0.0, 60.0)))
    return targets, states, loads


weights = st.builds(
    Weights, st.floats(0.0, 10.0), st.floats(0.0, 10.0), st.floats(0.0, 10.0), st.floats(0.0, 1.0)
).filter(lambda each: each.quality + each.latency + each.cost > 0.01)
TABLE = figures_of(
    [Quality("tiny-1b", "math", 0.2, 40), Quality("llama-70b", None, 0.8, 100), Quality("qwen2.5:7b", "math", 0.6, 40)]
)
SHIFTS = (QualityShift("llama-70b", "math", -0.3), QualityShift("tiny-1b", None, 0.05))


def scored(
    fleet: tuple[list[Target], dict[str, BackendState], dict[str, Load]], by: Weights, **about: Any
) -> list[TargetChoice]:
    targets, states, loads = fleet
    asked = features(input_tokens=900, question_tokens=300, turns=2, **about.pop("features", {}))
    scoring = Scoring("x", by, TABLE, asked, about.pop("max_output", None), loads, about.pop("last", None))
    return score([(target, "why") for target in targets], Snapshot.of(states.values(), SHIFTS), scoring)


def oracle(
    fleet: tuple[list[Target], dict[str, BackendState], dict[str, Load]],
    by: Weights,
    task: str | None,
    last: str | None,
) -> dict[str, float]:
    """The formula, written down as it stands in the documentation."""
    targets, states, loads = fleet
    usual = {"math": 300, None: 250}[task]
    quality, latency, work = {}, {}, {}
    for target in targets:
        state = states[target.name]
        size = size_of(target, state)[0]
        good = TABLE.get((target.model, task)) if task else None
        good = TABLE.get((target.model, None)) if good is None else good
        good = prior(size, None) if good is None else good
        moved = [shift.shift for shift in SHIFTS if shift.model == target.model and shift.task in (task, None)]
        quality[target.name] = min(max(good + (moved[0] if moved else 0.0), 0.0), 1.0)
        fresh = 300 if target.name == last else 900
        prefill = state.prefill_rate or min(max(12_000 / size, 20), 20_000)
        decode = state.decode_rate or min(max(600 / size, 1), 400)
        work[target.name] = fresh / prefill + usual / decode
        cold = state.resident is False or state.health == "loading"
        load = (1.0 + 0.6 * size if state.load_seconds is None else state.load_seconds) if cold else 0.0
        latency[target.name] = loads[target.name].wait + load + work[target.name]
    cost = dict(work)
    if all(target.money_per_hour is not None for target in targets):
        cost = {target.name: work[target.name] * (target.money_per_hour or 0) / 3600 for target in targets}
    elif all(target.watts is not None for target in targets):
        cost = {target.name: work[target.name] * (target.watts or 0) / 3600 for target in targets}
    slowest, dearest = max(latency.values()), max(cost.values())
    bonus = by.stay * (by.quality + by.latency + by.cost)
    return {
        name: by.quality * quality[name]
        - by.latency * latency[name] / slowest
        - by.cost * (cost[name] / dearest if dearest else 0.0)
        + (bonus if name == last else 0.0)
        for name in quality
    }


@given(fleets(), weights, st.sampled_from(["math", None]), st.integers(-1, 4))
def test_is_what_the_formula_says(fleet: Any, by: Weights, task: str | None, stays: int) -> None:
    targets = fleet[0]
    last = targets[stays % len(targets)].name if stays >= 0 else None
    found = scored(fleet, by, last=last, features={"task_type": task})
    expected = oracle(fleet, by, task, last)
    assert {choice.target: choice.score for choice in found} == pytest.approx(expected, abs=2e-6)
    assert [choice.score for choice in found] == sorted((choice.score for choice in found), reverse=True)  # type: ignore[type-var]
    for choice in found:
        assert choice.terms is not None
        assert 0.0 <= choice.terms.latency_share <= 1.0
        assert 0.0 <= choice.terms.cost_share <= 1.0
        assert 0.0 <= (choice.quality or 0.0) <= 1.0


@given(fleets(), weights, st.randoms())
def test_the_order_of_the_targets_changes_nothing(fleet: Any, by: Weights, shuffled: Any) -> None:
    targets, states, loads = fleet
    other = list(targets)
    shuffled.shuffle(other)
    assert scored(fleet, by) == scored((other, states, loads), by)


@given(fleets(), weights, st.integers(0, 4), st.floats(1.0, 10.0), st.floats(1.0, 10.0), st.floats(0.0, 1.0))
def test_a_target_never_loses_by_being_faster(
    fleet: Any, by: Weights, which: int, prefill: float, decode: float, waits: float
) -> None:
    targets, states, loads = fleet
    name = targets[which % len(targets)].name
    before = scored(fleet, by)
    slow = states[name]
    faster = msgspec.structs.replace(
        slow,
        prefill_rate=None if slow.prefill_rate is None else slow.prefill_rate * prefill,
        decode_rate=None if slow.decode_rate is None else slow.decode_rate * decode,
    )
    eased = {**loads, name: msgspec.structs.replace(loads[name], wait=loads[name].wait * waits)}
    after = scored((targets, {**states, name: faster}, eased), by)

    def lead(found: list[TargetChoice]) -> dict[str, float]:
        """By how much it is before each other one."""
        own = next(choice.score or 0.0 for choice in found if choice.target == name)
        return {choice.target: own - (choice.score or 0.0) for choice in found if choice.target != name}

    then = lead(after)
    for other, by_so_much in lead(before).items():
        assert then[other] >= by_so_much - 1e-5


@given(fleets(), weights)
def test_with_equal_scores_the_one_with_less_to_do_is_first_then_by_name(fleet: Any, by: Weights) -> None:
    found = scored(fleet, by)
    keys = [(-(choice.score or 0.0), choice.in_flight, choice.target) for choice in found]
    assert keys == sorted(keys)


@given(fleets(), weights, st.floats(0.1, 50.0))
def test_only_the_proportion_of_weights_counts(fleet: Any, by: Weights, times: float) -> None:
    larger = Weights(by.quality * times, by.latency * times, by.cost * times, by.stay)
    first, second = scored(fleet, by, last=fleet[0][0].name), scored(fleet, larger, last=fleet[0][0].name)
    leads = [[(one.score or 0.0) - (two.score or 0.0) for one, two in pairwise(found)] for found in (first, second)]
    if all(lead > 1e-4 for lead in leads[0]):
        assert [choice.target for choice in first] == [choice.target for choice in second]


class TestSession:
    def fleet(self) -> tuple[list[Target], dict[str, BackendState], dict[str, Load]]:
        targets = [Target(name, "own", name, "x", "vllm") for name in ("a", "b")]
        states = {"a": BackendState("a", "up"), "b": BackendState("b", "up")}
        return targets, states, {}

    def test_stays_unless_another_is_better_by_the_margin(self) -> None:
        targets, states, loads = self.fleet()
        states["a"] = msgspec.structs.replace(states["a"], decode_rate=100.0, prefill_rate=1000.0)
        states["b"] = msgspec.structs.replace(states["b"], decode_rate=90.0, prefill_rate=1000.0)
        by = Weights(1.0, 0.5, 0.0)
        assert scored((targets, states, loads), by)[0].target == "a"
        stays = scored((targets, states, loads), by, last="b")
        assert (stays[0].target, stays[0].terms and stays[0].terms.bonus) == ("b", 0.15)
        states["b"] = msgspec.structs.replace(states["b"], decode_rate=10.0)
        assert scored((targets, states, loads), by, last="b")[0].target == "a"

    def test_its_target_has_the_conversation_in_its_cache(self) -> None:
        found = {choice.target: choice for choice in scored(self.fleet(), Weights(1.0, 1.0, 0.0), last="a")}
        assert (found["a"].latency or 0.0) < (found["b"].latency or 0.0)

    def test_one_that_is_no_candidate_changes_nothing(self) -> None:
        by = Weights(1.0, 1.0, 0.0)
        assert scored(self.fleet(), by, last="gone") == scored(self.fleet(), by)


class TestQuality:
    def test_the_most_particular_figure_counts(self) -> None:
        table = figures_of([Quality("m-7b", "math", 0.4, 10), Quality("m-7b", None, 0.7, 10)])
        target = Target("m-7b@x", "light", "m-7b", "x", "vllm")
        state = BackendState("m-7b@x")
        assert quality_of(target, state, table, "math", None) == (0.4, "task")
        assert quality_of(target, state, table, "faq", None) == (0.7, "model")
        assert quality_of(target, state, {}, "math", None)[1] == "size"
        assert quality_of(msgspec.structs.replace(target, model="m"), state, {}, "math", None)[1] == "tier"
        assert quality_of(msgspec.structs.replace(target, model="m", tier="own"), state, {}, None, None)[1] == "none"

    def test_over_all_tasks_is_the_mean_by_gradings(self) -> None:
        table = figures_of([Quality("m", "math", 0.2, 30), Quality("m", "faq", 0.8, 10)])
        assert table["m", None] == pytest.approx(0.35)

    def test_of_large_and_small_models_as_public_gradings_have_it(self) -> None:
        assert prior(50.0, None) == pytest.approx(0.60, abs=0.005)
        assert prior(8.0, None) == pytest.approx(0.497, abs=0.005)
        assert prior(8.0, 0.0) == prior(70.0, 0.0), "where all are good enough none is better"

    @given(st.floats(0.05, 500.0), st.floats(0.05, 500.0), st.none() | st.floats(0.0, 1.0))
    def test_a_larger_model_is_never_taken_for_worse(self, one: float, two: float, difficulty: float | None) -> None:
        small, large = sorted((one, two))
        assert 0.0 < prior(small, difficulty) <= prior(large, difficulty) < 1.0

    @given(st.floats(0.05, 500.0), st.floats(0.05, 500.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
    def test_the_more_difficult_the_more_size_counts(self, one: float, two: float, easy: float, hard: float) -> None:
        small, large = sorted((one, two))
        easy, hard = sorted((easy, hard))
        gaps = [prior(large, each) - prior(small, each) for each in (easy, hard)]
        bounded = any(prior(size, each) in (0.02, 0.98) for size in (small, large) for each in (easy, hard))
        assert bounded or gaps[0] <= gaps[1] + 1e-9


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("qwen2.5:7b", 7.0),
        ("builtin:smollm2-135m", 0.135),
        ("Mixtral-8x7B-Instruct", 56.0),
        ("llama-3.1-70b-instruct", 70.0),
        ("qwen3-30b-a3b", 30.0),
        ("qwen2.5-1.5b.gguf", 1.5),
        ("gpt-4", None),
        ("model-0b", None),
        ("", None),
    ],
)
def test_a_size_in_a_name(name: str, size: float | None) -> None:
    assert size_in(name) == (None if size is None else pytest.approx(size))


@given(st.floats(0.01, 1000.0), st.floats(0.01, 1000.0))
def test_doublings_rise_and_are_exact_at_powers_of_two(one: float, two: float) -> None:
    assert [doublings(2.0**power) for power in (-2, 0, 3, 6)] == [-2.0, 0.0, 3.0, 6.0]
    assert (doublings(one) <= doublings(two)) == (one <= two) or one == pytest.approx(two)


class TestLatency:
    def test_of_a_reply_whose_length_the_client_bounds(self) -> None:
        asked = features(task_type="creative")
        assert expected_output(asked, None) == 500
        assert expected_output(asked, 20) == 20
        assert expected_output(asked, 100_000) == 500
        assert expected_output(features(task_type="creative", brief=True), None) == 60
        assert expected_output(features(task_type="translation", question_tokens=700), None) == 700
        assert expected_output(features(task_type=None), None) == 250

    def test_measured_rates_go_before_usual_ones(self) -> None:
        target = Target("m-7b@x", "light", "m-7b", "x", "vllm")
        state = BackendState("m-7b@x", "up", prefill_rate=1000.0, decode_rate=50.0)
        found = duration(target, state, Load(2, 3.0), 500, 100)
        assert (found.whole, found.work, found.rate_from) == (5.5, 2.5, "measured")
        assert duration(target, BackendState("m-7b@x"), Load(), 500, 100).rate_from == "size"

    def test_a_model_that_is_not_loaded_is_loaded_first(self) -> None:
        target = Target("m-7b@x", "light", "m-7b", "x", "ollama")
        state = BackendState("m-7b@x", "up", prefill_rate=1000.0, decode_rate=50.0, load_seconds=8.0)
        cold = msgspec.structs.replace(state, resident=False)
        assert duration(target, cold, Load(), 0, 50).whole == 9.0
        assert duration(target, msgspec.structs.replace(state, resident=True), Load(), 0, 50).whole == 1.0
