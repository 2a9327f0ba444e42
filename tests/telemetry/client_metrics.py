"""The same metrics with prometheus_client's own counters: slow and obvious, what ours must agree with to the byte."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pointsman.domain.decision import Decision
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot

SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20, 40, 80, 160, 320, 640)
SURE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)
FAST = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2)


class ClientMetrics:
    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "pointsman_requests_total", "Finished requests", ["endpoint", "stage", "outcome"], registry=registry
        )
        self.rules = Counter("pointsman_rule_hits_total", "Requests that a rule took", ["rule"], registry=registry)
        self.decide = Histogram(
            "pointsman_decision_seconds", "From the body to the decision", registry=registry, buckets=FAST
        )
        self.duration = Histogram(
            "pointsman_request_duration_seconds",
            "From the body to the last byte",
            ["stage"],
            registry=registry,
            buckets=SECONDS,
        )
        self.ttft = Histogram(
            "pointsman_time_to_first_token_seconds",
            "From the body to the first content of a model",
            ["target"],
            registry=registry,
            buckets=SECONDS,
        )
        self.tokens = Counter("pointsman_tokens_total", "Tokens through models", ["target", "type"], registry=registry)
        self.attempts = Counter(
            "pointsman_attempts_total", "Tries at targets", ["target", "outcome"], registry=registry
        )
        self.upstream = Counter(
            "pointsman_upstream_total", "Calls and connections to engines", ["target", "event"], registry=registry
        )
        self.up = Gauge(
            "pointsman_target_up", "1 where the last probe found the target up", ["target"], registry=registry
        )
        self.reloads = Counter("pointsman_reloads_total", "Reloads of the config", ["outcome"], registry=registry)
        self.marks = Counter(
            "pointsman_marks_total",
            "What rules noted of requests that went on",
            ["label", "risk"],
            registry=registry,
        )
        self.shadows = Counter(
            "pointsman_shadow_hits_total",
            "Requests that a rule in shadow would have taken",
            ["rule"],
            registry=registry,
        )
        self.cuts = Counter("pointsman_rules_cut_total", "Requests for whose rules time ran out", registry=registry)
        self.masked = Counter(
            "pointsman_masked_total", "Values that engines saw placeholders of", ["kind"], registry=registry
        )
        self.cache = Counter(
            "pointsman_cache_total", "Requests to entries that keep replies", ["outcome"], registry=registry
        )
        self.feedback = Counter(
            "pointsman_feedback_total", "What callers said of replies", ["adopted", "rating"], registry=registry
        )
        self.tools = Counter(
            "pointsman_tool_calls_total", "Tools that clients called themselves", ["tool", "outcome"], registry=registry
        )
        self.arbitrations = Counter(
            "pointsman_arbitrations_total",
            "Requests that an arbiter was heard on, or that the user settled when asked",
            ["arbiter", "outcome"],
            registry=registry,
        )
        self.intents = Counter(
            "pointsman_intents_total", "Requests by what an arbiter made of them", ["intent"], registry=registry
        )
        self.sunk = Counter(
            "pointsman_arbiter_drifts_total",
            "How often an arbiter became less sure than usual",
            ["arbiter"],
            registry=registry,
        )
        self.sure = Histogram(
            "pointsman_arbiter_confidence",
            "How sure an arbiter was of the intent that it heard",
            ["arbiter"],
            registry=registry,
            buckets=SURE,
        )
        self.hearing = Histogram(
            "pointsman_arbiter_seconds",
            "What an arbiter took to hear a query",
            ["arbiter"],
            registry=registry,
            buckets=SECONDS,
        )
        self.waits = Histogram(
            "pointsman_queue_wait_seconds", "At the gate before targets", registry=registry, buckets=SECONDS
        )
        self.turned_away = Counter(
            "pointsman_turned_away_total", "Requests that were not let in", ["why"], registry=registry
        )
        self.waiting = Gauge("pointsman_queue_waiting", "Requests that wait for a place at targets", registry=registry)
        self.inside = Gauge("pointsman_target_inside", "Requests that a target has", ["target"], registry=registry)
        self.dropped = Gauge("pointsman_log_records_dropped", "Records that could not be kept", registry=registry)

    def put(self, record: Record) -> None:
        decision, times = record.decision, record.timings
        stage = decision.stage if decision else "none"
        self.requests.labels(record.request.endpoint, stage, record.outcome).inc()
        if decision and decision.rule:
            self.rules.labels(decision.rule).inc()
        if times.decided is not None:
            self.decide.observe(times.decided / 1000)
        if times.queued is not None:
            self.waits.observe(times.queued / 1000)
        if times.total is not None:
            self.duration.labels(stage).observe(times.total / 1000)
        for attempt in record.attempts:
            good = attempt.failure is None and attempt.status is not None
            self.attempts.labels(attempt.target, "ok" if good else attempt.failure or "cancelled").inc()
        if record.target:
            if times.ttft is not None:
                self.ttft.labels(record.target).observe(times.ttft / 1000)
            for kind, count in (("input", record.input_tokens), ("output", record.output_tokens)):
                if count:
                    self.tokens.labels(record.target, kind).inc(count)
        if decision:
            for mark in decision.marks:
                self.marks.labels(mark.label, mark.risk).inc()
            for rule in decision.shadow:
                self.shadows.labels(rule).inc()
            if decision.rules_cut is not None:
                self.cuts.inc()
        if decision and decision.stage != "l0" and (decision.intent or decision.hearing):
            self.put_arbitrated(decision)
        for kind, values in (record.masked or {}).items():
            self.masked.labels(kind).inc(values)
        if record.cache:
            self.cache.labels(record.cache).inc()

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
        self.arbitrations.labels(who, outcome).inc()
        if decision.intent is not None:
            self.intents.labels(decision.intent).inc()
        if heard:
            self.hearing.labels(who).observe(heard.took_ms / 1000)
            if heard.failure is None:
                self.sure.labels(who).observe(heard.confidence)

    def text(self, snapshot: Snapshot, dropped: int) -> bytes:
        self.dropped.set(dropped)
        self.up.clear()
        for state in snapshot.states:
            self.up.labels(state.target).set(1 if state.health == "up" else 0)
        return generate_latest(self.registry)
