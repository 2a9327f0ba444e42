"""How often a pattern would be right, told by questions that it was not made from.

The questions are split in four parts by their text. A pattern is made from three of them, from the seed on, and tried on the
fourth; so each part is tried once. A hit is right where it surely wants what the intent is, which is judged by the words of
all other questions, never by its own (see intent.py). So neither the pattern nor its judge has seen the question on which
they are tried. It is still words that judge words: what is written in the very same words and means something else cannot
be told without a person, whose labels are taken where there are any.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from math import sqrt

import msgspec

from pointsman.offline.mining.corpus import Corpus, bits_of, places_of
from pointsman.offline.mining.grow import Grower
from pointsman.offline.mining.intent import Intent
from pointsman.offline.mining.pattern import Pattern, Terms

_FEW = 3
_PARTS = 4
_Z = 1.96


class Estimate(msgspec.Struct, frozen=True):
    """Of `hits` in parts that the pattern was not made from, `right` were right; `low` and `high` is the 95 % interval of
    their share (Wilson). `covered` is the share of the intent that was hit so."""

    hits: int
    right: int
    low: float
    high: float
    covered: float

    @property
    def precision(self) -> float:
        return self.right / self.hits if self.hits else 0.0


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not total:
        return 0.0, 1.0
    share, z2 = right / total, _Z * _Z
    middle = share + z2 / (2 * total)
    wide = _Z * sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return max(0.0, (middle - wide) / (1 + z2 / total)), min(1.0, (middle + wide) / (1 + z2 / total))


def parts(corpus: Corpus) -> list[int]:
    """The open questions in four parts, as bits; one question is in the same part whatever else is asked."""
    places: list[list[int]] = [[] for _ in range(_PARTS)]
    for place in places_of(corpus.open):
        places[zlib.crc32(corpus.parsed[place].folded.encode("utf-8", "replace")) % _PARTS].append(place)
    return [bits_of(each) for each in places]


def estimate(
    corpus: Corpus,
    terms: Terms,
    seed: frozenset[str],
    judge: Intent,
    labelled: int | None,
    taken_by: Callable[[Pattern, int], int],
) -> Estimate:
    """`judge` is the intent as all questions tell it. `taken_by(pattern, questions)`: which of the questions the engine
    takes by it."""
    hits = right = covered = 0
    for tried_on in parts(corpus):
        made_from = corpus.open & ~tried_on
        if corpus.weight(corpus.holding(seed) & made_from) < _FEW:
            continue
        known = Intent(corpus, seed, made_from, labelled)
        known.settle()
        pattern = Grower(corpus, terms, known, made_from).grow(seed)
        if pattern is None:
            continue
        taken = taken_by(pattern, tried_on)
        hits += corpus.weight(taken)
        right += corpus.weight(bits_of(place for place in places_of(taken) if judge.belongs(place)))
        covered += corpus.weight(taken & judge.members)
    wanted = corpus.weight(judge.members)
    return Estimate(hits, right, *wilson(right, hits), covered / wanted if wanted else 0.0)
