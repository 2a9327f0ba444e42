"""What a request costs a target: seconds of its engine, as this very log measured them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import median

import msgspec

Sample = tuple[float, float | None, float]
"""(input tokens as the gateway estimates them, output tokens, seconds)"""

_KEPT = 4096  # samples a target, at most
_FEW = 8  # samples of which no slope is told
_TRIMMED = 20  # of so many samples, the one that fits worst is left out
_LIKE = 5  # samples of about the same length that tell what is typical of it


class Cost(msgspec.Struct, frozen=True):
    """Seconds = base + per_input × input tokens + per_output × output tokens, none below 0. `output` is the median of
    output tokens by the size of the input (its number of binary digits), `typical` the median of all; `samples` says how
    many requests of the log tell it, of which at most 4,096, evenly over the time, were looked at."""

    samples: int
    base: float
    per_input: float
    per_output: float
    typical: float
    output: dict[int, float] = {}

    def seconds(self, input_tokens: int) -> float:
        """What a request with so long a prompt and a reply of typical length takes."""
        return self.several(1, input_tokens, size_of(input_tokens))

    def several(self, count: int, input_tokens: int, size: int) -> float:
        """The sum over `count` requests of one size with so many input tokens together."""
        written = self.output.get(size, self.typical)
        return count * (self.base + self.per_output * written) + self.per_input * input_tokens


def size_of(input_tokens: int) -> int:
    return int(input_tokens).bit_length()


class Samples:
    """As many as can be kept, evenly over the time: when there are too many, every second one goes, and of those that
    come only so many are taken."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: list[Sample] = []
        self._every = 1

    def add(self, sample: Sample) -> None:
        if self.count % self._every == 0:
            self.kept.append(sample)
            if len(self.kept) > _KEPT:
                self.kept = self.kept[::2]
                self._every *= 2
        self.count += 1


class Costs:
    """Of every target that a model request of the log went to, and of all together."""

    def __init__(self) -> None:
        self._of: dict[str, Samples] = {}
        self._all = Samples()

    def add(self, target: str, sample: Sample) -> None:
        samples = self._of.get(target)
        if samples is None:
            samples = self._of[target] = Samples()
        samples.add(sample)
        self._all.add(sample)

    def fitted(self) -> dict[str, Cost]:
        """By target; under the name "" that of all together, for targets of which the log tells nothing. Empty where it
        tells nothing at all."""
        found = {name: fit(samples.kept, samples.count) for name, samples in sorted(self._of.items())}
        return {**found, "": fit(self._all.kept, self._all.count)} if found else {}


def fit(samples: Sequence[Sample], count: int | None = None) -> Cost:
    """Least squares with no coefficient below 0, done twice: the second time without the twentieth part whose seconds
    are farthest from the first. Of fewer than 8 samples the median of the seconds stands for all. Output tokens count
    where at least half of the samples have them; then the others are left out."""
    known = [sample for sample in samples if sample[1] is not None]
    if 2 * len(known) < len(samples):
        rows = [(read, 0.0, seconds) for read, _, seconds in samples]
    else:
        rows = [(read, written or 0.0, seconds) for read, written, seconds in known]
    count = len(samples) if count is None else count
    if len(rows) < _FEW:
        return Cost(count, median(seconds for *_, seconds in samples), 0.0, 0.0, 0.0)
    found = not_negative(rows)
    if worst := len(rows) // _TRIMMED:
        rows = sorted(rows, key=lambda row: abs(_off(row, found)))[:-worst]
        found = not_negative(rows)
    by_size: dict[int, list[float]] = {}
    for read, written, _ in rows:
        by_size.setdefault(size_of(int(read)), []).append(written)
    typical = {size: median(written) for size, written in sorted(by_size.items()) if len(written) >= _LIKE}
    return Cost(count, *found, median(written for _, written, _ in rows), typical)


def not_negative(rows: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """(base, per first, per second) of least squares over (first, second, result), each at least 0. The best of all
    choices of which of them are 0 is the minimum, since there the others are at their own."""
    columns = ([1.0] * len(rows), [row[0] for row in rows], [row[1] for row in rows])
    results = [row[2] for row in rows]
    products = [[sum(map(float.__mul__, map(float, a), map(float, b))) for b in columns] for a in columns]
    targets = [sum(map(float.__mul__, map(float, column), results)) for column in columns]
    best, least = (0.0, 0.0, 0.0), 0.0
    for many in (3, 2, 1):
        for chosen in combinations(range(3), many):
            solved = _solved([[products[a][b] for b in chosen] for a in chosen], [targets[a] for a in chosen])
            if solved is None or min(solved) < 0:
                continue
            full = dict(zip(chosen, solved, strict=True))
            gain = sum(value * targets[place] for place, value in full.items())  # what it explains of the squares
            if gain > least:
                best, least = (full.get(0, 0.0), full.get(1, 0.0), full.get(2, 0.0)), gain
    return best


def _off(row: tuple[float, float, float], found: tuple[float, float, float]) -> float:
    return row[2] - found[0] - found[1] * row[0] - found[2] * row[1]


def _solved(matrix: list[list[float]], right: list[float]) -> list[float] | None:
    """Gauss with pivots; None where the columns depend on each other."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(len(rows)):
        scale = matrix[place][place]
        pivot = max(range(place, len(rows)), key=lambda row: abs(rows[row][place]))
        if abs(rows[pivot][place]) <= 1e-12 * max(scale, 1e-300):
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        for below in range(place + 1, len(rows)):
            factor = rows[below][place] / rows[place][place]
            rows[below] = [a - factor * b for a, b in zip(rows[below], rows[place], strict=True)]
    solved = [0.0] * len(rows)
    for place in reversed(range(len(rows))):
        known = sum(rows[place][after] * solved[after] for after in range(place + 1, len(rows)))
        solved[place] = (rows[place][-1] - known) / rows[place][place]
    return solved
