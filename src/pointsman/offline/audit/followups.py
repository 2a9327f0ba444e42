"""What a person does right after a reply: asks again, or says that it was not meant."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from pointsman.features.similar import alike, grams, objects

WITHIN = 600.0
"""Seconds after a reply in which what comes next is about it."""
_NEXT = 3
"""Requests of a person after it that are looked at."""
Reason = Literal["asked_again", "said_so", "feedback"]


class Reply:
    """A reply that was given to a question, and the rule that is judged by it: the one that took it, or, where a rule is
    on trial, the one that would have (`taken` is false then). `by` is the rule that replied, None where a model did;
    `reasons` are those to think that it was not what was meant, each with the request that shows it."""

    __slots__ = ("_grams", "by", "looked", "person", "question", "reasons", "received", "request_id", "rule")

    def __init__(
        self, rule: str, by: str | None, request_id: str, received: float, question: str, person: tuple[str, ...]
    ) -> None:
        self.rule = rule
        self.by = by
        self.request_id = request_id
        self.received = received
        self.question = question
        self.person = person
        self.reasons: dict[Reason, str] = {}
        self.looked = 0
        self._grams: frozenset[str] | None = None

    @property
    def taken(self) -> bool:
        return self.by == self.rule

    @property
    def grams(self) -> frozenset[str]:
        if self._grams is None:
            self._grams = grams(self.question)
        return self._grams


class Next:
    """What came next: `earlier` is what the person had written before it in the same conversation, as the client sent
    it. `rule` took it, or None, where a model answers."""

    def __init__(self, request_id: str, received: float, rule: str | None, question: str, earlier: list[str]) -> None:
        self.request_id = request_id
        self.received = received
        self.rule = rule
        self.question = question
        self.earlier = earlier

    @cached_property
    def grams(self) -> frozenset[str]:
        return grams(self.question)


class Followups:
    """Replies of the last ten minutes, by person. Requests must come in the order of time, roughly."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, ...], list[Reply]] = {}
        self._sweep_at = 0.0

    def anyone(self, who: tuple[str, ...]) -> bool:
        return who in self._waiting

    def wait(self, reply: Reply) -> None:
        self._waiting.setdefault(reply.person, []).append(reply)
        if reply.received >= self._sweep_at:
            self._sweep_at = reply.received + WITHIN
            old = reply.received - WITHIN
            self._waiting = {who: few for who, few in self._waiting.items() if few[-1].received >= old}

    def judge(self, who: tuple[str, ...], coming: Next) -> list[tuple[Reply, Reason]]:
        """The replies of which this request shows now that they were not what was meant."""
        found: list[tuple[Reply, Reason]] = []
        staying: list[Reply] = []
        for reply in self._waiting.get(who, ()):
            if coming.received - reply.received > WITHIN:
                continue
            if coming.earlier and reply.question not in coming.earlier:
                staying.append(reply)  # another conversation of the same person
                continue
            reply.looked += 1
            reason = _reason(reply, coming)
            if reason is not None and reason not in reply.reasons:
                reply.reasons[reason] = coming.request_id
                found.append((reply, reason))
            if reason is None and reply.looked < _NEXT:
                staying.append(reply)
        if staying:
            self._waiting[who] = staying
        else:
            self._waiting.pop(who, None)
        return found


def _reason(reply: Reply, coming: Next) -> Reason | None:
    if reply.looked == 1 and objects(coming.question):
        return "said_so"
    if (coming.rule is None or coming.rule == reply.by) and alike(reply.grams, coming.grams):
        return "asked_again"
    return None
