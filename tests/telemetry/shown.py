"""Metrics as somebody reads them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pointsman.domain.target import Snapshot
from pointsman.telemetry.counts import Counts
from pointsman.telemetry.exposition import text_of
from pointsman.telemetry.metrics import Metrics

NOBODY = Snapshot.of([])


def text(
    metrics: Metrics,
    snapshot: Snapshot = NOBODY,
    dropped: int = 0,
    others: Iterable[Counts] = (),
    *,
    openmetrics: bool = False,
    **more: Any,
) -> bytes:
    """With what other processes counted added in."""
    counts = metrics.counts(snapshot, dropped, **more)
    for other in others:
        counts.merge(other)
    return text_of(counts, openmetrics=openmetrics)
