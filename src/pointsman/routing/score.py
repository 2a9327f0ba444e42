"""Score = quality's weight × quality − latency's × latency − cost's × cost, of each target that may serve a request.

Latency and cost are taken as shares of the largest among the targets, so that weights mean the same whatever the units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pointsman.domain.decision import CostUnit, TargetChoice, Terms
from pointsman.domain.features import Features
from pointsman.domain.policy import Weights
from pointsman.domain.target import Load, Snapshot, Target
from pointsman.routing.latency import duration, expected_output
from pointsman.routing.quality import Figures, quality_of

_IDLE = Load()
_HOUR = 3600.0


class Scoring(msgspec.Struct, frozen=True):
    """By what targets are scored for one request. `name` is that of the weights, `last` the target that served its session
    before, and so has all but the question in its cache."""

    name: str
    weights: Weights
    figures: Figures
    features: Features
    max_output: int | None
    loads: Mapping[str, Load]
    last: str | None


def score(candidates: Sequence[tuple[Target, str]], snapshot: Snapshot, by: Scoring) -> list[TargetChoice]:
    """The same targets, each with why it is there and with its terms, the best first; among equals the one that has less to
    do, then by name."""
    features, weights, last = by.features, by.weights, by.last
    task, difficulty = features.task_type, features.difficulty
    output = expected_output(features, by.max_output)
    unit = _unit([target for target, _ in candidates])
    took = []
    slowest = dearest = 0.0
    for target, _ in candidates:
        state = snapshot.state(target.name)
        load = by.loads.get(target.name, _IDLE)
        cached = target.name == last and features.turns > 1
        fresh = min(features.question_tokens, features.input_tokens) if cached else features.input_tokens
        each = duration(target, state, load, fresh, output)
        cost = _cost(target, each.work, unit)
        took.append((state, load, each, cost))
        slowest, dearest = max(slowest, each.whole), max(dearest, cost)
    bonus = round(weights.stay * (weights.quality + weights.latency + weights.cost), 6)
    scored = []
    for (target, why), (state, load, each, cost) in zip(candidates, took, strict=True):
        quality, quality_from = quality_of(target, state, by.figures, task, difficulty)
        shift = snapshot.shift(target.model, task)
        quality = min(max(quality + shift, 0.0), 1.0)
        stays = bonus if target.name == last else 0.0
        latency_share = each.whole / slowest if slowest else 0.0
        cost_share = cost / dearest if dearest else 0.0
        total = weights.quality * quality - weights.latency * latency_share - weights.cost * cost_share + stays
        terms = Terms(round(latency_share, 4), round(cost_share, 4), quality_from, each.rate_from, unit, stays, shift)
        choice = TargetChoice(
            target.name,
            why,
            round(total, 6),
            round(quality, 4),
            round(each.whole, 4),
            round(cost, 8),
            load.in_flight,
            load.wait,
            terms,
        )
        scored.append(choice)
    scored.sort(key=_order)
    return scored


def _order(choice: TargetChoice) -> tuple[float, int, str]:
    return -(choice.score or 0.0), choice.in_flight or 0, choice.target


def _unit(targets: Sequence[Target]) -> CostUnit:
    """One that all of them have."""
    if all(target.money_per_hour is not None for target in targets):
        return "money"
    return "watt_hours" if all(target.watts is not None for target in targets) else "gpu_seconds"


def _cost(target: Target, work: float, unit: CostUnit) -> float:
    if unit == "money":
        return work / _HOUR * (target.money_per_hour or 0.0)
    return work / _HOUR * (target.watts or 0.0) if unit == "watt_hours" else work
