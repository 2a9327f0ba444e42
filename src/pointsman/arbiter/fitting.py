"""From labelled texts to a calibration: which form fits is decided on texts that it was not fitted on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import numpy

from pointsman.arbiter.calibration import confidence, log_odds, logistic, margin, raw_confidence
from pointsman.arbiter.logistic import fit_logistic
from pointsman.arbiter.reliability import calibration_error
from pointsman.arbiter.softmax import Doubles
from pointsman.arbiter.sparse import Floats, Truths
from pointsman.domain.intent import MOST_SCORES, Calibration, Heard

FALSE_ALARMS = 0.05
"""At most so many texts of the set may be taken for open-ended."""
LEFT_OUT_ALARMS = 0.03
"""Of examples that were left out of training: they are more alike than what people type later, so the figure is stricter."""
_FEWEST = 8
_FOR_POINTS = 1000
_POINTS = 12
_PARTS = 4
_FIRMNESS = 1.0


class Judged(NamedTuple):
    """What was heard in a text whose intent is known; it counts as `weight` texts. `right`: the first intent is it; never
    for a text outside."""

    heard: Heard
    inside: bool
    right: bool
    weight: float = 1.0

    @classmethod
    def of(cls, names: Sequence[str], found: Floats, odds: float, label: int, weight: float = 1.0) -> Judged:
        """`found` are probabilities in the order of `names`; a `label` past them is outside."""
        heard = Heard(arbiter="", model="", scores=ranked(names, found), outside=rounded(odds))
        inside = label < len(names)
        return cls(heard, inside, inside and heard.scores[0][0] == names[label], weight)


def ranked(names: Sequence[str], found: Floats) -> tuple[tuple[str, float], ...]:
    """The likeliest, as they are logged; of equals the first named."""
    order = numpy.argsort(-found, kind="stable")[:MOST_SCORES]
    return tuple((names[place], round(float(found[place]), 6)) for place in order.tolist())


def rounded(odds: float) -> float:
    return round(logistic(odds), 6)


def fit_calibration(judged: Sequence[Judged], alarms: float | None = None) -> Calibration:
    """`alarms`: the share of texts inside that may be taken for open-ended. Too few texts fit nothing: document A's figure
    stands as it is."""
    alarms = LEFT_OUT_ALARMS if alarms is None else alarms
    threshold = _threshold([each.heard.outside for each in judged if each.inside], alarms)
    if len(judged) < _FEWEST:
        return Calibration(threshold=threshold, texts=len(judged))
    weights = numpy.array([each.weight for each in judged])
    before = calibration_error([(raw_confidence(each.heard), each.right) for each in judged], weights.tolist())
    forms: list[Callable[[Sequence[Judged], Doubles], Calibration]] = [_temperature, _platt]
    if sum(not each.inside for each in judged) >= _FEWEST and sum(each.inside for each in judged) >= _FEWEST:
        forms.append(_product)
    if len(judged) >= _FOR_POINTS:
        forms.append(_isotonic)
    fitted = [(_out_of_sample(form, judged, weights), place) for place, form in enumerate(forms)]
    (_, after), place = min(fitted)
    best = forms[place](judged, weights)
    most = len(judged) / (len(judged) + 1.0)
    return msgspec.structs.replace(
        best,
        threshold=threshold,
        ceiling=round(most, 6),
        texts=len(judged),
        ece_before=round(before, 6),
        ece_after=round(after, 6),
    )


def _out_of_sample(
    form: Callable[[Sequence[Judged], Doubles], Calibration], judged: Sequence[Judged], weights: Doubles
) -> tuple[float, float]:
    """Mean log loss and calibration error of a form, each part judged by what the others gave."""
    pairs: list[tuple[float, bool]] = []
    shares: list[float] = []
    for part in range(_PARTS):
        fitted = form(
            [each for place, each in enumerate(judged) if place % _PARTS != part], weights[_without(judged, part)]
        )
        for place in range(part, len(judged), _PARTS):
            pairs.append((confidence(judged[place].heard, fitted)[1], judged[place].right))
            shares.append(float(weights[place]))
    loss = sum(
        share * -math.log(max(sure if right else 1 - sure, 1e-6))
        for (sure, right), share in zip(pairs, shares, strict=True)
    )
    return loss / sum(shares), calibration_error(pairs, shares)


def _without(judged: Sequence[Judged], part: int) -> Truths:
    others: Truths = numpy.arange(len(judged)) % _PARTS != part
    return others


def _threshold(outside: Sequence[float], alarms: float) -> float:
    """Such that at most that share lies above it, of as many texts as there are."""
    if not outside:
        return 1.0
    rising = sorted(outside)
    return rising[min(math.ceil(len(rising) * (1 - alarms)), len(rising)) - 1]


def _columns(judged: Sequence[Judged]) -> tuple[Doubles, Doubles]:
    columns = numpy.array([(margin(each.heard), log_odds(each.heard.outside)) for each in judged])
    return columns, numpy.array([float(each.right) for each in judged])


def _temperature(judged: Sequence[Judged], weights: Doubles) -> Calibration:
    """One factor, and no shift."""
    columns, right = _columns(judged)
    slope = 1.0
    for _ in range(50):  # Newton's method in one dimension: the loss is convex in 1 / slope
        odds = numpy.clip(columns[:, 0] * slope, -60, 60)
        sure = 1 / (1 + numpy.exp(-odds))
        down = float((weights * (sure - right) * columns[:, 0]).sum()) + 1e-3 * slope
        curve = float((weights * sure * (1 - sure) * columns[:, 0] ** 2).sum()) + 1e-3
        moved = min(max(slope - down / curve, slope / 4), slope * 4)
        if abs(moved - slope) < 1e-9:
            break
        slope = moved
    return Calibration(kind="temperature", slope=round(1 / max(slope, 1e-3), 6))


def _platt(judged: Sequence[Judged], weights: Doubles) -> Calibration:
    columns, right = _columns(judged)
    slope, outside, shift = fit_logistic(columns, right, weights, numpy.array([0.5, -0.5]), _FIRMNESS).tolist()
    return Calibration(kind="platt", slope=round(slope, 6), outside_slope=round(outside, 6), shift=round(shift, 6))


def _product(judged: Sequence[Judged], weights: Doubles) -> Calibration:
    """Two questions, each with its own figure: is it one of the intents, and is it the first one then."""
    columns, right = _columns(judged)
    inside = numpy.array([each.inside for each in judged])
    outside_slope, outside_shift = fit_logistic(
        columns[:, 1:], inside.astype(numpy.float64), weights, numpy.array([-1.0]), _FIRMNESS
    ).tolist()
    slope, shift = fit_logistic(
        columns[inside, :1], right[inside], weights[inside], numpy.array([0.5]), _FIRMNESS
    ).tolist()
    return Calibration(
        kind="product",
        slope=round(slope, 6),
        shift=round(shift, 6),
        outside_slope=round(outside_slope, 6),
        outside_shift=round(outside_shift, 6),
    )


def _isotonic(judged: Sequence[Judged], weights: Doubles) -> Calibration:
    """Platt's line first; then, over equal shares of the texts, what came true, made to rise."""
    line = _platt(judged, weights)
    columns, right = _columns(judged)
    odds = columns @ numpy.array([line.slope, line.outside_slope]) + line.shift
    order = numpy.argsort(odds, kind="stable")
    blocks: list[list[float]] = []  # weight, weighted odds, weighted right
    for part in numpy.array_split(order, _POINTS):
        blocks.append(
            [float(weights[part].sum()), float(weights[part] @ odds[part]), float(weights[part] @ right[part])]
        )
        while len(blocks) > 1 and blocks[-2][2] / blocks[-2][0] >= blocks[-1][2] / blocks[-1][0]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    points = tuple((round(x / w, 6), round((y + 0.5) / (w + 1), 6)) for w, x, y in blocks)
    return msgspec.structs.replace(line, kind="isotonic", points=points)
