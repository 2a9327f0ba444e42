"""Counts in the form that prometheus_client writes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.exposition import generate_latest as generate_openmetrics
from prometheus_client.utils import floatToGoString

from pointsman.telemetry.catalogue import FAMILIES, PREFIX, Family
from pointsman.telemetry.counts import Counts, Levels, Spreads, Tallies

# the same switch as the client's own metrics have
_CREATED = os.environ.get("PROMETHEUS_DISABLE_CREATED_SERIES", "false").lower() not in ("true", "1", "t")


def text_of(counts: Counts, *, openmetrics: bool = False) -> bytes:
    """Prometheus text format 0.0.4, or OpenMetrics 1.0. Sets the counts' derived levels."""
    counts.derive()
    write = generate_openmetrics if openmetrics else generate_latest
    return write(Exposition(counts))


class Exposition:
    """A collector: the families, in the order of the catalogue."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        counts = self._counts
        for name, family in FAMILIES.items():
            if family.kind == "counter":
                yield _counter(family, counts.tallies[name])
            elif family.kind == "histogram":
                yield _histogram(family, counts.spreads[name])
            else:
                yield _gauge(family, counts.levels[name])


def _gauge(family: Family, levels: Levels) -> Metric:
    metric = Metric(PREFIX + family.name, str(family.about), "gauge")
    for values, level in levels.items():
        metric.add_sample(metric.name, dict(zip(family.labels, values, strict=True)), level)
    return metric


def _counter(family: Family, tallies: Tallies) -> Metric:
    metric = Metric(PREFIX + family.name, str(family.about), "counter")
    for values, tally in tallies.items():
        labels = dict(zip(family.labels, values, strict=True))
        metric.add_sample(f"{metric.name}_total", labels, tally.value)
        if _CREATED:
            metric.add_sample(f"{metric.name}_created", labels, tally.created)
    return metric


def _histogram(family: Family, spreads: Spreads) -> Metric:
    metric = Metric(PREFIX + family.name, str(family.about), "histogram")
    for values, spread in spreads.items():
        labels = dict(zip(family.labels, values, strict=True))
        so_far = 0
        for bound, count in zip((*family.bounds, math.inf), spread.places, strict=True):
            so_far += count
            le: str = floatToGoString(bound)  # type: ignore[no-untyped-call]
            metric.add_sample(f"{metric.name}_bucket", {**labels, "le": le}, so_far)
        metric.add_sample(f"{metric.name}_count", labels, so_far)
        metric.add_sample(f"{metric.name}_sum", labels, spread.total)
        if _CREATED:
            metric.add_sample(f"{metric.name}_created", labels, spread.created)
    return metric
