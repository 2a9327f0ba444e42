"""When the machine counts as under pressure: against an oracle that looks at the whole history, and on recorded samples."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pointsman.admission.pressure import NONE, Load, Pressure, State, Thresholds, cause_of, sampled

RECORDED = Path(__file__).parents[1] / "sets" / "sensors.jsonl"
LIMITS = Thresholds(dwell=4, calm=6, longest=30)
IDLE, FULL = Load(0.3, 0.1, 0.5, 0.5), Load(0.97, 0.05, 0.5, 0.5)
RATIOS = st.sampled_from((0.0, 0.1, 0.2, 0.25, 0.3, 0.31, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1.0))
LOADS = st.builds(Load, *[st.one_of(st.none(), RATIOS) for _ in range(4)])
STEPS = st.lists(st.tuples(st.sampled_from((0.5, 1.0, 2.0, 7.0)), LOADS), max_size=80)
RUNS = st.lists(st.tuples(st.integers(1, 12), LOADS), max_size=12)


def after(samples: Sequence[tuple[float, Load]], limits: Thresholds = LIMITS) -> list[Pressure]:
    """The state after each sample."""
    pressure, states = NONE, []
    for now, load in samples:
        pressure = sampled(pressure, load, now, limits)
        states.append(pressure)
    return states


def oracle(samples: Sequence[tuple[float, Load]], limits: Thresholds) -> list[State]:
    """The same, by looking back over all samples since the last change for each of them."""
    state: State = "none"
    since, first, states = 0.0, 0, []
    for place, (now, _) in enumerate(samples):
        history = samples[first : place + 1]
        margin = 0.0 if state == "none" else limits.margin
        bad = [cause_of(load, limits, margin) is not None for _, load in history]
        turned = bad if state == "none" else [not each for each in bad]
        lasted = 0
        while lasted < len(turned) and turned[-1 - lasted]:
            lasted += 1
        begun = history[-lasted][0] if lasted else None
        if state == "none":
            if begun is not None and now - begun >= limits.dwell:
                state, since, first = "on", now, place + 1
        elif begun is not None and now - begun >= limits.calm:
            state, first = "none", place + 1
        elif state == "on" and now - since >= limits.longest:
            state = "given_up"
        states.append(state)
    return states


@given(STEPS)
def test_it_is_what_looking_back_gives(steps: list[tuple[float, Load]]) -> None:
    now, samples = 0.0, []
    for passed, load in steps:
        now += passed
        samples.append((now, load))
    assert [each.state for each in after(samples)] == oracle(samples, LIMITS)


@given(RUNS)
@example([(12, FULL), (4, IDLE), (2, FULL), (12, IDLE)])
def test_nor_does_it_matter_how_long_runs_are(runs: list[tuple[int, Load]]) -> None:
    loads = [load for count, load in runs for _ in range(count)]
    samples = [(float(second), load) for second, load in enumerate(loads)]
    states = after(samples)
    assert [each.state for each in states] == oracle(samples, LIMITS)
    held = longest = 0
    for each in states:  # never longer than it may hold, whatever comes
        held = held + 1 if each.holds else 0
        longest = max(longest, held)
        assert (each.cause is None) == (each.state == "none")
    assert longest <= LIMITS.longest


@pytest.mark.parametrize(
    ("load", "cause"),
    [
        (Load(0.86, 0.19), "mismatch"),
        (Load(0.85, 0.19), None),
        (Load(0.86, 0.2), None),
        (Load(0.99, None), None),
        (Load(None, 0.0), None),
        (Load(memory=0.96), "memory"),
        (Load(gpu_memory=0.99), "gpu_memory"),
        (Load(0.9, 0.0, 0.99, 0.99), "mismatch"),
        (Load(), None),
    ],
)
def test_one_sample_speaks_for(load: Load, cause: str | None) -> None:
    assert cause_of(load, Thresholds()) == cause


def test_what_is_only_just_better_is_not_over() -> None:
    """85 % and 20 % to begin with, 75 % and 30 % to end."""
    between = Load(0.8, 0.25, 0.5, 0.5)
    begun = [(float(second), FULL) for second in range(6)]
    assert after(begun)[-1].state == "on"
    on = after(begun + [(float(second), between) for second in range(6, 20)])
    assert {each.state for each in on[4:]} == {"on"}
    off = after(begun + [(float(second), Load(0.74, 0.25)) for second in range(6, 20)])
    assert [each.state for each in off].index("none", 5) == 12


def test_it_gives_up_and_begins_anew_only_once_it_was_over() -> None:
    samples = [(float(second), FULL) for second in range(100)]
    states = [each.state for each in after(samples)]
    assert (states.index("on"), states.index("given_up"), states[-1]) == (4, 34, "given_up")
    again = samples + [(float(second), IDLE) for second in range(100, 110)]
    again += [(float(second), FULL) for second in range(110, 120)]
    assert [each.state for each in after(again)][-1] == "on"


def test_recorded_samples() -> None:
    """Of two cores with and without a load of their own, as psutil said; those of a GPU are made up, in NVML's form."""
    recorded = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    for name in {each["recording"] for each in recorded}:
        of_it = [each for each in recorded if each["recording"] == name]
        samples = [
            (each["t"], Load(each["cpu"], each["accelerator"], each["memory"], each.get("gpu_memory")))
            for each in of_it
        ]
        states = after(samples, Thresholds())
        changes = [
            [round(each["t"]), state.state, state.cause]
            for each, state, before in zip(of_it, states, [NONE, *states], strict=False)
            if state.state != before.state
        ]
        assert changes == of_it[0]["changes"], name
