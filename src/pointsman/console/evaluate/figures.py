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
_MARKS = 8  # of the axis of seconds, at most
_NARROWEST = 3  # steps of that axis: a factor of ten
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
    """Those of a known speed, by seconds (logarithmic) and quality; and marks of the axis of seconds: (x, seconds), which
    go on by 1, 2, 5, 10."""
    known = [(number, model) for number, model in enumerate(models, 1) if model.seconds]
    if not known:
        return [], []
    seconds = [model.seconds or 1 for _, model in known]
    marks = [step * 10.0**power for power in range(-4, 5) for step in (1, 2, 5)]
    first = max((place for place, mark in enumerate(marks) if mark < min(seconds)), default=0)
    last = min((place for place, mark in enumerate(marks) if mark > max(seconds)), default=len(marks) - 1)
    while last - first < _NARROWEST:
        first, last = max(first - 1, 0), min(last + 1, len(marks) - 1)
    shown = marks[first : last + 1]
    least, most = math.log10(shown[0]), math.log10(shown[-1])

    def across(value: float) -> float:
        share = (math.log10(value) - least) / (most - least)
        return round(EDGE + min(max(share, 0.0), 1.0) * (WIDTH - 2 * EDGE), 1)

    dots = []
    for (number, model), taken in zip(known, seconds, strict=True):
        interval = model.interval
        ends = (None, None) if interval is None else (_up(interval[0]), _up(interval[1]))
        dots.append(Dot(number, across(taken), _up(model.quality), *ends))
    every = -(-len(shown) // _MARKS)
    return dots, [(across(mark), mark) for mark in shown[::every]]


def _up(value: float) -> float:
    return round(HEIGHT - EDGE - value * (HEIGHT - 2 * EDGE), 1)


def points_of(bins: Sequence[Bin]) -> Sequence[tuple[float, float, float]]:
    """Of the reliability diagram: x, y, and a radius whose square goes by how many texts there are."""
    most = max((each.texts for each in bins), default=1)
    return [
        (round(each.sure * SIDE, 1), round(SIDE - each.right * SIDE, 1), round(3 + 9 * math.sqrt(each.texts / most), 1))
        for each in bins
    ]


class Field(msgspec.Struct, frozen=True):
    """So many texts; `pair` is the place of their confusion in the evaluation, None of none."""

    texts: int = 0
    pair: int | None = None


class Square(msgspec.Struct, frozen=True):
    """What was meant (rows) and heard (columns), both of `names`."""

    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Field]]]


def square_of(evaluation: Evaluation) -> Square | None:
    """None where there are too many intents for one."""
    names = sorted({name for meant, heard, _ in evaluation.confusion for name in (meant, heard)})
    if not names or len(names) > MOST_INTENTS:
        return None
    fields = {(meant, heard): Field(many, pair) for pair, (meant, heard, many) in enumerate(evaluation.confusion)}
    return Square(names, [(meant, [fields.get((meant, heard), Field()) for heard in names]) for meant in names])
