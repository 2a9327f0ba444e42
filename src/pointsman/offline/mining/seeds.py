"""Where to begin: what comes together in questions far more often than by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import log

from pointsman.offline.mining.corpus import Corpus, places_of
from pointsman.offline.mining.parsed import ACT, FORMAT, SLOT, is_word, may_be_term

_SURE = 40.0  # of a log-likelihood ratio: one in 10^9 by chance, which leaves room for a million pairs
_SHARE = 0.25
_MOST = 1000
_MOST_FEATURES = 24  # of one question: beyond that it is a text that was pasted


def seeds(corpus: Corpus, least: int) -> list[frozenset[str]]:
    """Pairs, and triples that a good share of a pair has, which at least `least` questions hold; the most telling first. A
    triple goes before its pair: it is purer."""
    open_counts: Counter[str] = Counter()
    places = places_of(corpus.open)
    for place in places:
        for feature in corpus.features[place]:
            open_counts[feature] += corpus.weights[place]
    frequent = {feature for feature, count in open_counts.items() if count >= least and may_be_term(feature)}
    together: Counter[tuple[str, str]] = Counter()
    for place in places:
        there = sorted(corpus.features[place] & frequent)
        if len(there) <= _MOST_FEATURES:
            for pair in combinations(there, 2):
                together[pair] += corpus.weights[place]
    found = []
    for pair, count in together.items():
        if count < least or not _worth(pair) or _same_thing(pair, corpus, count):
            continue
        sure = _likelihood(count, open_counts[pair[0]], open_counts[pair[1]], corpus.weight(corpus.open))
        if sure >= _SURE:
            found.append((sure, count, pair))
    found.sort(reverse=True)
    ranked: dict[frozenset[str], float] = {}
    for sure, count, pair in found[:_MOST]:
        for third, more in _thirds(pair, corpus, frequent):
            if more >= max(least, _SHARE * count) and not any(_same_thing((third, one), corpus, more) for one in pair):
                triple = frozenset((*pair, third))
                ranked[triple] = max(ranked.get(triple, 0.0), sure * 1.01)
        ranked.setdefault(frozenset(pair), sure)
    return sorted(ranked, key=lambda seed: (-ranked[seed], sorted(seed)))[: 2 * _MOST]


def _thirds(pair: tuple[str, str], corpus: Corpus, frequent: set[str]) -> Iterator[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for place in places_of(corpus.holding(pair) & corpus.open):
        for feature in corpus.features[place]:
            if feature in frequent:
                counts[feature] += corpus.weights[place]
    for feature, count in counts.most_common(12):
        if feature not in pair:
            yield feature, count


def _worth(pair: Sequence[str]) -> bool:
    """Something must say what it is about: an act and a value are in any question."""
    return any(is_word(feature) or feature == FORMAT for feature in pair)


def _same_thing(pair: tuple[str, str], corpus: Corpus, count: int) -> bool:
    """A word and the act or the slot that it alone makes, or two pieces of one word."""
    one, other = pair
    least = min(corpus.counts[one], corpus.counts[other])
    symbols = [feature for feature in pair if feature[0] in (ACT, SLOT)]
    if len(symbols) == 1 and count == least:
        word = one if symbols[0] == other else other
        return corpus.makes(word, symbols[0])
    return False


def _likelihood(both: int, one: int, other: int, total: int) -> float:
    """Dunning's G² of a two by two table, 0 where the two avoid each other."""
    if both * total <= one * other:
        return 0.0
    table = (
        (both, one * other / total),
        (one - both, one * (total - other) / total),
        (other - both, (total - one) * other / total),
        (total - one - other + both, (total - one) * (total - other) / total),
    )
    return 2 * sum(seen * log(seen / expected) for seen, expected in table if seen > 0 and expected > 0)
