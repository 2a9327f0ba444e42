"""What moves come to, beside sums made by hand."""

from __future__ import annotations

import math
import random

import pytest

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.quality import Quality
from pointsman.domain.target import BackendState, Target
from pointsman.offline.audit.intervals import Z
from pointsman.offline.replay.forecast import Forecasting
from pointsman.offline.replay.moved import Place
from pointsman.offline.replay.outcome import Forecast
from pointsman.offline.replay.speeds import Speeds
from pointsman.offline.replay.worth import OF_PRIOR, Worth

FAST, SLOW = (Target(f"{name}@{name}", tier, name, name, "vllm") for name, tier in (("a", "light"), ("b", "heavy")))
AWAY = Target("c@c", "heavy", "c", "c", "openai", external=True)
QUALITY = (Quality("a", None, 0.5, 100), Quality("b", None, 0.8, 100), Quality("b", "math", 0.9, 10))
DOCUMENT = PolicyDocument("1", (FAST, SLOW, AWAY), {}, (), (), (), (), None, 2, quality=QUALITY)
HERE = Place("target", FAST.name)


def collected(noise: float = 0.0) -> tuple[Forecasting, list[tuple[str, int, int, float]]]:
    """100 requests of each target: 0.1 s and 10 ms a token of the reply at the fast one, 40 ms at the slow one."""
    dice = random.Random(1)
    made = Forecasting(DOCUMENT, {})
    rows = []
    for number in range(200):
        target, per = ((FAST, 0.01), (SLOW, 0.04))[number % 2]
        read, written = dice.randrange(20, 400), dice.randrange(10, 300)
        engine = (0.1 + 0.001 * read + per * written) * (1 + noise * dice.uniform(-1, 1))
        rows.append((target.name, read, written, engine))
        made.was(HERE, target.name, engine + 0.05, engine)
        made.speeds.add(target.name, read, written, engine, engine + 0.05)
    return made, rows


def told(made: Forecasting, rows: list[tuple[str, int, int, float]], moves: int, to: Target) -> Forecast:
    """The first so many of the fast target's go elsewhere."""
    for name, read, written, engine in rows:
        if name == FAST.name and moves > 0:
            moves -= 1
            made.leaves(name, engine)
            made.comes(to.name, read, written)
        else:
            made.stays(engine + 0.05)
    return made.result(1000.0)


def test_where_times_follow_from_lengths_the_forecast_is_exact() -> None:
    made, rows = collected()
    found = told(made, rows, 40, SLOW)
    fast = [row for row in rows if row[0] == FAST.name][:40]
    gpu = sum(row[3] for row in rows) + sum(0.03 * written for _, _, written, _ in fast)
    assert found.gpu.before == pytest.approx(sum(row[3] for row in rows))
    assert found.gpu.after == pytest.approx(gpu, rel=1e-3)
    assert found.mean.after == pytest.approx(gpu / 200 + 0.05, rel=1e-3)
    after = sorted([row[3] + 0.05 for row in rows if row not in fast] + [row[3] + 0.03 * row[2] + 0.05 for row in fast])
    assert found.p95.after == pytest.approx(after[189], rel=0.02)
    assert found.median.after == pytest.approx(after[99], rel=0.02)
    slow = next(each for each in found.targets if each.target == SLOW.name)
    assert (slow.requests_before, slow.requests_after, slow.speed) == (100, 140, "log")
    assert slow.busy_after == pytest.approx(slow.seconds_after / 1000)


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """Of noisy requests, moved from one half of them to what the other half says."""
    dice = random.Random(7)
    held = 0
    for _ in range(60):
        made = Forecasting(DOCUMENT, {})
        for _ in range(50):
            written = dice.randrange(10, 300)
            engine = (0.1 + 0.04 * written) * dice.uniform(0.7, 1.3)
            made.was(HERE, SLOW.name, engine, engine)
            made.stays(engine)
            made.speeds.add(SLOW.name, 0, written, engine, engine)
        truth = made.result(1.0).gpu.before
        for _ in range(20):
            written = dice.randrange(10, 300)
            truth += (0.1 + 0.04 * written) * dice.uniform(0.7, 1.3)
            made.was(HERE, FAST.name, 1.0, 1.0)
            made.leaves(FAST.name, 1.0)
            made.comes(SLOW.name, 0, written)
        gpu = made.result(1.0).gpu
        held += gpu.low <= truth <= gpu.high
    assert 53 <= held <= 60


