"""The line through measured memory: memory = a + b x tokens x sequences, by least squares."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from pointsman.domain.said import Said
from pointsman.memory.network import Unreadable


class Point(msgspec.Struct, frozen=True):
    """What was in use (bytes) at the worst moment of a load of `sequences` requests at once, of `tokens` tokens each."""

    tokens: int
    sequences: int
    used: int

    @property
    def load(self) -> int:
        """Tokens of all of them."""
        return self.tokens * self.sequences


class Line(msgspec.Struct, frozen=True):
    """`intercept` in bytes, `slope` in bytes a token with `error`, its standard error (None from fewer than three
    points); `residuals` measured less line, in the order of the points."""

    intercept: float
    slope: float
    error: float | None
    residuals: tuple[float, ...]

    @property
    def rms(self) -> float:
        """Root of the mean square of the residuals."""
        return math.sqrt(math.fsum(each * each for each in self.residuals) / len(self.residuals))

    @property
    def flat(self) -> bool:
        """Whether the slope cannot be told from 0: requests take cells, and no more memory. From three points on it is
        within two standard errors of it, or below."""
        return self.slope <= 0 if self.error is None else self.slope <= 2 * self.error

    def at(self, load: int) -> float:
        """Bytes in use with that many tokens."""
        return self.intercept + self.slope * load


def fit_line(points: Sequence[Point]) -> Line:
    """Raises Unreadable where all points have the same load: a line needs two."""
    loads = [float(point.load) for point in points]
    if len(set(loads)) < 2:
        raise Unreadable(Said("a line needs at least two different loads", "至少要有两种不同的负载才能拟合直线"))
    count = len(points)
    x0 = math.fsum(loads) / count
    y0 = sum(point.used for point in points) / count
    spread = math.fsum((x - x0) ** 2 for x in loads)
    slope = math.fsum((x - x0) * (point.used - y0) for x, point in zip(loads, points, strict=True)) / spread
    intercept = y0 - slope * x0
    residuals = tuple(point.used - (intercept + slope * x) for x, point in zip(loads, points, strict=True))
    error = math.sqrt(math.fsum(r * r for r in residuals) / (count - 2) / spread) if count > 2 else None
    return Line(intercept, slope, error, residuals)


class Held(msgspec.Struct, frozen=True):
    """A declared `gpu_memory` (MB, powers of 1024) against the line: what one request of `tokens` tokens takes on top of
    the resting backend, and the whole backend with it."""

    name: str
    declared: int
    extra: int
    whole: int

    @property
    def holds(self) -> bool:
        """Whether the declared figure covers what a request adds."""
        return self.extra <= self.declared


def hold(name: str, declared: int, line: Line, tokens: int) -> Held:
    """`extra` is 0 where the line is flat."""
    extra = 0.0 if line.flat else line.slope * tokens
    return Held(name, declared, _megabytes(extra), _megabytes(line.intercept + extra))


def _megabytes(size: float) -> int:
    return max(0, math.ceil(round(size / (1 << 20), 6)))
