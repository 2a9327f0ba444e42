"""From an intent to a rule's condition: groups that grow by what they cover, as long as what they take wants the same.

Each part of the seed is a group. A term joins the group in which it brings most questions of the intent, and one that is
not of it, and not by a hair, costs as much as eight that are; a term that brings none, or more harm than good, goes again,
and so does a group without which nothing worse is taken. What is still taken and should not be is excluded by words of
other acts (怎么, 函数) and by words that the intent does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from pointsman.offline.mining.acts import COMMONEST, DOCUMENT, ENDS_WITH_FORMAT, FORMS, LIGHT_VERB, acts_of
from pointsman.offline.mining.corpus import Corpus, bits_of, places_of
from pointsman.offline.mining.fillers import FORMATS
from pointsman.offline.mining.intent import Intent
from pointsman.offline.mining.parsed import ACT, FORMAT, SLOT, is_word, may_be_term
from pointsman.offline.mining.pattern import Pattern, Terms, is_regex

_EXPORT = "export"
_PRICE = 8  # questions of the intent that one of another is worth
_TELLING = 0.7
_MOST_TERMS = 60
_MOST_NONE = 60
_STEPS = 150
_LOOSE = 1.5  # how much more a condition must take for it to be a group shorter

Groups = list[list[str]]


class Grower:
    """Grows patterns over the questions `trusted` (bits) of a corpus."""

    def __init__(self, corpus: Corpus, terms: Terms, intent: Intent, trusted: int) -> None:
        self._corpus, self._terms, self._intent = corpus, terms, intent
        self._trusted = trusted
        self._good = intent.members & trusted
        foreign = 0
        for act in intent.foreign:
            foreign |= corpus.bits(act)
        self._others = trusted & ~intent.members
        self._plain = self._good & ~foreign  # nothing in them speaks against it
        self._against = self._good & foreign
        self._against |= bits_of(place for place in places_of(self._others) if intent.surely_not(place))
        self._bad = self._against & ~foreign  # what is foreign is excluded by words of its own, later

    def grow(self, seed: Iterable[str]) -> Pattern | None:
        """None where no condition of two groups tells the intent from the rest."""
        shaped = [self._shape(groups) for groups in self._beginnings(sorted(seed)) if all(groups)]
        best = max((groups for groups in shaped if len(groups) > 1), key=self._worth, default=None)
        if best is None or self._worth(best) <= 0:
            return None
        none = self._excluded(best)
        return Pattern(tuple(tuple(self._ordered(group)) for group in best), tuple(none))

    def _shape(self, groups: Groups) -> Groups:
        groups = self._widened(groups)
        return self._with_more_verbs(self._pruned(self._widened(self._without_idle_groups(self._pruned(groups)))))

    def _with_more_verbs(self, groups: Groups) -> Groups:
        """With every way to ask for a thing to be delivered that harms nothing: the other groups say which thing."""
        for number, group in enumerate(groups):
            if ENDS_WITH_FORMAT not in group:
                continue
            rest = self._terms.holding(other for place, other in enumerate(groups) if place != number) & self._trusted
            more = [LIGHT_VERB]
            for place in places_of(rest & ~self._terms.any_of(group)):
                more += [word for word in self._corpus.parsed[place].acts.get(_EXPORT, ()) if len(word) > 1]
            for term in dict.fromkeys(more):
                new = self._terms.bits(term) & rest & ~self._terms.any_of(group)
                if new and not new & self._bad:
                    group.append(term)
        return groups

    def _beginnings(self, seed: Sequence[str]) -> Iterator[Groups]:
        """Each part of the seed a group. Formats go with what is made in them, or with the other values; then what is made
        is a group of its own."""
        topic = self._topic(seed) if FORMAT in seed and len(seed) > 2 else None
        if topic is None:
            yield [self._alternatives(feature) for feature in seed]
            return
        formats = self._alternatives(FORMAT)
        others = [feature for feature in seed if feature != FORMAT]
        yield [self._alternatives(feature) for feature in others] + [[topic, *formats]]
        if any(feature[0] == SLOT for feature in others):
            yield [self._alternatives(feature) + (formats if feature[0] == SLOT else []) for feature in others] + [
                [topic]
            ]
        if any(feature[0] == ACT for feature in others):  # 上周销售汇总，PDF: a format asks for it without a verb
            yield [self._alternatives(feature) + (formats if feature[0] == ACT else []) for feature in others] + [
                [topic]
            ]

    def _topic(self, seed: Sequence[str]) -> str | None:
        """The word that most of the intent's questions have, besides the seed."""
        begun = {term for feature in seed for term in self._alternatives(feature)}
        words = (
            feature
            for feature, weight in self._intent.weights.items()
            if weight >= 2 and is_word(feature) and may_be_term(feature) and self._role(feature) == "topic"
        )
        return max(
            (word for word in words if word not in begun),
            key=lambda word: (self._weight(self._corpus.bits(word) & self._good), word),
            default=None,
        )

    def _role(self, term: str) -> str:
        if term[0] == SLOT or term in FORMATS:
            return "value"
        if term == DOCUMENT:
            return "topic"
        return "act" if is_regex(term) or acts_of(term) else "topic"

    def _takes(self, group: Sequence[str]) -> frozenset[str]:
        """What a group may grow by: like goes with like."""
        roles = {self._role(term) for term in group}
        if "act" in roles:
            return frozenset()
        return frozenset(("value",)) if roles == {"value"} else frozenset(("topic", "value"))

    def _alternatives(self, feature: str) -> list[str]:
        """The terms by which a part of the seed shows in the intent's questions."""
        corpus = self._corpus
        if feature == FORMAT:
            return [word for word in FORMATS if corpus.bits(word) & self._good]
        if feature[0] != ACT:
            return [feature]
        act, counts = feature.removeprefix(ACT), dict[str, int]()
        for place in places_of(self._good):
            for word in corpus.parsed[place].acts.get(act, ()):
                counts[word] = counts.get(word, 0) + 1
        return [word for word in counts if len(word) > 1] + ([ENDS_WITH_FORMAT] if act == _EXPORT else [])

    def _widened(self, groups: Groups) -> Groups:
        groups = [list(group) for group in groups]
        candidates = self._candidates()
        takes = [self._takes(group) for group in groups]
        bits = [self._terms.any_of(group) & self._trusted for group in groups]
        for _ in range(_STEPS):
            best: tuple[float, str, int] | None = None
            for number, term in product(range(len(groups)), candidates):
                if self._role(term) not in takes[number] or any(term in group for group in groups):
                    continue
                rest = self._trusted
                for other, each in enumerate(bits):
                    if other != number:
                        rest &= each
                new = rest & self._terms.bits(term) & ~bits[number]
                good = self._weight(new & self._good)
                gain = good - _PRICE * self._weight(new & self._bad)
                if gain >= 2 and (best is None or gain > best[0]):
                    best = gain, term, number
            if best is None:
                break
            _, term, number = best
            groups[number].append(term)
            bits[number] |= self._terms.bits(term) & self._trusted
        return groups

    def _candidates(self) -> list[str]:
        """Words and slots that tell of the intent."""
        found = []
        for feature, weight in self._intent.weights.items():
            if weight < _TELLING or feature[0] == ACT or feature == FORMAT:
                continue
            if is_word(feature) and not may_be_term(feature):
                continue
            if self._weight(self._corpus.bits(feature) & self._good) >= 2:
                found.append(feature)
        if self._weight(self._terms.bits(DOCUMENT) & self._good) >= 2:
            found.append(DOCUMENT)
        found.sort(key=lambda feature: (-self._weight(self._terms.bits(feature) & self._good), feature))
        return found[: 3 * _MOST_TERMS]

    def _pruned(self, groups: Groups) -> Groups:
        """Without terms that take more from others than they are worth, or that bring nothing and are hardly used."""
        groups = [list(group) for group in groups]
        for number, group in enumerate(groups):
            rest = self._terms.holding(other for place, other in enumerate(groups) if place != number) & self._trusted
            for term in sorted(group, key=lambda term: self._weight(self._terms.bits(term) & rest & self._good)):
                alone = self._terms.bits(term) & rest & ~self._terms.any_of(each for each in group if each != term)
                good, bad = self._weight(alone & self._good), self._weight(alone & self._bad)
                used = self._weight(self._terms.bits(term) & rest & self._good)
                covered = not is_regex(term) and any(other != term and other in term for other in group)
                if len(group) > 1 and (covered or _PRICE * bad > good or (not good and used < 2)):
                    group.remove(term)
        return groups

    def _without_idle_groups(self, groups: Groups) -> Groups:
        while len(groups) > 2:
            now = self._worth(groups)
            shorter = [groups[:place] + groups[place + 1 :] for place in range(len(groups))]
            best = max(shorter, key=self._worth)
            if self._worth(best) < now * _LOOSE:
                break
            groups = best
        return groups

    def _worth(self, groups: Groups) -> int:
        hits = self._terms.holding(groups) & self._trusted
        return self._weight(hits & self._good) - _PRICE * self._weight(hits & self._bad)

    def _excluded(self, groups: Groups) -> list[str]:
        """Terms that must not occur: first what keeps out most that is taken, then what would keep out its like."""
        hits = self._terms.holding(groups) & self._trusted
        chosen: list[str] = []
        candidates = list(self._excludable(hits & self._against))
        while len(chosen) < _MOST_NONE:
            best = max(candidates, key=lambda term: self._relief(term, hits), default=None)
            if best is None or self._relief(best, hits) <= 0:
                break
            chosen.append(best)
            candidates.remove(best)
            hits &= ~self._terms.bits(best)
        near = self._near(groups) & self._others
        taken = self._terms.holding(groups) & self._plain
        counts: dict[str, int] = {}
        for place in places_of(near):
            for term in self._foreign_words(place):
                counts[term] = counts.get(term, 0) + 1
        for word in self._commonest(groups):
            counts[word] = counts.get(word, 0) + _MOST_NONE
        for term in sorted(counts, key=lambda term: (-counts[term], term)):
            covered = any(each in term for each in chosen)
            if len(chosen) < _MOST_NONE and not covered and not self._terms.bits(term) & taken:
                chosen.append(term)
        return chosen

    def _commonest(self, groups: Groups) -> Iterator[str]:
        """The words of foreign acts that are to be expected, in the scripts of the groups."""
        scripts = {term.isascii() for group in groups for term in group if is_word(term) and term not in FORMATS}
        for act, words in COMMONEST.items():
            if ACT + act in self._intent.foreign:
                yield from (word for word in words if word.isascii() in scripts)

    def _relief(self, term: str, hits: int) -> int:
        out = hits & self._terms.bits(term)
        return self._weight(out & self._against) - _PRICE * self._weight(out & self._plain) // 2

    def _excludable(self, bad: int) -> Iterator[str]:
        found: dict[str, None] = {}
        for place in places_of(bad):
            found.update(dict.fromkeys(self._foreign_words(place)))
            for feature in self._corpus.features[place]:
                rare = self._corpus.counts[feature] < 2
                if is_word(feature) and may_be_term(feature) and not rare and self._intent.weight_of(feature) < -0.5:
                    found[feature] = None
        return iter(found)

    def _foreign_words(self, place: int) -> Iterator[str]:
        for act, words in self._corpus.parsed[place].acts.items():
            if ACT + act in self._intent.foreign:
                for word in words:
                    if len(word) == 1 and word not in FORMS:
                        continue  # 查, in many words
                    yield FORMS.get(word, word)

    def _near(self, groups: Groups) -> int:
        """What holds all groups but one."""
        near = 0
        for number in range(len(groups)):
            near |= self._terms.holding(group for place, group in enumerate(groups) if place != number)
        return near & self._trusted

    def _ordered(self, group: list[str]) -> list[str]:
        """The most used first."""
        return sorted(group, key=lambda term: (-self._weight(self._terms.bits(term) & self._good), term))

    def _weight(self, bits: int) -> int:
        return self._corpus.weight(bits)
