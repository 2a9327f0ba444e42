"""From what callers say and do about replies to by how much a model's quality moves: an estimate that begins at the figure
of the table, forgets, and cannot be carried away by one caller.

Every reply about which something is known is a grade from 0 to 1 with a weight. The estimate is the mean of a Beta
distribution: the table's figure counts as so many grades as it was measured by, each new grade counts with its weight, half
as much after each `half_life`. The shift is that mean less the figure, at most `bound`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import msgspec

from pointsman.domain.feedback import HIGHEST, LOWEST, Signs, Word
from pointsman.domain.quality import Quality, QualityShift

DAY = 86_400.0
UNKNOWN = 0.5
"""The figure of a model without one: as much praise as complaint leaves it where it is."""
_UNKNOWN_WEIGHT = 20
_LEAST, _MOST = 10, 200
"""Grades that a figure of the table counts as, whatever it was measured by."""
_ELSEWHERE = 0.5
"""What is said of a model at other work moves where its estimate at this one begins, by so much of it."""
_EDITED = 0.75
"""The grade of a reply that was used, after a change."""
_CHANGED = 0.5
"""Of one that was changed, and nobody said whether it was used."""
_DUST = 1e-9
FADED = 10
"""Half-lives after which a day counts for nothing."""

Key = tuple[str, str | None]
"""(model, task; None: all it does)."""


class FeedbackRules(msgspec.Struct, frozen=True):
    """`half_life` in days. `per_caller`: the weight that one caller's grades of a model at a task have in a day, at most.
    The rest are weights of one grade each; 0 leaves that kind out."""

    half_life: float = 14.0
    bound: float = 0.10
    per_caller: float = 5.0
    rating: float = 1.0
    adopted: float = 1.0
    edited: float = 0.5
    retried: float = 0.5
    asked_again: float = 0.1
    hung_up: float = 0.05


class Moved(msgspec.Struct, frozen=True):
    """By what a model's quality at a task moves. `figure` is that of the table with its `weight` in grades; `measured`:
    there is one. `words` said something, `signs` are replies that callers were watched with; `grades` is what all of it
    weighs today."""

    model: str
    task: str | None
    figure: float
    weight: float
    measured: bool
    words: int
    signs: int
    grades: float
    shift: float


class _Sum(msgspec.Struct):
    """Of grades: their weight, the weighted sum of how far each lies from where it was expected, and how many there are."""

    weight: float = 0.0
    good: float = 0.0
    watched: float = 0.0
    excess: float = 0.0
    words: int = 0
    signs: int = 0

    def add(self, other: _Sum, by: float = 1.0) -> None:
        self.weight += by * other.weight
        self.good += by * other.good
        self.watched += by * other.watched
        self.excess += by * other.excess
        self.words += other.words
        self.signs += other.signs

    def without(self, other: _Sum) -> _Sum:
        return _Sum(
            max(self.weight - other.weight, 0.0),
            max(self.good - other.good, 0.0),
            max(self.watched - other.watched, 0.0),
            self.excess - other.excess,
        )

    def mean_shift(self, figure: float, weight: float) -> float:
        """What the mean of a Beta distribution that begins at `figure` moves by: by what was said, and by what was done.
        Nothing that was done takes away from what was said."""
        return (self.good - figure * self.weight) / (weight + self.weight) + self.excess / (weight + self.watched)


def grade_of(word: Word, rules: FeedbackRules) -> tuple[float, float]:
    """(grade 0 to 1, weight) of each reply that it is about: the strongest of what was said counts, the rest of it not."""
    if word.rating is not None:
        return (word.rating - LOWEST) / (HIGHEST - LOWEST), rules.rating
    if word.adopted is not None:
        return (_EDITED if word.edited else 1.0) if word.adopted else 0.0, rules.adopted
    if word.edited:
        return _CHANGED, rules.edited
    if word.retried:
        return 0.0, rules.retried
    return 0.0, 0.0


def prior_weight(figure: Quality) -> float:
    """The grades that a figure of the table counts as."""
    return float(min(max(figure.weight, _LEAST), _MOST))


def moves(
    words: Iterable[Word], signs: Iterable[Signs], table: Iterable[Quality], today: int, rules: FeedbackRules
) -> tuple[Moved, ...]:
    """Of every model that something is known of, at each task and over all; by name. `today` is in days since the epoch,
    UTC. Nothing depends on the order of what is given."""
    sums = _sums(words, signs, today, rules)
    figures = _figures(table)
    tasks: dict[str, list[str | None]] = {}
    for model, task in sums:
        tasks.setdefault(model, []).append(task)
    found: list[Moved] = []
    for model in sorted(tasks):
        whole = _Sum()
        for task in sorted(tasks[model], key=_name):
            whole.add(sums[model, task])
        found.append(_moved(model, None, whole, _Sum(), figures, rules))
        for task in sorted(tasks[model], key=_name):
            if task is not None:
                own = sums[model, task]
                found.append(_moved(model, task, own, whole.without(own), figures, rules))
    return tuple(found)


def shifts_of(moved: Iterable[Moved]) -> tuple[QualityShift, ...]:
    """What routing needs of them: a task's where it or the one over all is not 0, that over all where it is not."""
    several = tuple(moved)
    overall = {each.model: each.shift for each in several if each.task is None}
    return tuple(
        QualityShift(each.model, each.task, each.shift)
        for each in several
        if each.shift or (each.task is not None and overall.get(each.model))
    )


