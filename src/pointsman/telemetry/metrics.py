"""The figures that matter now, as Prometheus metrics. What is counted of a request follows from its record: what is the
same for many of them is counted once for each kind of request, and shared out when somebody reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from msgspec.structs import replace

from pointsman.domain.decision import Decision
from pointsman.domain.feedback import Feedback
from pointsman.domain.intent import OPEN_ENDED
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.telemetry.catalogue import FAMILIES
from pointsman.telemetry.counts import Counts, Labels, Levels, Tally
from pointsman.telemetry.error_kinds import kind_of
from pointsman.telemetry.prices import FREE, Prices
from pointsman.telemetry.rows import Row

Judgement = Literal["right", "wrong"]
Upstream = Mapping[str, Mapping[str, int]]
"""Target → what happened (requests, opened, reused, retried) → how often."""
Queue = tuple[int, Mapping[str, int], Mapping[str, int]]
"""How many wait at the gate; how many each target has; how many it may have, where the gateway found that out itself."""
Pressed = tuple[Mapping[str, bool], int]
"""Which pressure holds, and how many jobs are parked for it."""
_NONE: Upstream = {}
_EMPTY: Queue = (0, {}, {})
_CALM: Pressed = ({}, 0)
_NO_LEVELS: Mapping[str, Levels] = {}
_ROWS = 4096
_GATHERED = 1024
"""Requests after which their times are put into the histograms, if nobody reads them before."""
NO_ENTRY = "(model)"
"""The entry of requests that name a model, a tier or an alias, or nothing that there is."""
_GOOD, _BAD = 4, 2
"""Ratings from which on a reply was right, and down from which it was wrong."""


class Metrics:
    """A recorder that only counts; for one thread. `prices` says what tokens take of targets as they are now."""

    def __init__(self, prices: Callable[[PolicyDocument, Snapshot], Prices] | None = None) -> None:
        self._counts = Counts.begun()
        self._seconds: dict[tuple[str, Labels], list[float]] = {}
        self._decisions = self._list("decision_seconds", ())
        self._rows: dict[tuple[str | None, ...], Row] = {}
        self._make_prices = prices
        self._prices = FREE
        self._policy: PolicyDocument | None = None
        self._entries: frozenset[str] = frozenset()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        """Counts a finished request."""
        if policy is not self._policy:
            self._policy = policy
            self._entries = frozenset(entry.name for entry in policy.entries)
        request, decision, timings, target = record.request, record.decision, record.timings, record.target
        entry = request.model if request.model in self._entries else NO_ENTRY
        if decision is None:
            key: tuple[str | None, ...] = (entry, request.endpoint, "none", record.outcome, record.cache, target)
        else:
            features = decision.features
            task = None if features is None else features.task_type
            key = (
                entry, request.endpoint, decision.stage, record.outcome, record.cache, decision.rule, decision.action,
                task, target,
            )  # fmt: skip
        row = self._rows.get(key)
        if row is None:
            row = self._row(key, record, entry)
        row.many += 1
        if (took := timings.decided) is not None:
            self._decisions.append(took / 1000)
        if (total := timings.total) is not None:
            row.durations.append(total / 1000)
            if len(row.durations) >= _GATHERED:
                self._gather()
        if decision is not None:
            if features is not None:
                row.prompt += features.input_tokens
            if decision.stage != "l0" and decision.arbitrated:
                self._put_arbitrated(decision)
            if decision.marks or decision.shadow or decision.rules_cut is not None:
                self._put_noted(decision)
        if timings.queued is not None:
            if row.waits is None:
                row.waits = self._list("queue_wait_seconds", (entry,))
            row.waits.append(timings.queued / 1000)
        if target is not None:
            self._put_served(record, row, target)
        if record.attempts:
            self._put_attempts(record, row)
        if record.error is not None and (kind := kind_of(record)) is not None:
            self._counts.count("errors", (entry, kind))
        if record.masked:
            for what, values in record.masked.items():
                self._counts.count("masked", (what,), values)

    def reloaded(self, outcome: str) -> None:
        """`ok` or `refused`."""
        self._counts.count("reloads", (outcome,))

    def called(self, tool: str, outcome: str) -> None:
        """A tool that a client called itself: an action over MCP, or `decide`."""
        self._counts.count("tool_calls", (tool, outcome))

    def turned_away(self, why: str) -> None:
        """A request that was not let in to any target."""
        self._counts.count("turned_away", (why,))

    def parked(self, cause: str) -> None:
        """A job that waits until that pressure is over."""
        self._counts.count("parked", (cause,))

    def sunk(self, arbiter: str) -> None:
        """An arbiter that is less sure than it used to be."""
        self._counts.count("arbiter_drifts", (arbiter,))

    def model_loaded(self, target: str, cause: str, seconds: float) -> None:
        """A model was brought into memory."""
        self._counts.count("model_loads", (target, cause, "ok"))
        self._list("model_load_seconds", (target,)).append(seconds)

    def model_failed(self, target: str, cause: str) -> None:
        """One was not."""
        self._counts.count("model_loads", (target, cause, "failed"))

    def model_gone(self, target: str, reason: str) -> None:
        """One is in memory no more."""
        self._counts.count("model_unloads", (target, reason))

    def exported(self, signal: str, outcome: str, many: int) -> None:
        """So many spans or metrics went by OTLP, or did not."""
        self._counts.count("otlp", (signal, outcome), many)

    def said(self, feedback: Feedback) -> None:
        """Each time that a caller says something, also where it replaces what it said before."""
        adopted = "none" if feedback.adopted is None else str(feedback.adopted).lower()
        self._counts.count("feedback", (adopted, "none" if feedback.rating is None else str(feedback.rating)))

    def judged(self, stage: str, judgement: Judgement) -> None:
        """A reply that the level `stage` decided."""
        self._counts.count("judged", (stage, judgement))

    def counts(
        self,
        snapshot: Snapshot,
        dropped: int,
        upstream: Upstream = _NONE,
        queue: Queue = _EMPTY,
        pressed: Pressed = _CALM,
        levels: Mapping[str, Levels] = _NO_LEVELS,
    ) -> Counts:
        """A copy of what was counted here, with the state of the targets, the records dropped, what connections to them
        did, and other levels by family, as of now."""
        self._share_out(snapshot)
        copy = self._counts.copy()
        copy.levels["target_up"] = {(state.target,): float(state.health == "up") for state in snapshot.states}
        copy.levels["target_breaker"] = {(state.target, state.breaker): 1.0 for state in snapshot.states}
        copy.levels["target_rate"] = {
            (state.target, phase): rate
            for state in snapshot.states
            for phase, rate in (("prefill", state.prefill_rate), ("decode", state.decode_rate))
            if rate is not None
        }
        copy.levels["quality_shift"] = {(shift.model, shift.task or "all"): shift.shift for shift in snapshot.shifts}
        copy.levels["queue_waiting"] = {(): float(queue[0])}
        copy.levels["target_inside"] = {(target,): float(inside) for target, inside in queue[1].items()}
        copy.levels["target_limit"] = {(target,): float(limit) for target, limit in queue[2].items()}
        copy.levels["pressure"] = {(cause,): float(holds) for cause, holds in pressed[0].items()}
        copy.levels["jobs_parked"] = {(): float(pressed[1])}
        copy.levels["log_records_dropped"] = {(): float(dropped)}
        copy.levels.update(levels)
        for target, events in upstream.items():
            for event, value in events.items():
                copy.tallies["upstream"][target, event] = Tally(copy.created, value)
        return copy

    def _row(self, key: tuple[str | None, ...], record: Record, entry: str) -> Row:
        if len(self._rows) >= _ROWS:
            self._share_out(None)
            self._rows.clear()
        stage = "none" if record.decision is None else record.decision.stage
        durations = self._list("request_duration_seconds", (entry, stage))
        row = self._rows[key] = Row(record, entry, durations)
        return row

    def _list(self, name: str, labels: Labels) -> list[float]:
        """Where values of that histogram are gathered."""
        values = self._seconds.get((name, labels))
        if values is None:
            self._counts.spread(name, labels)
            values = self._seconds[name, labels] = []
        return values

    def _gather(self) -> None:
        for (name, labels), values in self._seconds.items():
            if values:
                self._counts.spread(name, labels).take(FAMILIES[name].bounds, values)

    def _put_served(self, record: Record, row: Row, target: str) -> None:
        """A target gave a reply, or began one."""
        timings, output = record.timings, record.output_tokens
        if record.input_tokens is not None:
            row.input += record.input_tokens
        elif record.decision is not None and record.decision.features is not None:
            row.unread += record.decision.features.input_tokens
        if output is not None:
            row.output += output
        if record.cached_tokens is not None:
            row.cached += record.cached_tokens
        if (ttft := timings.ttft) is not None:
            if row.firsts is None:
                row.firsts = self._list("time_to_first_token_seconds", (row.labels[0], target))
            row.firsts.append(ttft / 1000)
            if timings.total is not None and output is not None and output > 1 and record.outcome == "ok":
                gap = max(timings.total - ttft, 0.0) / 1000 / (output - 1)
                if row.gaps is None:
                    row.gaps = self._list("time_per_output_token_seconds", (target,))
                row.gaps.append(gap)

    def _put_attempts(self, record: Record, row: Row) -> None:
        attempts, target, total = record.attempts, record.target, record.timings.total
        if target is not None and total is not None:
            if row.works is None:
                row.works = self._list("target_duration_seconds", (target,))
            row.works.append(max(total - attempts[-1].began_ms, 0.0) / 1000)
        for attempt in attempts:
            if attempt.failure is not None:
                self._counts.count("attempts", (attempt.target, attempt.failure))
            elif attempt.status is None:
                self._counts.count("attempts", (attempt.target, "cancelled"))
            elif attempt.target == target:
                row.ok += 1
            else:
                self._counts.count("attempts", (attempt.target, "ok"))

    def _put_noted(self, decision: Decision) -> None:
        for mark in decision.marks:
            self._counts.count("marks", (mark.label, mark.risk))
        for rule in decision.shadow:
            self._counts.count("shadow_hits", (rule,))
        if decision.rules_cut is not None:
            self._counts.count("rules_cut", ())

    def _put_arbitrated(self, decision: Decision) -> None:
        counts = self._counts
        heard = None if decision.hearing is None else decision.hearing.first
        who = "user" if heard is None else heard.arbiter
        counts.count("arbitrations", (who, _outcome(decision)))
        if decision.intent is not None:
            counts.count("intents", (decision.intent,))
        if heard is not None:
            self._list("arbiter_seconds", (who,)).append(heard.took_ms / 1000)
            if heard.failure is None:
                self._list("arbiter_confidence", (who,)).append(heard.confidence)
            if heard.output_tokens is not None:  # a language model was asked
                counts.count("gpu_seconds", (who,), heard.took_ms / 1000)

    def _share_out(self, snapshot: Snapshot | None) -> None:
        """At what tokens take now; targets that are gone cost what they last did."""
        prices = self._prices
        if snapshot is not None and self._make_prices is not None and self._policy is not None:
            made = self._make_prices(self._policy, snapshot)
            prices = self._prices = replace(made, targets={**prices.targets, **made.targets})
        self._gather()
        for row in self._rows.values():
            row.share_out(self._counts, prices)


def judgement_of(feedback: Feedback) -> Judgement | None:
    """What a caller holds of a reply, where that is plain: whether it adopted it counts before a rating, and a rating before
    that it asked again."""
    if feedback.adopted is not None:
        return "right" if feedback.adopted else "wrong"
    if feedback.rating is not None and feedback.rating >= _GOOD:
        return "right"
    if feedback.rating is not None and feedback.rating <= _BAD:
        return "wrong"
    return "wrong" if feedback.retried else None


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
