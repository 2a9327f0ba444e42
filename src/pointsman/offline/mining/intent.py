"""Which questions want the same: learned from a few that surely do, against those that surely do not.

Of a seed (three things that come together) there are questions that hold all of it, some that hold most of it, and the
rest, which are taken as others. What a word says is the logarithm of how much more often the first hold it than the rest,
drawn towards its share in all traffic by a Dirichlet prior, so that a word seen once says little. A question belongs
where its words' sum is above zero; with those that belong the words are weighed anew, until nothing changes. A question's
own vote is taken out before it is judged, so that nothing speaks for itself. Where people have said what questions want
(`labelled`), that is what counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from pointsman.offline.mining.acts import NOT_TO_BE_DONE, OTHER_WISHES
from pointsman.offline.mining.corpus import Corpus, bits_of, places_of
from pointsman.offline.mining.parsed import ACT, SLOT, is_word

_PRIOR = 8.0  # questions' worth
_ROUNDS = 6
_FOREIGN = 0.04  # of an intent's questions; an act that is rarer among them is another's
_MOST_OPEN, _OPEN = 2, 0.4  # words that are not known of it: so many, or that share of all that tells something
_FEW, _USUAL = 3, 0.12  # questions of the intent that a word must be in to be usual: so many, and that share
_UNSURE = 2.0  # log odds
_NEVER = 1000.0  # log odds, of what cannot belong
_VETO = 6.0  # off the score, for an act that is foreign and may be a noun's
_NEW = -1.0  # at most, of a word that nobody who wants this used, however rare it is
_MOST = 4.0


class Intent:
    """A set of questions (`members`, as bits) and what their words say. `trusted`: the questions that may be learned from,
    as bits; the others are for judging what was learned. What holds all of the `seed` is where it begins."""

    def __init__(self, corpus: Corpus, seed: frozenset[str], trusted: int, labelled: int | None = None) -> None:
        self._corpus = corpus
        self._seed = seed
        self._trusted = trusted
        self._labelled = labelled
        self.foreign: set[str] = set()
        self.members = 0
        self.weights: dict[str, float] = {}
        self._learn(places_of((corpus.holding(seed) if labelled is None else labelled) & trusted))
        self.foreign = self._others()
        if labelled is None:
            self._learn([place for place in places_of(self.members) if self.foreign.isdisjoint(corpus.features[place])])

    def settle(self) -> None:
        """Take in what belongs, leave out what does not, until that is so."""
        if self._labelled is not None:
            return
        corpus, seen = self._corpus, set[int]()
        for _ in range(_ROUNDS):
            telling = [feature for feature, weight in self.weights.items() if weight > 1.0]
            near = 0
            for feature in telling:
                near |= corpus.bits(feature)
            near &= self._trusted
            members = [place for place in places_of(near) if self.belongs(place)]
            found = bits_of(members)
            if found == self.members or found in seen or not members:
                break
            seen.add(found)
            self.members = found
            self._learn(members)

    def score(self, place: int) -> float:
        """Log odds that the question wants the same, by the others."""
        corpus = self._corpus
        weight = corpus.weights[place] if self.members >> place & 1 and self._trusted >> place & 1 else 0
        return self._score(corpus.features[place], weight)

    def belongs(self, place: int) -> bool:
        if self._labelled is not None:
            return bool(self._labelled >> place & 1)
        return self.score(place) > 0.0

    def surely(self, place: int) -> bool:
        """It belongs, nothing in it asks for something else, and no more than a few of its words are not known of it."""
        if self._labelled is not None:
            return self.belongs(place)
        return (
            self.foreign.isdisjoint(self._corpus.features[place])
            and self.open_words(place) <= max(_MOST_OPEN, _OPEN * len(self._corpus.features[place]))
            and self.belongs(place)
        )

    def surely_not(self, place: int) -> bool:
        """It does not belong, and not by a hair."""
        if self._labelled is not None:
            return not self.belongs(place)
        return self.score(place) < -_UNSURE

    def open_words(self, place: int) -> int:
        """How many of its words say nothing of the intent: nobody else who wants it used them, or others do as often."""
        own = self._own(place)
        return sum(
            is_word(feature)
            and (self._inside.get(feature, 0) <= own or self._weighed(feature, self._inside[feature], self._size) < 0.5)
            for feature in self._corpus.features[place]
        )

    def varies(self, place: int) -> int:
        """How much of it is seldom the same: values, and words that few who want the same use."""
        often = max(_FEW, _USUAL * self._size)
        return sum(
            feature[0] == SLOT or (is_word(feature) and self._inside.get(feature, 0) < often)
            for feature in self._corpus.features[place]
        )

    def share(self, features: Iterable[str]) -> float:
        """Of its questions, how many hold at least one of these."""
        bits = 0
        for feature in features:
            bits |= self._corpus.bits(feature)
        return self._corpus.weight(bits & self.members) / max(self._size, 1)

    def weight_of(self, feature: str) -> float:
        return self.weights.get(feature, self._unseen)

    def _own(self, place: int) -> int:
        return self._corpus.weights[place] if self.members >> place & 1 else 0

    def _score(self, features: Iterable[str], own: int) -> float:
        total = self._odds
        for feature in features:
            inside = self._inside.get(feature, 0)
            if own:
                total += self._weighed(feature, inside - own, self._size - own)
            else:
                total += self.weights[feature] if inside else self._weighed(feature, 0, self._size)
            if feature in self.foreign:
                if feature.removeprefix(ACT) in OTHER_WISHES:
                    return -_NEVER
                total -= _VETO
        return total

    def _learn(self, members: Sequence[int]) -> None:
        corpus = self._corpus
        inside: Counter[str] = Counter()
        size = 0
        for place in members:
            weight = corpus.weights[place]
            size += weight
            for feature in corpus.features[place]:
                inside[feature] += weight
        self._inside, self._size = inside, size
        self._out = corpus.total - size
        self.members = bits_of(members)
        self._odds = log(max(size, 1) / max(self._out, 1))
        self.weights = {feature: self._weighed(feature, count, size) for feature, count in inside.items()}
        self._unseen = self._weighed("", 0, size)

    def _others(self) -> set[str]:
        """Acts that hardly any of the seed's questions have; and where something is to be done, all questions about it."""
        rare = {
            feature
            for feature in self._corpus.counts
            if feature[0] == ACT and self._inside.get(feature, 0) < _FOREIGN * self._size
        }
        acts = {feature.removeprefix(ACT) for feature in self._seed if feature[0] == ACT}
        if acts and acts.isdisjoint(NOT_TO_BE_DONE):
            rare |= {ACT + act for act in NOT_TO_BE_DONE}
        return rare

    def _weighed(self, feature: str, inside: int, size: int) -> float:
        every = self._corpus.counts.get(feature, 1)
        share = every / self._corpus.total
        outside = max(every - inside, 0)
        weight = log((inside + _PRIOR * share + 0.05) / (size + _PRIOR)) - log(
            (outside + _PRIOR * share + 0.05) / (self._corpus.total - size + _PRIOR)
        )
        return min(weight, _MOST) if inside else min(weight, _NEW)
