"""Softmax regression on dense rows: L-BFGS, no randomness; the same input gives the same bits on one machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy

from pointsman.arbiter.sparse import Floats, Integers

Doubles: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float64]]"
Loss = Callable[[Doubles], tuple[float, Doubles]]
"""Takes a point, gives the value there and the gradient."""
_MEMORY = 10
_STEPS = 30
"""Halvings of one step before it is given up."""


def probabilities(logits: Floats) -> Floats:
    shifted = numpy.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)  # type: ignore[no-any-return]


def fit_softmax(rows: Floats, labels: Integers, classes: int, strength: float, rounds: int) -> tuple[Floats, Floats]:
    """Weights (columns of `rows` by `classes`) and biases. Minimises the summed log loss plus |weights|² / (2·strength)."""
    width = rows.shape[1]
    wanted = numpy.arange(len(labels)), labels

    def loss(point: Doubles) -> tuple[float, Doubles]:
        weights = point.reshape(width + 1, classes).astype(numpy.float32)
        logits = rows @ weights[:-1] + weights[-1]
        logits -= logits.max(axis=1, keepdims=True)
        right = logits[wanted].sum(dtype=numpy.float64)
        numpy.exp(logits, out=logits)
        sums = logits.sum(axis=1, keepdims=True)
        value = float(numpy.log(sums).sum(dtype=numpy.float64) - right)
        logits /= sums
        logits[wanted] -= 1
        inner = point[: width * classes]
        slope = numpy.concatenate([(rows.T @ logits).ravel(), logits.sum(axis=0)]).astype(numpy.float64)
        slope[: width * classes] += inner / strength
        return value + 0.5 / strength * float(inner @ inner), slope

    best = minimised(loss, numpy.zeros((width + 1) * classes), rounds).reshape(width + 1, classes).astype(numpy.float32)
    return best[:-1], best[-1]


def minimised(loss: Loss, start: Doubles, rounds: int, tolerance: float = 1e-4) -> Doubles:
    """Where a convex `loss` is (nearly) least: at most `rounds` steps of L-BFGS, each one downhill (Armijo), until the
    value falls by less than a share of `tolerance`."""
    point = start
    value, slope = loss(point)
    steps: deque[tuple[Doubles, Doubles, float]] = deque(maxlen=_MEMORY)
    for _ in range(rounds):
        direction = -_scaled(slope, steps)
        down = float(direction @ slope)
        if down >= 0:
            break
        size = 1.0 if steps else min(1.0, 1.0 / max(float(numpy.abs(slope).sum()), 1e-12))
        for _ in range(_STEPS):
            there = point + size * direction
            new_value, new_slope = loss(there)
            if new_value <= value + 1e-4 * size * down:
                break
            size /= 2
        else:
            break
        moved, turned = there - point, new_slope - slope
        along = float(moved @ turned)
        if along > 1e-10:
            steps.append((moved, turned, 1.0 / along))
        fell = value - new_value
        point, value, slope = there, new_value, new_slope
        if len(steps) > 1 and fell <= tolerance * max(abs(value), 1e-12) * 0.1:
            break
    return point


def _scaled(slope: Doubles, steps: deque[tuple[Doubles, Doubles, float]]) -> Doubles:
    """The inverse curvature that the last steps saw, times the slope: the two loops of L-BFGS."""
    result = slope.copy()
    shares = []
    for moved, turned, inverse in reversed(steps):
        share = inverse * float(moved @ result)
        result -= share * turned
        shares.append(share)
    if steps:
        moved, turned, inverse = steps[-1]
        result /= inverse * float(turned @ turned)
    for (moved, turned, inverse), share in zip(steps, reversed(shares), strict=True):
        result += (share - inverse * float(turned @ result)) * moved
    return result
