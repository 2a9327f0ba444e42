"""The histograms that OpenTelemetry has for calls of models, made of finished records."""

from __future__ import annotations

from bisect import bisect_left

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.telemetry.catalogue import GAPS, SECONDS
from pointsman.telemetry.error_kinds import kind_of
from pointsman.telemetry.otlp.names import Names, operation_of, provider_of
from pointsman.telemetry.otlp.points import Histogram, metric_of_histograms
from pointsman.telemetry.otlp.spans import shown_model, target_of

_TOKENS = tuple(float(4**power) for power in range(14))
_METRICS: dict[str, tuple[str, str, tuple[float, ...]]] = {
    "gen_ai.server.request.duration": ("From the body to the last byte", "s", SECONDS),
    "gen_ai.server.time_to_first_token": ("From the body to the first content of a model", "s", SECONDS),
    "gen_ai.server.time_per_output_token": ("A reply's mean time for each token after the first", "s", GAPS),
    "gen_ai.client.operation.duration": ("One call of an engine", "s", SECONDS),
    "gen_ai.client.token.usage": ("Tokens of one request", "{token}", _TOKENS),
}
_MOST = 2000
"""Sets of attributes of one metric; more are counted together."""
_OTHER = (("pointsman.overflow", "true"),)
Key = tuple[tuple[str, str], ...]


class GenAi:
    """For one thread. `began` is in nanoseconds since the epoch."""

    def __init__(self, names: Names, began: int) -> None:
        self._names = names
        self._began = began
        self._found: dict[str, dict[Key, Histogram]] = {name: {} for name in _METRICS}

    def put(self, record: Record, policy: PolicyDocument) -> None:
        times, target = record.timings, target_of(record.target, policy)
        about = {
            "gen_ai.operation.name": operation_of(record.request.endpoint),
            self._names.provider: provider_of(None if target is None else target.engine),
            "gen_ai.request.model": shown_model(record.request.model, policy),
        }
        if target is not None:
            about["gen_ai.response.model"] = target.model
        failed = kind_of(record)
        if times.total is not None:
            more = {} if failed is None else {"error.type": failed}
            self._observe("gen_ai.server.request.duration", {**about, **more}, times.total / 1000)
        if times.ttft is not None and failed is None:
            self._observe("gen_ai.server.time_to_first_token", about, times.ttft / 1000)
            if times.total is not None and record.output_tokens is not None and record.output_tokens > 1:
                gap = max(times.total - times.ttft, 0.0) / 1000 / (record.output_tokens - 1)
                self._observe("gen_ai.server.time_per_output_token", about, gap)
        for kind, tokens in (("input", record.input_tokens), ("output", record.output_tokens)):
            if tokens is not None:
                self._observe("gen_ai.client.token.usage", {**about, "gen_ai.token.type": kind}, tokens)
        self._put_attempts(record, policy)

    def metrics(self, now: int) -> list[bytes]:
        """Metrics of OTLP."""
        return [
            metric_of_histograms(name, what, unit, bounds, found.items(), self._began, now)
            for name, (what, unit, bounds) in _METRICS.items()
            if (found := self._found[name])
        ]

    def _put_attempts(self, record: Record, policy: PolicyDocument) -> None:
        for number, attempt in enumerate(record.attempts):
            called = target_of(attempt.target, policy)
            last = number == len(record.attempts) - 1 and attempt.target == record.target
            until = record.timings.total if last and record.timings.total is not None else None
            took = attempt.took_ms if until is None else max(until - attempt.began_ms, 0.0)
            about = {
                "gen_ai.operation.name": operation_of(record.request.endpoint),
                self._names.provider: provider_of(None if called is None else called.engine),
                "gen_ai.request.model": _UNNAMED if called is None else called.model,
            }
            if attempt.failure is not None:
                about["error.type"] = attempt.failure
            self._observe("gen_ai.client.operation.duration", about, took / 1000)

    def _observe(self, name: str, about: dict[str, str], value: float) -> None:
        found, bounds = self._found[name], _METRICS[name][2]
        key: Key = tuple(about.items())
        if key not in found and len(found) >= _MOST:
            key = _OTHER
        histogram = found.get(key)
        if histogram is None:
            histogram = found[key] = Histogram([0] * (len(bounds) + 1))
        histogram.places[bisect_left(bounds, value)] += 1
        histogram.total += value


_UNNAMED = "(unknown)"