def _moved(
    model: str, task: str | None, own: _Sum, elsewhere: _Sum, figures: Mapping[Key, Quality], rules: FeedbackRules
) -> Moved:
    known = figures.get((model, task)) or figures.get((model, None))
    figure = UNKNOWN if known is None else min(max(known.value, 0.0), 1.0)
    weight = float(_UNKNOWN_WEIGHT) if known is None else prior_weight(known)
    begins = min(max(figure + _ELSEWHERE * elsewhere.mean_shift(figure, weight), 0.0), 1.0)
    shift = round(begins + own.mean_shift(begins, weight) - figure, 2)
    least, most = max(-rules.bound, -figure), min(rules.bound, 1.0 - figure)
    shift = min(max(shift, math.ceil(100 * least - _DUST) / 100), math.floor(100 * most + _DUST) / 100)
    return Moved(
        model,
        task,
        figure,
        weight,
        known is not None,
        own.words,
        own.signs,
        round(own.weight + own.watched, 3),
        shift + 0.0,
    )


def _figures(table: Iterable[Quality]) -> dict[Key, Quality]:
    """One for each model and task: of several the mean, and their weights together. Where a model has none over all, that
    of its tasks together."""
    sums: dict[Key, tuple[float, int]] = {}
    for each in sorted(table, key=lambda each: (each.model, _name(each.task), each.value, each.weight)):
        _count(sums, (each.model, each.task), each)
    overall: dict[Key, tuple[float, int]] = {}
    for (model, task), (total, count) in sums.items():
        if task is not None and (model, None) not in sums:
            _count(overall, (model, None), Quality(model, None, total / count, count))
    return {key: Quality(*key, total / count, count) for key, (total, count) in (sums | overall).items()}


def _count(sums: dict[Key, tuple[float, int]], key: Key, each: Quality) -> None:
    total, count = sums.get(key, (0.0, 0))
    weight = max(each.weight, 1)
    sums[key] = total + each.value * weight, count + weight


def _sums(words: Iterable[Word], signs: Iterable[Signs], today: int, rules: FeedbackRules) -> dict[Key, _Sum]:
    """What is known of each model at each task, as of today: each caller's part of each day within its bound."""
    said = _said(words, rules)
    done = _done(signs)
    usual = _usual(done, today, rules)
    found: dict[Key, _Sum] = {}
    for key in sorted(said.keys() | done.keys(), key=lambda key: (key[0], key[1], key[2], _name(key[3]))):
        day, _, model, task = key
        fades = _fades(day, today, rules)
        if fades == 0.0:
            continue
        part = said.get(key, _Sum())
        fits = rules.per_caller / part.weight if part.weight > rules.per_caller else 1.0
        part = _Sum(part.weight * fits, part.good * fits, words=part.words)
        if (watched := done.get(key)) is not None:
            _watch(part, watched, usual[task], rules)
        found.setdefault((model, task), _Sum()).add(part, fades)
    return {key: each for key, each in found.items() if each.words or each.signs}


_Part = tuple[int, str, str, str | None]  # day, caller, model, task


def _said(words: Iterable[Word], rules: FeedbackRules) -> dict[_Part, _Sum]:
    found: dict[_Part, _Sum] = {}
    for word in sorted(words, key=_order):
        grade, weight = grade_of(word, rules)
        if weight <= 0.0 or word.count <= 0:
            continue
        part = found.setdefault((word.day, word.caller, word.model, word.task), _Sum())
        part.weight += weight * word.count
        part.good += weight * word.count * grade
        part.words += word.count
    return found


def _done(signs: Iterable[Signs]) -> dict[_Part, tuple[int, int, int]]:
    found: dict[_Part, tuple[int, int, int]] = {}
    for each in signs:
        key = (each.day, each.caller, each.model, each.task)
        replies, again, hung = found.get(key, (0, 0, 0))
        found[key] = replies + each.replies, again + each.asked_again, hung + each.hung_up
    return found


def _usual(
    done: Mapping[_Part, tuple[int, int, int]], today: int, rules: FeedbackRules
) -> dict[str | None, tuple[float, float]]:
    """The shares of replies, of all models at a task, that were asked again or hung up on. A model is held against these:
    callers that hang up often say nothing of one model."""
    sums: dict[str | None, tuple[float, float, float]] = {}
    for day, caller, model, task in sorted(done, key=lambda key: (key[0], key[1], key[2], _name(key[3]))):
        replies, again, hung = done[day, caller, model, task]
        fades = _fades(day, today, rules)
        before = sums.get(task, (0.0, 0.0, 0.0))
        sums[task] = before[0] + fades * replies, before[1] + fades * again, before[2] + fades * hung
    return {
        task: (again / replies, hung / replies) if replies > 0.0 else (0.0, 0.0)
        for task, (replies, again, hung) in sums.items()
    }


def _watch(part: _Sum, done: tuple[int, int, int], usual: tuple[float, float], rules: FeedbackRules) -> None:
    """What a caller did fills up what its words leave of its bound."""
    replies, again, hung = done
    weight = (rules.asked_again + rules.hung_up) * replies
    left = rules.per_caller - part.weight
    if weight <= 0.0 or left <= 0.0:
        return
    fits = min(left / weight, 1.0)
    excess = rules.asked_again * (usual[0] * replies - again) + rules.hung_up * (usual[1] * replies - hung)
    part.watched += fits * weight
    part.excess += fits * excess
    part.signs += replies


def _fades(day: int, today: int, rules: FeedbackRules) -> float:
    """What a grade of that day counts today; one of a clock that goes ahead counts as today's."""
    halves = max(today - day, 0) / rules.half_life
    return 0.0 if halves > FADED else math.pow(0.5, halves)


def _name(task: str | None) -> tuple[bool, str]:
    return task is not None, task or ""


def _order(word: Word) -> tuple[int | str | bool, ...]:
    rating, adopted = word.rating or 0, -1 if word.adopted is None else int(word.adopted)
    return word.day, word.caller, word.model, word.task or "", rating, adopted, word.edited, word.retried, word.count
