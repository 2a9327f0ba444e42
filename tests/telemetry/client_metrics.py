"""The same metrics with prometheus_client's own counters: slow and obvious, what ours must agree with to the byte."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pointsman.domain.decision import Decision
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.telemetry.catalogue import FAMILIES, PREFIX
from pointsman.telemetry.error_kinds import kind_of


class ClientMetrics:
    def __init__(self, entries: tuple[str, ...]) -> None:
        self.registry = CollectorRegistry()
        self.entries = entries
        self.families: dict[str, Any] = {}
        for name, family in FAMILIES.items():
            more = {"buckets": family.bounds} if family.kind == "histogram" else {}
            kind: Any = {"counter": Counter, "gauge": Gauge, "histogram": Histogram}[family.kind]
            self.families[name] = kind(PREFIX + name, str(family.about), family.labels, registry=self.registry, **more)

    def count(self, name: str, *labels: str, by: float = 1) -> None:
        family = self.families[name]
        (family.labels(*labels) if labels else family).inc(by)

    def observe(self, name: str, *labels: str, value: float) -> None:
        family = self.families[name]
        (family.labels(*labels) if labels else family).observe(value)

    def put(self, record: Record) -> None:
        decision, times, request = record.decision, record.timings, record.request
        stage = decision.stage if decision else "none"
        entry = request.model if request.model in self.entries else "(model)"
        self.count("requests", entry, request.endpoint, stage, record.outcome)
        kind = kind_of(record)
        if kind:
            self.count("errors", entry, kind)
        if times.decided is not None:
            self.observe("decision_seconds", value=times.decided / 1000)
        if times.queued is not None:
            self.observe("queue_wait_seconds", entry, value=times.queued / 1000)
        durations = self.families["request_duration_seconds"].labels(entry, stage)
        if times.total is not None:
            durations.observe(times.total / 1000)
        for attempt in record.attempts:
            good = attempt.failure is None and attempt.status is not None
            self.count("attempts", attempt.target, "ok" if good else attempt.failure or "cancelled")
        if record.target:
            self.put_served(record, entry, record.target)
        if request.endpoint in ("chat", "completions"):
            task = decision.features.task_type if decision and decision.features else None
            self.count("tasks", task or "none", record.outcome)
        if decision:
            self.put_decision(decision, record.outcome)
        for what, values in (record.masked or {}).items():
            self.count("masked", what, by=values)
        if record.cache:
            self.count("cache", record.cache)

    def put_served(self, record: Record, entry: str, target: str) -> None:
        times = record.timings
        tokens = (("input", record.input_tokens), ("output", record.output_tokens), ("cached", record.cached_tokens))
        for kind, count in tokens:
            if count:
                self.count("tokens", target, kind, by=count)
        if times.ttft is not None:
            self.observe("time_to_first_token_seconds", entry, target, value=times.ttft / 1000)
            if times.total is not None and (record.output_tokens or 0) > 1 and record.outcome == "ok":
                gap = max(times.total - times.ttft, 0.0) / 1000 / (record.output_tokens - 1)
                self.observe("time_per_output_token_seconds", target, value=gap)
        if record.attempts and times.total is not None:
            worked = max(times.total - record.attempts[-1].began_ms, 0.0) / 1000
            self.observe("target_duration_seconds", target, value=worked)

    def put_decision(self, decision: Decision, outcome: str) -> None:
        if decision.rule:
            self.count("rule_hits", decision.rule)
        if decision.stage != "model" and decision.action is not None:
            self.count("actions", decision.action, outcome)
        for mark in decision.marks:
            self.count("marks", mark.label, mark.risk)
        for rule in decision.shadow:
            self.count("shadow_hits", rule)
        if decision.rules_cut is not None:
            self.count("rules_cut")
        if decision.stage != "l0" and (decision.intent or decision.hearing):
            self.put_arbitrated(decision)

    def put_arbitrated(self, decision: Decision) -> None:
        heard = decision.hearing.first if decision.hearing else None
        if decision.hands_over:
            outcome = "handed_over"
        elif decision.clarification is not None:
            outcome = "asked"
        elif decision.stage == "l1":
            outcome = "acted"
        elif heard and heard.failure:
            outcome = heard.failure
        else:
            outcome = "steered" if decision.intent not in (None, "open_ended") else "open_ended"
        who = heard.arbiter if heard else "user"
        self.count("arbitrations", who, outcome)
        if decision.intent is not None:
            self.count("intents", decision.intent)
        if heard:
            self.observe("arbiter_seconds", who, value=heard.took_ms / 1000)
            if heard.failure is None:
                self.observe("arbiter_confidence", who, value=heard.confidence)

    def text(self, snapshot: Snapshot, dropped: int, levels: Mapping[str, Mapping[tuple[str, ...], float]]) -> bytes:
        self.families["log_records_dropped"].set(dropped)
        for name, value in levels.items():
            self.families[name].clear()
            for labels, level in value.items():
                self.families[name].labels(*labels).set(level)
        self.families["target_up"].clear()
        self.families["target_breaker"].clear()
        self.families["quality_shift"].clear()
        for shift in snapshot.shifts:
            self.families["quality_shift"].labels(shift.model, shift.task or "all").set(shift.shift)
        for state in snapshot.states:
            self.families["target_up"].labels(state.target).set(1 if state.health == "up" else 0)
            self.families["target_breaker"].labels(state.target, state.breaker).set(1)
        return generate_latest(self.registry)
