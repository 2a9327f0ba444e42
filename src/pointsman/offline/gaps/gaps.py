"""From questions to gaps: what is asked again and again, and goes to a model each time."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Literal

import msgspec

from pointsman.offline.gaps.heaps import heaps, medoid
from pointsman.offline.gaps.vectors import vectors
from pointsman.offline.question import Question, Questions
from pointsman.rules.fold import fold

_SURE = 2.58  # standard deviations: one gap in a hundred that has not changed is said to have
_SAMPLES = 3
LEAST = 5

Trend = Literal["up", "down", "steady", "new", "unknown"]


class Gap(msgspec.Struct, frozen=True):
    """Questions that are alike. `questions` of them, `share` of all that were not settled; `before` and `now` of them in
    the first and the second half of the period. `trend` is up or down where their share of a half has changed more than by
    chance (99 %), `new` where there were none before. `seconds` of engines' time, where that is known."""

    representative: str
    samples: tuple[str, ...]
    questions: int
    share: float
    before: int
    now: int
    trend: Trend
    seconds: float | None
    ids: tuple[str, ...]


class Gaps(msgspec.Struct, frozen=True):
    """`unsettled` questions of `questions` were looked at; `alone` of them are like no other, or like too few."""

    gaps: tuple[Gap, ...]
    questions: int
    unsettled: int
    alone: int
    unread: int
    small: int = 0


def find_gaps(
    asked: Questions, *, limit: int = 20, least: int = LEAST, since: float | None = None, until: float | None = None
) -> Gaps:
    """The largest first. The period is `since` to `until`, as far as given and
    as far as there are questions, settled ones too.
    100,000 questions take 15 to 40 s."""
    open_questions = [question for question in asked.found if not question.settled]
    alike: dict[str, list[Question]] = {}
    for question in open_questions:
        alike.setdefault(fold(question.text).text.strip(), []).append(question)
    same = list(alike.values())
    weights = [len(each) for each in same]
    seen, shared = vectors([each[0].text for each in same], weights)
    found = [heap for heap in heaps(seen, weights, shared) if sum(weights[place] for place in heap) >= least]
    begun = min((question.at for question in asked.found if question.at is not None), default=None)
    if since is not None and begun is not None:
        since = max(since, begun)  # of a log that is younger than the period
    halves = _Halves(open_questions, since, until)
    told = []
    for heap in found[:limit]:
        centre = medoid(seen, weights, heap)
        told.append(_gap([same[centre], *(same[place] for place in heap if place != centre)], halves))
    grouped = sum(weights[place] for heap in found for place in heap)
    return Gaps(
        tuple(told),
        questions=len(asked.found),
        unsettled=len(open_questions),
        alone=len(open_questions) - grouped,
        unread=asked.unread,
        small=max(len(found) - limit, 0),
    )


def _gap(same: Sequence[Sequence[Question]], halves: _Halves) -> Gap:
    """`same`: questions that are spelled alike, the representative's first."""
    questions = [question for each in same for question in each]
    before, now = halves.counts(questions)
    timed = [question.seconds for question in questions if question.seconds is not None]
    others = [each[0].text for each in sorted(same[1:], key=len, reverse=True)]
    step = max(len(others) // _SAMPLES, 1)
    return Gap(
        representative=same[0][0].text,
        samples=tuple(others[::step][:_SAMPLES]),
        questions=len(questions),
        share=len(questions) / halves.total,
        before=before,
        now=now,
        trend=halves.trend(before, now),
        seconds=sum(timed) if timed else None,
        ids=tuple(question.id for question in questions if question.id),
    )


class _Halves:
    """The two halves of a period, and how many questions came in each."""

    def __init__(self, questions: Sequence[Question], since: float | None, until: float | None) -> None:
        times = [question.at for question in questions if question.at is not None]
        self.total = max(len(questions), 1)
        self._middle: float | None = None
        if times:
            first = min(times) if since is None else since
            last = max(times) if until is None else until
            self._middle = (first + last) / 2 if last > first else None
        self._before, self._now = self.counts(questions)

    def counts(self, questions: Sequence[Question]) -> tuple[int, int]:
        """In the first half, in the second; both 0 where times are not known."""
        middle = self._middle
        if middle is None:
            return 0, 0
        times = [question.at for question in questions if question.at is not None]
        before = sum(time < middle for time in times)
        return before, len(times) - before

    def trend(self, before: int, now: int) -> Trend:
        """By a test of two shares."""
        if not self._before or not self._now:
            return "unknown"
        both = before + now
        share = both / (self._before + self._now)
        spread = sqrt(share * (1 - share) * (1 / self._before + 1 / self._now))
        if spread == 0.0:
            return "steady"
        difference = (now / self._now - before / self._before) / spread
        if abs(difference) < _SURE:
            return "steady"
        if before == 0:
            return "new"
        return "up" if difference > 0 else "down"
