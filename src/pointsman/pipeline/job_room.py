"""How many more jobs of each queue a worker may take. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.domain.job import Queue

WEBHOOKS = 16
"""Telling receivers takes time and no work: that many at a time, beside the others."""


def room(queue: Queue, concurrency: int, under_way: Mapping[Queue, int]) -> int:
    """`under_way` are the jobs at work, by queue. Webhooks take nobody's place, and of several places batches leave one
    to interactive jobs."""
    if queue == "webhook":
        return WEBHOOKS - under_way.get("webhook", 0)
    batch = under_way.get("batch", 0)
    left = concurrency - under_way.get("interactive", 0) - batch
    return min(left, max(concurrency - 1, 1) - batch) if queue == "batch" else left
