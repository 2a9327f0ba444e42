"""What is to be said of an arbiter on labelled texts: accuracy, what it rejects, how true its confidences are. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import msgspec

from pointsman.arbiter.calibration import confidence, raw_confidence
from pointsman.arbiter.fitting import FALSE_ALARMS, Judged
from pointsman.arbiter.reliability import Bin, calibration_error, coverage, reliability
from pointsman.domain.intent import OPEN_ENDED, Calibration

SHARES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
GATE = 0.7


class Figures(msgspec.Struct, frozen=True):
    """Shares of 1. `accuracy`: the first intent is right, of texts inside. `recall`, `false_alarms`: taken for open-ended,
    of those outside and of those inside, by the calibration's threshold; `recall_at_5`: by the threshold that takes 5 % of
    these very texts inside. `ece` over all texts, those outside as wrong; `ece_inside` over texts inside; `ece_named` over
    texts that got an intent; `ece_raw`: of document A's figure, over all. `coverage`: share answered, confidence of the
    last, share right of them; open-ended ones are answered last. `gated`: share named at the gate of 0.7; `gated_right`."""

    texts: int
    inside: int
    accuracy: float
    recall: float | None
    false_alarms: float
    recall_at_5: float | None
    ece: float
    ece_inside: float
    ece_named: float
    ece_raw: float
    gated: float
    gated_right: float
    coverage: tuple[tuple[float, float, float], ...]
    reliability: tuple[Bin, ...]
    reliability_raw: tuple[Bin, ...]


def figures(judged: Sequence[Judged], calibration: Calibration) -> Figures:
    """Of texts of which at least one is inside."""
    inside = [each for each in judged if each.inside]
    outside = [each for each in judged if not each.inside]
    said = {id(each): confidence(each.heard, calibration) for each in judged}

    def pairs(some: Sequence[Judged]) -> list[tuple[float, bool]]:
        return [(said[id(each)][1], each.right) for each in some]

    named = [each for each in judged if said[id(each)][0] != OPEN_ENDED]
    gated = [each for each in named if said[id(each)][1] >= GATE]
    raw = [(raw_confidence(each.heard), each.right) for each in judged]
    answered = [(sure - (intent == OPEN_ENDED), each.right) for each in judged for intent, sure in (said[id(each)],)]
    return Figures(
        texts=len(judged),
        inside=len(inside),
        accuracy=_share(inside, lambda each: each.right),
        recall=_share(outside, lambda each: each.heard.outside > calibration.threshold) if outside else None,
        false_alarms=_share(inside, lambda each: each.heard.outside > calibration.threshold),
        recall_at_5=_recall_at(inside, outside) if outside else None,
        ece=calibration_error(pairs(judged)),
        ece_inside=calibration_error(pairs(inside)),
        ece_named=calibration_error(pairs(named)),
        ece_raw=calibration_error(raw),
        gated=len(gated) / len(judged),
        gated_right=_share(gated, lambda each: each.right),
        coverage=tuple((share, max(sure, 0.0), right) for share, sure, right in coverage(answered, SHARES)),
        reliability=tuple(reliability(pairs(judged))),
        reliability_raw=tuple(reliability(raw)),
    )


def _share(some: Sequence[Judged], holds: Callable[[Judged], bool]) -> float:
    return sum(map(holds, some)) / len(some) if some else 0.0


def _recall_at(inside: Sequence[Judged], outside: Sequence[Judged]) -> float:
    rising = sorted(each.heard.outside for each in inside)
    threshold = rising[min(math.ceil(len(rising) * (1 - FALSE_ALARMS)), len(rising)) - 1]
    return sum(each.heard.outside > threshold for each in outside) / len(outside)
