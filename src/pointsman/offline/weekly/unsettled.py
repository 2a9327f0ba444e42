"""The questions that neither a rule nor the arbiter settled, in clusters, with all their texts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.offline.gaps.gaps import Gap, find_gaps
from pointsman.offline.read_log import questions_of_log
from pointsman.offline.weekly.spans import latest
from pointsman.store.rollups import Rollups

MOST = 50_000
"""Requests that are looked at: the latest ones."""
_SHOWN = 8
_TEXTS = 500


class Heap(msgspec.Struct, frozen=True):
    """`texts`: the different questions, at most 500."""

    gap: Gap
    texts: tuple[str, ...]


class Unsettled(msgspec.Struct, frozen=True):
    """Of the requests since `since` (seconds since the epoch; later than the week's beginning where there were too many):
    `questions` could be read, `unread` not, `unsettled` were settled by nobody, `alone` of these are like no other."""

    heaps: tuple[Heap, ...]
    since: float
    questions: int
    unsettled: int
    alone: int
    unread: int
    small: int


def unsettled(folder: Path, rollups: Rollups, since: float, until: float) -> Unsettled:
    """Raises LogError, and FileNotFoundError where there is no log."""
    start = latest(rollups, since, until, MOST)
    asked = questions_of_log(folder, start)
    found = find_gaps(asked, limit=_SHOWN, since=start, until=until)
    texts = {question.id: question.text for question in asked.found}
    heaps = []
    for gap in found.gaps:
        different = dict.fromkeys(texts[name] for name in gap.ids if name in texts)
        heaps.append(Heap(gap, tuple(different)[:_TEXTS]))
    return Unsettled(tuple(heaps), start, found.questions, found.unsettled, found.alone, found.unread, found.small)
