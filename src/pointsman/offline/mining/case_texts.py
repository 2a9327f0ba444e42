"""Cases for a proposal, from the traffic: what it must take, what is near and must not be taken, and what decides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from pointsman.domain.rule import Case, CaseKind, Rule
from pointsman.domain.said import said
from pointsman.offline.mining.corpus import Corpus, places_of
from pointsman.offline.mining.engine import parsed_rule
from pointsman.offline.mining.intent import Intent
from pointsman.offline.mining.parsed import SLOT
from pointsman.offline.mining.pattern import Pattern, Terms
from pointsman.pipeline.book_cases import features_of
from pointsman.rules import compile_rules, run_cases

_EXAMPLES = 6
_COUNTERS = 5
_EDGES = 4
_TRIED = 40
_ALIKE = 0.3  # of two texts' pairs of letters
_LONGEST = 80  # characters of a case
_PRIVATE = frozenset(SLOT + kind for kind in ("email", "phone", "id_card", "bank_card", "secret"))


class Cases(msgspec.Struct, frozen=True):
    """As a rule has them. All hold."""

    examples: tuple[str, ...]
    counter_examples: tuple[str, ...]
    boundary: tuple[dict[str, Any], ...]


class CaseMaker:
    """Finds cases in a corpus, whose questions are `texts`. What names a person or a number of theirs is not quoted."""

    def __init__(self, corpus: Corpus, terms: Terms, texts: Sequence[str]) -> None:
        self._corpus, self._terms, self._texts = corpus, terms, texts

    def make(self, data: dict[str, Any], pattern: Pattern, intent: Intent, hits: int) -> Cases | None:
        """For a rule without cases. None where none of one kind could be found or made."""
        rule = parsed_rule(data)
        examples = self._different(self._quotable(hits, intent, best=True), _EXAMPLES)
        examples = tuple(_holding(rule, examples, takes=True))
        if not examples:
            return None
        edges = [*self._kept_out(pattern, hits, intent), *self._one_short(pattern, hits, intent)]
        boundary = [edge for edge in edges if _holding(rule, (edge["text"],), takes=False)][:_EDGES]
        shown = {edge["text"] for edge in boundary}
        near = self._near(pattern) & ~hits
        close = (text for text in self._quotable(near, intent, best=False) if text not in shown)
        counters = tuple(_holding(rule, self._different(close, _COUNTERS), takes=False))
        counters = counters or tuple(_holding(rule, (f"不要{examples[0]}", f"don't {examples[0]}"), takes=False))
        boundary += self._shortest(rule, hits, examples)
        if not (counters and boundary):
            return None
        return Cases(examples, counters, tuple(boundary))

    def _near(self, pattern: Pattern) -> int:
        """All groups hold, or all but one."""
        groups = pattern.groups
        near = self._terms.holding(groups)
        for number in range(len(groups)):
            near |= self._terms.holding(group for place, group in enumerate(groups) if place != number)
        return near

    def _quotable(self, bits: int, intent: Intent, *, best: bool) -> Iterator[str]:
        """The texts, those that are surest to want the same first, or those that look most like it and do not."""
        rows = [
            (intent.score(place), place)
            for place in places_of(bits)
            if len(self._texts[place]) <= _LONGEST
            and "\n" not in self._texts[place]
            and _PRIVATE.isdisjoint(self._corpus.features[place])
            and (intent.surely(place) if best else not intent.belongs(place))
        ]
        if not best:  # what a foreign act alone keeps out scores far below all others, and is nearest
            rows = [(self._nearness(place, intent), place) for _, place in rows]
        rows.sort(key=lambda row: (-row[0], self._texts[row[1]]))
        return (self._texts[place] for _, place in rows)

    def _nearness(self, place: int, intent: Intent) -> float:
        features = self._corpus.features[place]
        return sum(max(intent.weight_of(feature), 0.0) for feature in features) / (len(features) + 2)

    def _different(self, texts: Iterable[str], most: int) -> tuple[str, ...]:
        """The first ones that do not say nearly the same as one before."""
        chosen: list[str] = []
        pairs: list[set[str]] = []
        for text in texts:
            grams = {text[place : place + 2] for place in range(max(len(text) - 1, 1))}
            if all(len(grams & other) < _ALIKE * len(grams | other) for other in pairs):
                chosen.append(text)
                pairs.append(grams)
                if len(chosen) == most:
                    break
        return tuple(chosen)

    def _kept_out(self, pattern: Pattern, hits: int, intent: Intent) -> Iterator[dict[str, Any]]:
        """Questions that hold all groups, and which `none` alone keeps out."""
        out = self._terms.holding(pattern.groups) & self._terms.any_of(pattern.none) & ~hits
        for text in self._different(self._quotable(out, intent, best=False), 2):
            yield {"text": text, "takes": False, "why": said("a word of `none`", "含有 `none` 里的词")}

    def _one_short(self, pattern: Pattern, hits: int, intent: Intent) -> Iterator[dict[str, Any]]:
        for number, group in enumerate(pattern.groups):
            rest = self._terms.holding(each for place, each in enumerate(pattern.groups) if place != number)
            short = rest & ~self._terms.any_of(group) & ~self._terms.any_of(pattern.none) & ~hits
            for text in self._different(self._quotable(short, intent, best=False), 1):
                why = said("group {number} is missing", "缺少第 {number} 组的词", number=number + 1)
                yield {"text": text, "takes": False, "why": why}

    def _shortest(self, rule: Rule, hits: int, examples: Sequence[str]) -> list[dict[str, Any]]:
        """The shortest question that is taken, which has little more than the rule's own words."""
        texts = sorted(
            (
                self._texts[place]
                for place in places_of(hits)
                if _PRIVATE.isdisjoint(self._corpus.features[place])
                and "\n" not in self._texts[place]
                and self._texts[place] not in examples
            ),
            key=lambda text: (len(text), text),
        )
        why = said("the shortest that was asked", "问过的话里最短的")
        return [{"text": text, "takes": True, "why": why} for text in _holding(rule, texts[:_TRIED], takes=True)][:1]


def _holding(rule: Rule, texts: Iterable[str], *, takes: bool) -> list[str]:
    """Those that the engine takes, or does not."""
    texts = list(texts)
    kind: CaseKind = "example" if takes else "counter_example"
    cases = tuple(Case(text, takes, kind) for text in texts)
    tried = msgspec.structs.replace(rule, cases=cases)
    return [ran.case.text for ran in run_cases(compile_rules([tried]), [tried], features_of) if ran.holds]