def test_what_goes_to_a_rule_takes_what_its_replies_took() -> None:
    made, rows = collected()
    rule = Place("rule", "r")
    for _ in range(9):
        made.was(rule, None, 0.002, 0.0)
        made.stays(0.002)
    for name, _, _, engine in rows:
        if name == SLOW.name:
            made.leaves(name, engine)
            made.settled(rule)
        else:
            made.stays(engine + 0.05)
    found = made.result(1000.0)
    fast = [row[3] for row in rows if row[0] == FAST.name]
    assert found.gpu.after == pytest.approx(sum(fast))
    assert found.mean.after == pytest.approx((sum(fast) + 100 * 0.05 + 109 * 0.002) / 209)
    assert found.untimed == 0


def test_others_machines_are_no_gpu_seconds_of_ours() -> None:
    made, rows = collected()
    found = told(made, rows, 100, AWAY)
    assert found.gpu.after == pytest.approx(sum(row[3] for row in rows if row[0] == SLOW.name))
    assert found.guessed_speed == 100


class TestSpeeds:
    def test_a_target_without_requests_is_as_its_model_elsewhere(self) -> None:
        speeds = Speeds()
        for number in range(20):
            speeds.add("b@other", 100, 10 + number, 1.0 + number, 1.5 + number)
        assert speeds.of(SLOW, BackendState(SLOW.name)).source == "like"

    def test_else_as_measured_rates_say_else_as_its_size_does(self) -> None:
        rates = BackendState(SLOW.name, prefill_rate=1000.0, decode_rate=50.0)
        measured = Speeds().of(SLOW, rates)
        assert measured.source == "rates"
        assert measured.seconds(1000, 100) == pytest.approx(3.0)
        guessed = Speeds().of(FAST, BackendState(FAST.name))
        assert guessed.source == "size" and guessed.error > measured.error

    def test_singles_spread_as_requests_did(self) -> None:
        made, _ = collected(noise=0.4)
        speed = made.speeds.of(SLOW, BackendState(SLOW.name))
        singles = [speed.single(1.0, number) - speed.overhead for number in range(40)]
        assert sum(singles) / 40 == pytest.approx(1.0)
        assert max(singles) > 1.25 and min(singles) < 0.75


class TestQuality:
    def test_means_and_the_interval_of_their_difference(self) -> None:
        worth = Worth(DOCUMENT)
        for _ in range(8):
            worth.stays(FAST, BackendState(FAST.name), None, None)
        for _ in range(2):
            worth.moves((FAST, SLOW), {}, None, None)
        effect = worth.effect()
        assert effect.before == pytest.approx(0.5)
        assert effect.after == pytest.approx(0.56)
        reach = Z * math.sqrt(0.04 * (0.5 * 0.5 / 100 + 0.8 * 0.2 / 110))
        assert effect.high - effect.after == pytest.approx(reach, rel=0.1)
        assert worth.guessed == 0

    def test_a_figure_for_the_task_goes_before_that_for_all(self) -> None:
        worth = Worth(DOCUMENT)
        worth.moves((FAST, SLOW), {}, "math", None)
        assert worth.effect().after == pytest.approx(0.9)

    def test_models_without_figures_are_guessed_by_size(self) -> None:
        worth = Worth(DOCUMENT)
        worth.moves((SLOW, AWAY), {}, None, None)
        assert worth.guessed == 1
        effect = worth.effect()
        assert effect.high - effect.low > 2 * Z * OF_PRIOR

    def test_of_nothing(self) -> None:
        assert Worth(DOCUMENT).effect().change is None
