"""How sure an entry is the right one, from words and from meaning: numbers that were fitted on questions. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from pointsman.actions.faq.keywords import Near

Features = tuple[float, float, float, float]
Meaning = tuple[float, float]
"""Likeness to the closest question of an entry, and to its answer."""


class Weights(msgspec.Struct, frozen=True):
    """`order` weighs likeness by words, how much is covered, and likeness of meaning to the entry's questions and to its
    answer, to tell who is closest. The others are those of a logistic function, of the same four and of the lead over the
    next, to tell how sure that is. A lead counts as `most_lead` at most: where no other entry shares a word, it says
    little."""

    order: Features
    rest: float
    sure: Features
    lead: float
    most_lead: float = 9.0


BY_WORDS = Weights((1.0, 0.5, 0.0, 0.0), -3.77, (3.74, 1.7, 0.0, 0.0), 3.71, 0.5)
BY_BOTH = Weights((1.0, 1.0, 3.0, 5.0), -2.1, (0.0, 1.5, 0.4, 2.2), 1.45)
"""docs/adr/0045 says on what these were fitted, and how."""


class Scored(msgspec.Struct, frozen=True, gc=False):
    """An entry by its place. `score`, from 0 to 1: how often an entry with such a score is the right one."""

    place: int
    score: float


def scored(near: Sequence[Near], meanings: Sequence[Meaning] | None, most: int) -> list[Scored]:
    """The closest entries, the closest first, ties in the order of the file. `meanings` are likenesses of all entries by
    their vectors, None where there are none."""
    weights = BY_WORDS if meanings is None else BY_BOTH
    features: dict[int, Features] = {one.place: (one.likeness, one.covered, 0.0, 0.0) for one in near}
    if meanings is not None:
        for place, meaning in enumerate(meanings):
            likeness, covered, *_ = features.get(place, (0.0, 0.0))
            features[place] = likeness, covered, *meaning
    exact = {one.place for one in near if one.likeness >= 1.0 and one.covered >= 1.0}
    close = {place: _sum(weights.order, found) + 100.0 * (place in exact) for place, found in features.items()}
    order = sorted(close, key=lambda place: (-close[place], place))[: max(most, 2)]
    scores = []
    for rank, place in enumerate(order[:most]):
        other = close[order[1]] if rank == 0 and len(order) > 1 else 0.0 if rank == 0 else close[order[0]]
        odds = (
            weights.rest
            + _sum(weights.sure, features[place])
            + weights.lead * min(close[place] - other, weights.most_lead)
        )
        score = 1.0 if place in exact else 1 / (1 + math.exp(-max(min(odds, 30.0), -30.0)))
        scores.append(Scored(place, round(score, 3)))
    return sorted(scores, key=lambda one: -one.score)


def _sum(weights: Features, features: Features) -> float:
    return sum(weight * feature for weight, feature in zip(weights, features, strict=True))
