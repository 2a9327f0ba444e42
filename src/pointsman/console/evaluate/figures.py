"""What the page *Evaluate* asks of the gateway, and where it draws it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import msgspec

from pointsman.arbiter.evaluation import Evaluation
from pointsman.arbiter.reliability import Bin

WIDTH, HEIGHT, EDGE = 640, 300, 40
"""Of the drawing of models, and what its axes take at each side."""
SIDE = 300
"""Of the reliability diagram, without its edges."""
MOST_INTENTS = 12
"""Of which the confusion is shown as a square; of more the largest ones are listed."""
_Z = 1.96


class ModelWorth(msgspec.Struct, frozen=True):
    """A target. `quality` 0 to 1, as its model was measured over `gradings`, 0: nobody measured it, and that is what models
    of its size reach. `shift` is what feedback moves it by. `seconds` of its engine for 100 tokens of a reply, None where
    that was not measured."""

    target: str
    model: str
    quality: float
    gradings: int
    shift: float
    seconds: float | None

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % (Wilson's); None of nothing."""
        n, p = self.gradings, self.quality
        if not n:
            return None
        middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n * n))
        return max(middle - half, 0.0), min(middle + half, 1.0)


class Evaluations(Protocol):
    def arbiters(self) -> Sequence[Evaluation]:
        """The newest first. Reads the disk."""

    def models(self) -> Sequence[ModelWorth]: ...


class Dot(msgspec.Struct, frozen=True):
    """Where a model is drawn, with the number that it has in the table; `low` and `high` are the ends of its interval."""

    number: int
    x: float
    y: float
    low: float | None = None
    high: float | None = None


def dots_of(models: Sequence[ModelWorth]) -> tuple[Sequence[Dot], Sequence[tuple[float, float]]]:
    """Those of a known speed, by seconds (logarithmic) and quality; and marks of the axis of seconds: (x, seconds)."""
    known = [(number, model) for number, model in enumerate(models, 1) if model.seconds]
    if not known:
        return [], []
    logs = [math.log10(model.seconds or 1) for _, model in known]
    least, most = math.floor(min(logs)), math.ceil(max(logs))
    most = most if most > least else least + 1

    def across(value: float) -> float:
        return round(EDGE + (value - least) / (most - least) * (WIDTH - 2 * EDGE), 1)

    dots = []
    for (number, model), log in zip(known, logs, strict=True):
        interval = model.interval
        ends = (None, None) if interval is None else (_up(interval[0]), _up(interval[1]))
        dots.append(Dot(number, across(log), _up(model.quality), *ends))
    return dots, [(across(power), 10.0**power) for power in range(least, most + 1)]


def _up(value: float) -> float:
    return round(HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE), 1)


def points_of(bins: Sequence[Bin]) -> Sequence[tuple[float, float, float]]:
    """Of the reliability diagram: x, y, and a radius whose square goes by how many texts there are."""
    most = max((each.texts for each in bins), default=1)
    return [
        (round(each.sure * SIDE, 1), round(SIDE - each.right * SIDE, 1), round(3 + 9 * math.sqrt(each.texts / most), 1))
        for each in bins
    ]


class Square(msgspec.Struct, frozen=True):
    """What was meant (rows) and heard (columns), both of `names`; `most` texts stand in one field."""

    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[int]]]
    most: int


def square_of(evaluation: Evaluation) -> Square | None:
    """None where there are too many intents for one."""
    names = sorted({name for meant, heard, _ in evaluation.confusion for name in (meant, heard)})
    if not names or len(names) > MOST_INTENTS:
        return None
    counts = {(meant, heard): many for meant, heard, many in evaluation.confusion}
    rows = [(meant, [counts.get((meant, heard), 0) for heard in names]) for meant in names]
    return Square(names, rows, max(counts.values()))
