"""How much of a heavy model's advantage a router recovers, by how many requests it sends there.

The terms are those of Ong et al., "RouteLLM: Learning to Route LLMs with Preference Data" (ICLR 2025, arXiv:2406.18665,
section 3.2): PGR, APGR and CPT; areas are taken by trapezoids, as in routellm/evals/evaluate.py of lm-sys/RouteLLM. Its ten
shares of calls are all shares here, from none to all requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy

Doubles: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float64]]"


class Curve(NamedTuple):
    """At each share of calls that go to the heavy model, rising from 0 to 1: the performance gap recovered, which is 0 where
    all goes to the light one, 1 where all goes to the heavy one, and may be more or less than these in between."""

    shares: Doubles
    recovered: Doubles


class Order(NamedTuple):
    """Requests by falling score. `places` are theirs, `starts` where groups of equal scores begin: in such a group all are
    as likely to go first, so that the curve is straight there."""

    places: numpy.ndarray[Any, numpy.dtype[numpy.int64]]
    starts: numpy.ndarray[Any, numpy.dtype[numpy.int64]]


def order_of(scores: Doubles) -> Order:
    places = numpy.argsort(-scores, kind="stable")
    falling = scores[places]
    starts = numpy.flatnonzero(numpy.concatenate([[True], falling[1:] != falling[:-1]]))
    return Order(places, starts)


def curve(scores: Doubles, gaps: Doubles) -> Curve:
    """`scores`: the higher, the sooner to the heavy model. `gaps`: by how much it is better, of each request. PGR at a share
    is (mean quality there − that of the light model) / (that of the heavy one − that of the light one). Raises
    ZeroDivisionError where the two are equally good."""
    order = order_of(scores)
    sizes = numpy.diff(numpy.append(order.starts, len(scores)))
    gained = numpy.add.reduceat(gaps[order.places], order.starts)
    total = float(gaps.sum())
    if not total:
        raise ZeroDivisionError("there is no gap to recover")
    shares = numpy.concatenate([[0.0], numpy.cumsum(sizes) / len(scores)])
    return Curve(shares, numpy.concatenate([[0.0], numpy.cumsum(gained) / total]))


def apgr(scores: Doubles, gaps: Doubles) -> float:
    """Average performance gap recovered: the area under PGR. 0.5 is what chance gives. Raises as `curve`."""
    return area(curve(scores, gaps))


def area(drawn: Curve) -> float:
    steps = numpy.diff(drawn.shares)
    return float((steps * (drawn.recovered[1:] + drawn.recovered[:-1]) / 2).sum())


def calls_for(drawn: Curve, wanted: float) -> float:
    """Call-performance threshold, CPT(`wanted`): the least share of calls to the heavy model that recovers so much of the
    gap, on a straight line between two points of the curve."""
    reached = numpy.flatnonzero(drawn.recovered >= wanted - 1e-12)
    first = int(reached[0])
    if first == 0:
        return 0.0
    low, high = drawn.recovered[first - 1], drawn.recovered[first]
    part = 1.0 if high <= low else (wanted - low) / (high - low)
    return float(drawn.shares[first - 1] + part * (drawn.shares[first] - drawn.shares[first - 1]))


def resampled(orders: Sequence[Order], gaps: Sequence[Doubles], rounds: int, seed: int) -> Doubles:
    """APGR of each order (with the gaps that belong to it) over `rounds` samples of the requests, drawn with replacement,
    the same samples for all: a row a round. A sample without a gap gives NaN."""
    count = len(gaps[0])
    random = numpy.random.default_rng(seed)
    found = numpy.empty((rounds, len(orders)))
    for number in range(rounds):
        often = numpy.bincount(random.integers(0, count, count), minlength=count).astype(numpy.float64)
        for place, (order, each) in enumerate(zip(orders, gaps, strict=True)):
            weights = often[order.places]
            sizes = numpy.add.reduceat(weights, order.starts) / count
            gained = numpy.cumsum(numpy.add.reduceat(weights * each[order.places], order.starts))
            total = gained[-1]
            before = numpy.concatenate([[0.0], gained[:-1]])
            with numpy.errstate(divide="ignore", invalid="ignore"):
                found[number, place] = (sizes * (gained + before) / 2).sum() / total
    return found
