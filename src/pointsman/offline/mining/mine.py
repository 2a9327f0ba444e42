"""From questions to the rules that they suggest."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.said import Tongue
from pointsman.offline.mining.acts import MADE_UP
from pointsman.offline.mining.case_texts import CaseMaker
from pointsman.offline.mining.conflicts import conflicts
from pointsman.offline.mining.corpus import Corpus, bits_of, places_of
from pointsman.offline.mining.engine import Engine, parsed_rule
from pointsman.offline.mining.estimate import estimate
from pointsman.offline.mining.grow import Grower
from pointsman.offline.mining.intent import Intent
from pointsman.offline.mining.parsed import ACT, parse
from pointsman.offline.mining.pattern import Terms
from pointsman.offline.mining.proposal import Conflict, Mined, Proposal
from pointsman.offline.mining.seeds import seeds
from pointsman.offline.mining.write_rule import as_yaml, distinct, exports, rule_data, with_cases
from pointsman.offline.question import Question, Questions
from pointsman.pipeline.policy import Policy
from pointsman.rules.fold import fold

LEAST = 8
"""Questions, at least, that a proposal takes."""
_MOST = 20_000  # different questions
_TRIED = 100  # seeds
_SEEDS = 3  # for an intent
_NEW = 0.7  # of the questions of two seeds, in both: then the second has nothing new to say
_PRECISION = 0.75  # estimated, at least
_COVERED = 0.3  # of the intent, in parts that the pattern was not made from: else it is only of those that it was
_VARIES = 0.5  # values and unusual words of a question, on average, with which one answer may still fit all
_MADE_UP = 0.3  # of an intent's questions, that ask for something to be written
_DOUBTFUL = 5


_Made = tuple[Proposal, int]  # with the questions that it takes, as bits


class _Same(msgspec.Struct):
    """Questions that are spelled alike."""

    first: Question
    questions: list[Question]


def mine(
    asked: Questions,
    *,
    policy: Policy | None = None,
    limit: int = 10,
    min_share: float = 0.004,
    tongue: Tongue = "en",
    most: int = _MOST,
) -> Mined:
    """`min_share`: of all questions, that a proposal takes at least. `policy` holds the rules in force. Of more than
    `most` different questions, those that were asked most and latest are looked at. Raises MissingSegmenter."""
    alike = _alike(asked.found)
    kept = sorted(alike, key=lambda same: -len(same.questions))[:most] if len(alike) > most else alike
    miner = _Miner(kept, policy, tongue)
    total = sum(len(same.questions) for same in kept)
    proposals = miner.proposals(limit, max(LEAST, -(-int(min_share * total * 1000) // 1000)))
    return Mined(
        tuple(proposals),
        questions=total,
        different=len(kept),
        taken=sum(not question.untaken for same in kept for question in same.questions),
        unread=asked.unread,
        left_out=len(asked.found) - total,
    )


def _alike(questions: Sequence[Question]) -> list[_Same]:
    """By their folded text, and apart where a rule took one; the latest first."""
    found: dict[tuple[str, bool], _Same] = {}
    for question in reversed(questions):
        key = (fold(question.text).text.strip(), question.untaken)
        found.setdefault(key, _Same(question, [])).questions.append(question)
    return list(found.values())


class _Try:
    """An intent as several seeds showed it (`cores`: their questions), and the best that came of it."""

    def __init__(self, members: int) -> None:
        self.members = members
        self.cores: list[int] = []
        self.best: _Made | None = None

    def worth_another(self, core: int) -> bool:
        return len(self.cores) < _SEEDS and all(
            (core & other).bit_count() < _NEW * (core | other).bit_count() for other in self.cores
        )


class _Miner:
    def __init__(self, alike: Sequence[_Same], policy: Policy | None, tongue: Tongue) -> None:
        self._alike, self._policy, self._tongue = alike, policy, tongue
        self._texts = [whole_characters(same.first.text) for same in alike]  # half a character has no place in YAML
        untaken = bits_of(place for place, same in enumerate(alike) if same.first.untaken)
        self._corpus = Corpus([parse(text) for text in self._texts], [len(same.questions) for same in alike], untaken)
        self._terms = Terms(self._corpus)
        self._engine = Engine(self._texts)
        self._labels: dict[str, int] = {}
        for label in {same.first.label for same in alike if same.first.label}:
            self._labels[label] = bits_of(place for place, same in enumerate(alike) if same.first.label == label)

    def proposals(self, limit: int, least: int) -> list[Proposal]:
        corpus = self._corpus
        tries: list[_Try] = []
        looked = 0
        for seed in seeds(corpus, max(LEAST, least // 3)):  # no two words are in all of its questions
            core = corpus.holding(seed) & corpus.open
            same = next((each for each in tries if _mostly(core, each.members)), None)
            if looked >= _TRIED or (same and not same.worth_another(core)):
                continue
            labelled = self._label(core)
            intent = Intent(corpus, seed, corpus.open, labelled)
            intent.settle()
            if corpus.weight(intent.members) < least:
                continue
            same = same or next((each for each in tries if _mostly(intent.members, each.members)), None)
            if same is None:
                tries.append(same := _Try(intent.members))
            elif not same.worth_another(core):
                continue
            looked += 1
            same.cores.append(core)
            if labelled is None and not _worth_a_rule(intent, exports(seed)):
                continue
            made = self._proposal(seed, intent, least, labelled)
            if made is not None and (same.best is None or _rank(made[0]) > _rank(same.best[0])):
                same.best = made
        found = sorted((each.best for each in tries if each.best), key=lambda each: (-_rank(each[0]), each[0].id))
        kept: list[_Made] = []
        for proposal, hits in found:
            if not any(_mostly(hits, other) for _, other in kept):
                kept.append((proposal, hits))
        return self._placed(kept[:limit])

    def _placed(self, found: Sequence[_Made]) -> list[Proposal]:
        """Among the rules in force: with ids that no other rule has, and with what they have to do with those."""
        taken = [rule.id for rule in self._policy.document.rules] if self._policy else []
        named = []
        for proposal, hits in found:
            name = distinct(proposal.id, taken)
            taken.append(name)
            data = {**proposal.rule, "id": name}
            meets: tuple[Conflict, ...] = ()
            if self._policy is not None:
                meets = conflicts(self._policy, parsed_rule(data), self._corpus, self._texts, hits)
            named.append(msgspec.structs.replace(proposal, id=name, rule=data, yaml=as_yaml(data), conflicts=meets))
        return named

    def _label(self, core: int) -> int | None:
        """The questions of the label that most of these have, where people labelled at least half of them."""
        counts = {label: self._corpus.weight(bits & core) for label, bits in self._labels.items()}
        if not counts or 2 * sum(counts.values()) < self._corpus.weight(core):
            return None
        return self._labels[max(counts, key=lambda label: (counts[label], label))]

    def _proposal(self, seed: frozenset[str], intent: Intent, least: int, labelled: int | None) -> _Made | None:
        corpus = self._corpus
        pattern = Grower(corpus, self._terms, intent, corpus.open).grow(seed)
        if pattern is None:
            return None
        hits = self._engine.taken_by(pattern, corpus.open)
        if corpus.weight(hits & intent.members) < least:
            return None
        guess = estimate(corpus, self._terms, seed, intent, labelled, self._engine.taken_by)
        if guess.precision < _PRECISION or guess.covered < _COVERED:
            return None
        longest = max(len(self._texts[place]) for place in places_of(hits))
        data = rule_data(pattern, seed, longest)
        cases = CaseMaker(corpus, self._terms, self._texts).make(data, pattern, intent, hits)
        if cases is None:
            return None
        whole = with_cases(data, cases, self._tongue)
        questions = [question for place in places_of(hits) for question in self._alike[place].questions]
        timed = [question.seconds for question in questions if question.seconds is not None]
        proposal = Proposal(
            id=whole["id"],
            yaml=as_yaml(whole),
            rule=whole,
            questions=len(questions),
            of=corpus.total,
            precision=guess.precision,
            low=guess.low,
            high=guess.high,
            tried=guess.hits,
            intent=corpus.weight(intent.members | hits),
            examples=cases.examples,
            counter_examples=cases.counter_examples,
            doubtful=self._doubtful(intent, hits),
            conflicts=(),
            seconds=sum(timed) if timed else None,
            timed=len(timed),
            ids=tuple(question.id for question in questions if question.id),
        )
        return proposal, hits

    def _doubtful(self, intent: Intent, hits: int) -> tuple[str, ...]:
        unsure = [place for place in places_of(hits) if not intent.surely(place)]
        unsure.sort(key=lambda place: (intent.score(place), self._texts[place]))
        return tuple(self._texts[place] for place in unsure[:_DOUBTFUL])


def _worth_a_rule(intent: Intent, exports: bool) -> bool:
    """An answer can be kept ready where people ask the same in few ways; an action reads what varies."""
    if exports:
        return True
    places = places_of(intent.members)
    if intent.share(ACT + act for act in MADE_UP) > _MADE_UP:
        return False
    return sum(map(intent.varies, places)) <= _VARIES * len(places)


def _rank(proposal: Proposal) -> float:
    """Questions that it would take and be right, to be on the safe side."""
    return proposal.low * proposal.questions


def _mostly(bits: int, other: int) -> bool:
    """Whether half of the first are in the second."""
    return bits.bit_count() > 0 and 2 * (bits & other).bit_count() > bits.bit_count()
