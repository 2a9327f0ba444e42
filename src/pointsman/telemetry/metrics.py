"""The few figures that matter now, as Prometheus metrics; all of them follow from finished records."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot

_SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20, 40, 80, 160, 320, 640)
_FAST = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2)


class Metrics:
    """A recorder that only counts."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "pointsman_requests_total",
            "Finished requests",
            ["endpoint", "stage", "outcome"],
            registry=self.registry,
        )
        self._rules = Counter(
            "pointsman_rule_hits_total", "Requests that a rule took", ["rule"], registry=self.registry
        )
        self._decide = Histogram(
            "pointsman_decision_seconds", "From the body to the decision", registry=self.registry, buckets=_FAST
        )
        self._duration = Histogram(
            "pointsman_request_duration_seconds",
            "From the body to the last byte",
            ["stage"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._ttft = Histogram(
            "pointsman_time_to_first_token_seconds",
            "From the body to the first content of a model",
            ["target"],
            registry=self.registry,
            buckets=_SECONDS,
        )
        self._tokens = Counter(
            "pointsman_tokens_total", "Tokens through models", ["target", "type"], registry=self.registry
        )
        self._attempts = Counter(
            "pointsman_attempts_total", "Tries at targets", ["target", "outcome"], registry=self.registry
        )
        self._up = Gauge(
            "pointsman_target_up", "1 where the last probe found the target up", ["target"], registry=self.registry
        )
        self.reloads = Counter("pointsman_reloads_total", "Reloads of the config", ["outcome"], registry=self.registry)
        self._dropped = Gauge("pointsman_log_records_dropped", "Records that could not be kept", registry=self.registry)

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        decision = record.decision
        stage = decision.stage if decision else "none"
        self._requests.labels(record.request.endpoint, stage, record.outcome).inc()
        if decision and decision.rule:
            self._rules.labels(decision.rule).inc()
        if record.timings.decided is not None:
            self._decide.observe(record.timings.decided / 1000)
        if record.timings.total is not None:
            self._duration.labels(stage).observe(record.timings.total / 1000)
        for attempt in record.attempts:
            good = attempt.failure is None and attempt.status is not None
            self._attempts.labels(attempt.target, "ok" if good else attempt.failure or "cancelled").inc()
        if record.target:
            if record.timings.ttft is not None:
                self._ttft.labels(record.target).observe(record.timings.ttft / 1000)
            for kind, count in (("input", record.input_tokens), ("output", record.output_tokens)):
                if count:
                    self._tokens.labels(record.target, kind).inc(count)

    def text(self, snapshot: Snapshot, dropped: int) -> bytes:
        """The exposition, with the state of the targets and the records dropped as of now."""
        self._dropped.set(dropped)
        self._up.clear()
        for state in snapshot.states:
            self._up.labels(state.target).set(1 if state.health == "up" else 0)
        return generate_latest(self.registry)
