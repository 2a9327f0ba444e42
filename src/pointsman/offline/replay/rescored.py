"""A logged decision with other weights: its targets ordered again by the terms that were logged.

Logged terms are rounded. Where two targets are so near that rounding could decide between them, nothing is said, and the
request has to be decided anew."""

from __future__ import annotations

from operator import itemgetter
from zlib import crc32

import msgspec

from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.policy import Weights
from pointsman.domain.target import Snapshot
from pointsman.pipeline.policy import Policy
from pointsman.routing.choose import standing
from pointsman.routing.explore import explored

_ROUNDED = 5e-5
"""What a term that was rounded to four digits may be off by, at most; a bonus or a sum is off by less."""
_EXACT = 2e-6


def rescored(request_id: str, logged: Decision, policy: Policy, snapshot: Snapshot) -> Decision | None:
    """By a policy that differs from the one that decided it in weights, and in how often the second best is tried, alone.
    None where the terms do not tell."""
    name = logged.scored
    choices = logged.targets
    if name is None or not choices:
        return None
    weights = policy.document.weights.get(name)
    why = f"policy {name}"
    if weights is None:
        return None
    bonus = weights.stay * (weights.quality + weights.latency + weights.cost)
    blur = 2 * (_ROUNDED * (abs(weights.quality) + abs(weights.latency) + abs(weights.cost)) + _EXACT)
    ranked: list[tuple[int, float, TargetChoice]] = []
    for choice in choices:
        if choice.terms is None or not choice.why.startswith(why) or choice.quality is None:
            return None
        score = _score(choice, weights, bonus if choice.target == logged.last else 0.0)
        ranked.append((standing(snapshot.state(choice.target)), -score, choice))
    if len(ranked) > 1:
        ranked.sort(key=itemgetter(0, 1))
        before = ranked[0]
        for each in ranked[1:]:
            if each[0] == before[0] and each[1] - before[1] <= blur:
                return None
            before = each
    targets = tuple([choice for _, _, choice in ranked])
    share = policy.document.explore
    if share and logged.last is None:
        targets = explored(targets, snapshot, share, crc32(request_id.encode())) or targets
    return logged if targets == choices else msgspec.structs.replace(logged, targets=targets)


def _score(choice: TargetChoice, weights: Weights, bonus: float) -> float:
    terms = choice.terms
    assert terms is not None and choice.quality is not None
    own = weights.quality * choice.quality + bonus
    return own - weights.latency * terms.latency_share - weights.cost * terms.cost_share
