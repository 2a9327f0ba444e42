"""What callers do with replies of models without a word about them: they ask nearly the same again, or go away while the
reply comes."""

from __future__ import annotations

import re
from collections import deque

import msgspec

from pointsman.domain.feedback import Served, Signs
from pointsman.domain.record import Record
from pointsman.features.similar import grams, nearly_same
from pointsman.routing.feedback import DAY

_SOONEST, _LATEST = 1.0, 300.0
"""Seconds after a reply in which the same question is one that is asked again: before, no person has read it."""
_LONG = 400
"""Characters of a question beyond which it must be the very same: what is long is often a template that is filled in."""
_WAITING = 5000
"""Replies that wait to be looked at, at most; those beyond are left out, as if nobody had seen them."""
_PERSONS = 20_000

_NUMBER = re.compile(r"[0-9]+")
_Person = tuple[str, str | None, str | None]
_Part = tuple[int, str, str, str | None]


class _Reply(msgspec.Struct, gc=False):
    """The last that a person got: the pieces of its question, what the person had written before it, when it had ended, and
    for whom it counts."""

    question: str
    earlier: tuple[str, ...]
    pieces: frozenset[str]
    ended: float
    part: _Part


class ReplyWatch:
    """`put` takes in what is looked at later, in `seen`: that takes some tens of microseconds a reply and may run in another
    thread, one at a time."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Record, Served]] = deque(maxlen=_WAITING)
        self._last: dict[_Person, _Reply] = {}

    def put(self, record: Record, served: Served) -> None:
        """A model's reply, whole or not. Those of batches are nobody's who would read them now."""
        if record.request.priority != "batch":
            self._waiting.append((record, served))

    def seen(self) -> list[Signs]:
        """What was done since the last call, summed up."""
        sums: dict[_Part, list[int]] = {}
        while self._waiting:
            record, served = self._waiting.popleft()
            request = record.request
            part = int(record.received // DAY), request.caller, served.model, served.task
            counts = sums.setdefault(part, [0, 0, 0])
            counts[0] += 1
            if record.outcome == "cancelled" and record.timings.ttft is not None:
                counts[2] += 1
            question = request.question
            if not question:
                continue
            coming = self._coming(record, question, part)
            person = request.caller, request.user, request.session
            before = self._last.pop(person, None)
            if before is not None and _again(before, coming, record.received):
                sums.setdefault(before.part, [0, 0, 0])[1] += 1
            self._last[person] = coming
            while len(self._last) > _PERSONS:
                del self._last[next(iter(self._last))]
        return [Signs(*part, *counts) for part, counts in sums.items()]

    def _coming(self, record: Record, question: str, part: _Part) -> _Reply:
        earlier = tuple(turn.text for turn in record.request.turns if turn.role == "user")[:-1]
        return _Reply(question, earlier, grams(question), record.received + (record.timings.total or 0.0) / 1000, part)


def _again(before: _Reply, coming: _Reply, asked: float) -> bool:
    if not _SOONEST <= asked - before.ended <= _LATEST:
        return False
    if coming.earlier and coming.earlier != before.earlier and before.question not in coming.earlier:
        return False  # another conversation of the same person
    if max(len(before.question), len(coming.question)) > _LONG:
        return before.question == coming.question
    if _NUMBER.findall(before.question) != _NUMBER.findall(coming.question):
        return False
    return nearly_same(before.pieces, coming.pieces)
