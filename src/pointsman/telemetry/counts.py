"""What was counted, as plain values: to be sent to another process and added up there."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.intent import OPEN_ENDED
from pointsman.domain.record import Record

SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0)
FAST = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2)

SURE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)

Labels = tuple[str, ...]


class Tally(msgspec.Struct):
    """A counter. `created` is when it began, seconds since the epoch."""

    created: float
    value: int = 0


class Spread(msgspec.Struct):
    """A histogram: how many values fell between two bounds, one place more than there are bounds, and the sum of all."""

    created: float
    places: list[int]
    total: float = 0.0


Tallies = dict[Labels, Tally]
_TALLIES = (
    "requests", "rules", "tokens", "attempts", "upstream", "reloads", "marks", "shadows", "cuts", "masked", "cache",
    "feedback", "tools", "arbitrations", "intents", "sunk", "turned_away",
)  # fmt: skip
Spreads = dict[Labels, Spread]
_SPREADS = ("decisions", "durations", "first_tokens", "confidences", "hearings", "waits")


class Counts(msgspec.Struct):
    """All that the metrics show, by the values of their labels. Times are seconds. `up` (targets, 1 or 0), `dropped`,
    `waiting` (requests at the gate) and `inside` (at targets) are as of the moment at which they were set, the rest since
    `created`. One thread at a time."""

    created: float
    requests: Tallies = {}
    rules: Tallies = {}
    decisions: Spreads = {}
    durations: Spreads = {}
    first_tokens: Spreads = {}
    tokens: Tallies = {}
    attempts: Tallies = {}
    upstream: Tallies = {}
    up: dict[Labels, int] = {}
    reloads: Tallies = {}
    marks: Tallies = {}
    shadows: Tallies = {}
    cuts: Tallies = {}
    masked: Tallies = {}
    cache: Tallies = {}
    feedback: Tallies = {}
    tools: Tallies = {}
    arbitrations: Tallies = {}
    intents: Tallies = {}
    sunk: Tallies = {}
    confidences: Spreads = {}
    hearings: Spreads = {}
    waits: Spreads = {}
    turned_away: Tallies = {}
    waiting: int = 0
    inside: dict[Labels, int] = {}
    dropped: int = 0

    @classmethod
    def begun(cls) -> Counts:
        now = time.time()
        spreads: list[Spreads] = [{(): _spread(FAST, now)}, {(): _spread(SECONDS, now)}]
        return cls(now, decisions=spreads[0], waits=spreads[1], cuts={(): Tally(now)})

    def put(self, record: Record) -> None:
        """Counts a finished request."""
        decision, timings = record.decision, record.timings
        stage = "none" if decision is None else decision.stage
        count(self.requests, (record.request.endpoint, stage, record.outcome))
        if decision is not None and decision.rule:
            count(self.rules, (decision.rule,))
        if decision is not None and decision.arbitrated:
            self._put_arbitrated(decision)
        if decision is not None and (decision.marks or decision.shadow or decision.rules_cut is not None):
            self._put_noted(decision)
        if timings.decided is not None:
            _observe(self.decisions, (), FAST, timings.decided / 1000)
        if timings.queued is not None:
            _observe(self.waits, (), SECONDS, timings.queued / 1000)
        if timings.total is not None:
            _observe(self.durations, (stage,), SECONDS, timings.total / 1000)
        for attempt in record.attempts:
            good = attempt.failure is None and attempt.status is not None
            count(self.attempts, (attempt.target, "ok" if good else attempt.failure or "cancelled"))
        if target := record.target:
            if timings.ttft is not None:
                _observe(self.first_tokens, (target,), SECONDS, timings.ttft / 1000)
            if record.input_tokens:
                count(self.tokens, (target, "input"), record.input_tokens)
            if record.output_tokens:
                count(self.tokens, (target, "output"), record.output_tokens)
        if record.masked:
            for kind, values in record.masked.items():
                count(self.masked, (kind,), values)
        if record.cache is not None:
            count(self.cache, (record.cache,))

    def _put_noted(self, decision: Decision) -> None:
        for mark in decision.marks:
            count(self.marks, (mark.label, mark.risk))
        for rule in decision.shadow:
            count(self.shadows, (rule,))
        if decision.rules_cut is not None:
            count(self.cuts, ())

    def _put_arbitrated(self, decision: Decision) -> None:
        heard = None if decision.hearing is None else decision.hearing.first
        who = "user" if heard is None else heard.arbiter
        count(self.arbitrations, (who, _outcome(decision)))
        if decision.intent is not None:
            count(self.intents, (decision.intent,))
        if heard is not None:
            _observe(self.hearings, (who,), SECONDS, heard.took_ms / 1000)
            if heard.failure is None:
                _observe(self.confidences, (who,), SURE, heard.confidence)

    def merge(self, other: Counts) -> None:
        """Adds what another process counted, as if all had been counted here. A target is up where either found it up.
        `other` is not changed, and shares nothing with this afterwards."""
        self.created = min(self.created, other.created)
        self.dropped += other.dropped
        self.waiting += other.waiting
        for target, inside in other.inside.items():
            self.inside[target] = self.inside.get(target, 0) + inside
        for target, up in other.up.items():
            self.up[target] = max(self.up.get(target, 0), up)
        for name in _TALLIES:
            tallies: Tallies = getattr(self, name)
            for labels, more in getattr(other, name).items():
                tally = tallies.setdefault(labels, Tally(more.created))
                tally.created = min(tally.created, more.created)
                tally.value += more.value
        for name in _SPREADS:
            spreads: Spreads = getattr(self, name)
            for labels, more in getattr(other, name).items():
                spread = spreads.setdefault(labels, Spread(more.created, [0] * len(more.places)))
                spread.created = min(spread.created, more.created)
                spread.places = [a + b for a, b in zip(spread.places, more.places, strict=True)]
                spread.total += more.total


def count(tallies: Tallies, labels: Labels, by: int = 1) -> None:
    try:
        tallies[labels].value += by
    except KeyError:
        tallies[labels] = Tally(time.time(), by)


def _observe(spreads: Spreads, labels: Labels, bounds: Sequence[float], value: float) -> None:
    """Puts a value into the first place whose bound it does not exceed."""
    try:
        spread = spreads[labels]
    except KeyError:
        spread = spreads[labels] = _spread(bounds, time.time())
    spread.places[bisect_left(bounds, value)] += 1
    spread.total += value


def _spread(bounds: Sequence[float], now: float) -> Spread:
    return Spread(now, [0] * (len(bounds) + 1))


def _outcome(decision: Decision) -> str:
    """What became of what an arbiter heard."""
    if decision.hands_over:
        return "handed_over"
    if decision.clarification is not None:
        return "asked"
    if decision.stage == "l1":
        return "acted"
    heard = None if decision.hearing is None else decision.hearing.first
    if heard is not None and heard.failure is not None:
        return heard.failure
    return "open_ended" if decision.intent in (None, OPEN_ENDED) else "steered"
