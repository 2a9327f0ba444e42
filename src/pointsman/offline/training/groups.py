"""Texts that are nearly the same, so that none is judged by what was learnt of its double."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from pointsman.learning.pieces import plain

_LONG, _READ = 4, 400
ALIKE = 0.4


def groups_of(texts: Sequence[str]) -> list[int]:
    """Of each text the number of its group: of those whose parts of four characters are alike in a share of ALIKE (Jaccard),
    and all that are so linked."""
    groups = list(range(len(texts)))
    holds: dict[str, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for place, text in enumerate(texts):
        parts = _parts(text)
        sizes.append(len(parts))
        shared: Counter[int] = Counter()
        for part in parts:
            shared.update(holds[part])
            holds[part].append(place)
        for other, both in shared.items():
            if both > ALIKE * (len(parts) + sizes[other] - both):
                groups[_first(groups, place)] = _first(groups, other)
    return [_first(groups, place) for place in range(len(texts))]


def _parts(text: str) -> set[str]:
    spelt = plain(text)[:_READ]
    return {spelt[at : at + _LONG] for at in range(len(spelt) - _LONG + 1)} or {spelt}


def _first(groups: list[int], place: int) -> int:
    while groups[place] != place:
        groups[place] = groups[groups[place]]
        place = groups[place]
    return place
