"""How right a model of task types is on labelled texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec


class Guess(msgspec.Struct, frozen=True):
    """A text's own task, the likeliest one by a model, and whether that was sure enough to be told."""

    wanted: str
    found: str
    told: bool


class Figures(msgspec.Struct, frozen=True):
    """Shares: `accuracy` of all texts, whether told or not; `coverage` of those told, `right` how many of these are right.
    `confused`: (task, what was told, how often), the commonest first."""

    texts: int
    accuracy: float
    coverage: float
    right: float
    confused: tuple[tuple[str, str, int], ...]


def figures_of(guesses: Sequence[Guess]) -> Figures:
    told = [each for each in guesses if each.told]
    wrong = Counter((each.wanted, each.found) for each in told if each.found != each.wanted)
    return Figures(
        len(guesses),
        _share(sum(each.found == each.wanted for each in guesses), len(guesses)),
        _share(len(told), len(guesses)),
        _share(sum(each.found == each.wanted for each in told), len(told)),
        tuple((*pair, count) for pair, count in sorted(wrong.items(), key=lambda each: (-each[1], each[0]))),
    )


def _share(some: int, of: int) -> float:
    return round(some / of, 4) if of else 0.0
