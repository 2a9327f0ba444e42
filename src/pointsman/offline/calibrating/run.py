"""An arbiter hears labelled texts; what it said and what was right give its calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pointsman.arbiter.calibration import confidence
from pointsman.arbiter.figures import Figures, figures
from pointsman.arbiter.fitting import FALSE_ALARMS, Judged, fit_calibration
from pointsman.arbiter.reliability import place_of
from pointsman.domain.intent import OPEN_ENDED, OUT_OF_SCOPE, Calibration, Query
from pointsman.offline.question import Question
from pointsman.ports.arbiter import Arbiter

_OUTSIDE = (OUT_OF_SCOPE, OPEN_ENDED)
LEAST = 20
"""Texts below which nothing can be said."""
NAMED = 50
"""Texts behind one figure that are named."""


class Calibrated(msgspec.Struct, frozen=True):
    """`before` by the calibration that there was, `after` by the new one, both on all texts; how it does on texts that it
    was not fitted on is `calibration.ece_after`. `unheard`: the arbiter gave no scores. `confusion` by the new one: what was
    meant (`open_ended`: no intent), what it heard, how many texts; the most first. `confused` and `binned` name some of the
    texts behind each of `confusion` and of `after.reliability`."""

    calibration: Calibration
    before: Figures
    after: Figures
    unheard: int
    confusion: tuple[tuple[str, str, int], ...] = ()
    confused: tuple[tuple[str, ...], ...] = ()
    binned: tuple[tuple[str, ...], ...] = ()


async def calibrated(
    arbiter: Arbiter,
    heads: str,
    now: Calibration,
    questions: Sequence[Question],
    tell: Callable[[int], None] = lambda done: None,
) -> Calibrated | None:
    """`heads`: whom the calibration is for; `now`: the one that there is. None where fewer than `LEAST` texts were heard,
    or none of them has an intent."""
    judged: list[Judged] = []
    meant: list[str] = []
    names: list[str] = []
    for number, question in enumerate(questions):
        tell(number)
        heard = await arbiter.hear(Query(text=question.text))
        if heard.failure is None and heard.scores:
            inside = question.label not in _OUTSIDE
            meant.append(str(question.label) if inside else OPEN_ENDED)
            names.append(question.id or str(number + 1))
            judged.append(Judged(heard, inside, inside and heard.scores[0][0] == question.label))
    if len(judged) < LEAST or not any(each.inside for each in judged):
        return None
    fitted = msgspec.structs.replace(fit_calibration(judged, alarms=FALSE_ALARMS), model=heads)
    heard_as: dict[tuple[str, str], list[str]] = {}
    bins: dict[int, list[str]] = {}
    for label, name, each in zip(meant, names, judged, strict=True):
        said, sure = confidence(each.heard, fitted)
        heard_as.setdefault((label, said), []).append(name)
        bins.setdefault(place_of(sure), []).append(name)
    pairs = sorted(heard_as.items(), key=lambda pair: -len(pair[1]))
    return Calibrated(
        fitted,
        figures(judged, now),
        figures(judged, fitted),
        unheard=len(questions) - len(judged),
        confusion=tuple((label, said, len(some)) for (label, said), some in pairs),
        confused=tuple(tuple(some[:NAMED]) for _, some in pairs),
        binned=tuple(tuple(bins[place][:NAMED]) for place in sorted(bins)),
    )
