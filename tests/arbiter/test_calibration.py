"""Confidence: document A's figure, and what makes it true."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.arbiter.calibration import between, confidence, log_odds, logistic, margin, raw_confidence
from pointsman.arbiter.figures import figures
from pointsman.arbiter.fitting import Judged, fit_calibration
from pointsman.arbiter.reliability import BINS, calibration_error, coverage, reliability
from pointsman.arbiter.spelled import shuffled
from pointsman.domain.intent import OPEN_ENDED, Calibration, Heard


def heard(first: float, second: float | None = None, outside: float = 0.0) -> Heard:
    scores = (("a", first),) if second is None else (("a", first), ("b", second))
    return Heard(arbiter="", model="", scores=scores, outside=outside)


def test_document_a() -> None:
    """1 / (1 + exp(-(logp1 - logp2)·2))."""
    for first, second in ((0.8, 0.1), (0.5, 0.5), (0.34, 0.33)):
        wanted = 1 / (1 + math.exp(-(math.log(first) - math.log(second)) * 2))
        assert raw_confidence(heard(first, second)) == pytest.approx(wanted)
    assert raw_confidence(heard(1.0, 0.0)) > 0.999999
    assert raw_confidence(heard(1.0)) > 0.999999  # one intent alone
    assert raw_confidence(Heard(arbiter="", model="")) < 1e-9


def test_forms() -> None:
    one = heard(0.8, 0.1, outside=0.2)
    assert confidence(one, Calibration())[1] == round(raw_confidence(one), 6)
    assert confidence(one, Calibration(kind="temperature", slope=2.0))[1] == pytest.approx(
        logistic(margin(one) / 2), abs=1e-6
    )
    platt = Calibration(kind="platt", slope=0.5, outside_slope=-1.0, shift=-0.3)
    odds = 0.5 * margin(one) - log_odds(0.2) - 0.3
    assert confidence(one, platt)[1] == pytest.approx(logistic(odds), abs=1e-6)
    points = ((odds - 1, 0.2), (odds + 1, 0.8))
    isotonic = Calibration(kind="isotonic", slope=0.5, outside_slope=-1.0, shift=-0.3, points=points)
    assert confidence(one, isotonic)[1] == pytest.approx(0.5)
    product = Calibration(kind="product", slope=0.5, shift=0.4, outside_slope=-1.0, outside_shift=-0.3)
    both = logistic(0.5 * margin(one) + 0.4) * logistic(-log_odds(0.2) - 0.3)
    assert confidence(one, product)[1] == pytest.approx(both, abs=1e-6)
    assert confidence(one, Calibration(ceiling=0.9))[1] == 0.9


def test_outside() -> None:
    assert confidence(heard(0.9, 0.1, outside=0.61), Calibration(threshold=0.6))[0] == OPEN_ENDED
    assert confidence(heard(0.9, 0.1, outside=0.6), Calibration(threshold=0.6))[0] == "a"
    assert confidence(Heard(arbiter="", model="", failure="timeout"), Calibration()) == (OPEN_ENDED, 0.0)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from(["none", "temperature", "platt", "product"]))
def test_always_a_probability(first: float, second: float, outside: float, kind: str) -> None:
    form = Calibration(kind=kind, slope=0.01, outside_slope=-9.0)  # type: ignore[arg-type]
    assert 0 <= confidence(heard(first, second, outside), form)[1] <= 1


def test_between() -> None:
    points = ((0.0, 0.1), (1.0, 0.5), (1.0, 0.6), (3.0, 0.9))
    assert [between(points, x) for x in (-1, 0, 0.5, 2, 9)] == pytest.approx([0.1, 0.1, 0.3, 0.75, 0.9])


def drawn(count: int, truth: float) -> list[Judged]:
    """Texts that are right less often than their figure says: the true log odds are `truth` of the raw."""
    found = []
    for place, number in enumerate(shuffled(count, 5).tolist()):
        first = 0.5 + 0.49 * (place % 50) / 50
        one = heard(first, 1 - first, outside=0.1)
        found.append(Judged(one, True, number / count < logistic(margin(one) * truth)))
    return found


def test_what_is_too_sure_is_made_true() -> None:
    judged = drawn(4000, 0.3)
    fitted = fit_calibration(judged)
    assert fitted.ece_before is not None and fitted.ece_after is not None
    assert fitted.ece_before > 0.1 and fitted.ece_after < 0.03
    fresh = [(confidence(each.heard, fitted)[1], each.right) for each in drawn(3000, 0.3)]
    assert calibration_error(fresh) < 0.05
    assert figures(judged, fitted).ece < figures(judged, Calibration()).ece / 3


def test_two_questions_are_told_apart() -> None:
    """Whether it is one of the intents hangs on `outside` alone here, and which one on the margin alone."""

    def texts(seed: int) -> list[Judged]:
        found = []
        for place, number in enumerate(shuffled(4000, seed).tolist()):
            first, outside = 0.5 + 0.49 * (place % 50) / 50, 0.01 + 0.98 * (place // 50 % 40) / 40
            one = heard(first, 1 - first, outside=outside)
            inside = number / 4000 < logistic(-1.5 * log_odds(outside))
            right = inside and number * 7 % 4000 / 4000 < logistic(0.4 * margin(one))
            found.append(Judged(one, inside, right))
        return found

    fitted = fit_calibration(texts(5))
    assert fitted.kind == "product" and fitted.ece_after is not None and fitted.ece_after < 0.03
    fresh = texts(6)
    assert calibration_error([(confidence(each.heard, fitted)[1], each.right) for each in fresh]) < 0.04


def test_few_texts_fit_nothing() -> None:
    assert fit_calibration(drawn(7, 0.3)).kind == "none"
    assert fit_calibration([]).threshold == 1.0
    assert 0 < fit_calibration(drawn(30, 0.3)).ceiling < 1


def test_the_threshold_keeps_false_alarms_low() -> None:
    judged = [Judged(heard(0.9, 0.1, outside=number / 1000), True, True) for number in range(1000)]
    fitted = fit_calibration(judged, alarms=0.05)
    assert sum(each.heard.outside > fitted.threshold for each in judged) == 50


def test_error_and_table() -> None:
    pairs = [(0.95, True)] * 9 + [(0.95, False)] + [(0.05, False)] * 10
    table = reliability(pairs)
    assert [(each.texts, round(each.right, 2)) for each in table] == [(10, 0.0), (10, 0.9)]
    assert calibration_error(pairs) == pytest.approx(0.5 * 0.05 + 0.5 * 0.05)
    assert calibration_error([]) == 0 and len(reliability([(place / 100, True) for place in range(101)])) == BINS
    assert coverage(pairs, (1.0, 0.5)) == [(1.0, 0.05, 0.45), (0.5, 0.95, 0.9)]
