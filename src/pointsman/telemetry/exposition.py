"""Counts in the form that prometheus_client writes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence

from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.utils import floatToGoString

from pointsman.telemetry.counts import FAST, SECONDS, SURE, Counts, Spreads, Tallies

# the same switch as the client's own metrics have
_CREATED = os.environ.get("PROMETHEUS_DISABLE_CREATED_SERIES", "false").lower() not in ("true", "1", "t")


def text_of(counts: Counts) -> bytes:
    """Prometheus text format 0.0.4."""
    return generate_latest(Exposition(counts))


class Exposition:
    """A collector: the families, in the order in which they are shown."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        counts = self._counts
        yield _counter("pointsman_requests", "Finished requests", ["endpoint", "stage", "outcome"], counts.requests)
        yield _counter("pointsman_rule_hits", "Requests that a rule took", ["rule"], counts.rules)
        yield _histogram("pointsman_decision_seconds", "From the body to the decision", [], FAST, counts.decisions)
        yield _histogram(
            "pointsman_request_duration_seconds",
            "From the body to the last byte",
            ["stage"],
            SECONDS,
            counts.durations,
        )
        yield _histogram(
            "pointsman_time_to_first_token_seconds",
            "From the body to the first content of a model",
            ["target"],
            SECONDS,
            counts.first_tokens,
        )
        yield _counter("pointsman_tokens", "Tokens through models", ["target", "type"], counts.tokens)
        yield _counter("pointsman_attempts", "Tries at targets", ["target", "outcome"], counts.attempts)
        yield _counter("pointsman_upstream", "Calls and connections to engines", ["target", "event"], counts.upstream)
        up = Metric("pointsman_target_up", "1 where the last probe found the target up", "gauge")
        for (target,), value in counts.up.items():
            up.add_sample(up.name, {"target": target}, value)
        yield up
        yield _counter("pointsman_reloads", "Reloads of the config", ["outcome"], counts.reloads)
        yield _counter("pointsman_marks", "What rules noted of requests that went on", ["label", "risk"], counts.marks)
        yield _counter(
            "pointsman_shadow_hits", "Requests that a rule in shadow would have taken", ["rule"], counts.shadows
        )
        yield _counter("pointsman_rules_cut", "Requests for whose rules time ran out", [], counts.cuts)
        yield _counter("pointsman_masked", "Values that engines saw placeholders of", ["kind"], counts.masked)
        yield _counter("pointsman_cache", "Requests to entries that keep replies", ["outcome"], counts.cache)
        yield _counter("pointsman_feedback", "What callers said of replies", ["adopted", "rating"], counts.feedback)
        yield _counter(
            "pointsman_tool_calls", "Tools that clients called themselves", ["tool", "outcome"], counts.tools
        )
        yield _counter(
            "pointsman_arbitrations",
            "Requests that an arbiter was heard on, or that the user settled when asked",
            ["arbiter", "outcome"],
            counts.arbitrations,
        )
        yield _counter("pointsman_intents", "Requests by what an arbiter made of them", ["intent"], counts.intents)
        yield _counter(
            "pointsman_arbiter_drifts", "How often an arbiter became less sure than usual", ["arbiter"], counts.sunk
        )
        yield _histogram(
            "pointsman_arbiter_confidence",
            "How sure an arbiter was of the intent that it heard",
            ["arbiter"],
            SURE,
            counts.confidences,
        )
        yield _histogram(
            "pointsman_arbiter_seconds", "What an arbiter took to hear a query", ["arbiter"], SECONDS, counts.hearings
        )
        yield _histogram("pointsman_queue_wait_seconds", "At the gate before targets", [], SECONDS, counts.waits)
        yield _counter("pointsman_turned_away", "Requests that were not let in", ["why"], counts.turned_away)
        waiting = Metric("pointsman_queue_waiting", "Requests that wait for a place at targets", "gauge")
        waiting.add_sample(waiting.name, {}, counts.waiting)
        yield waiting
        inside = Metric("pointsman_target_inside", "Requests that a target has", "gauge")
        for (target,), value in counts.inside.items():
            inside.add_sample(inside.name, {"target": target}, value)
        yield inside
        dropped = Metric("pointsman_log_records_dropped", "Records that could not be kept", "gauge")
        dropped.add_sample(dropped.name, {}, counts.dropped)
        yield dropped


def _counter(name: str, what: str, names: Sequence[str], tallies: Tallies) -> Metric:
    family = Metric(name, what, "counter")
    for values, tally in tallies.items():
        labels = dict(zip(names, values, strict=True))
        family.add_sample(f"{name}_total", labels, tally.value)
        if _CREATED:
            family.add_sample(f"{name}_created", labels, tally.created)
    return family


def _histogram(name: str, what: str, names: Sequence[str], bounds: Sequence[float], spreads: Spreads) -> Metric:
    family = Metric(name, what, "histogram")
    for values, spread in spreads.items():
        labels = dict(zip(names, values, strict=True))
        so_far = 0
        for bound, count in zip((*bounds, math.inf), spread.places, strict=True):
            so_far += count
            le: str = floatToGoString(bound)  # type: ignore[no-untyped-call]
            family.add_sample(f"{name}_bucket", {**labels, "le": le}, so_far)
        family.add_sample(f"{name}_count", labels, so_far)
        family.add_sample(f"{name}_sum", labels, spread.total)
        if _CREATED:
            family.add_sample(f"{name}_created", labels, spread.created)
    return family
