"""The part of the config about jobs: what is done later, and by whom."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pointsman.config.section import Section, Span


class Jobs(Section, frozen=True):
    """Work that is done whatever dies meanwhile: POST /v1/jobs, Prefer: respond-async, batches. See docs/jobs.md."""

    concurrency: Annotated[
        int,
        Meta(ge=0, le=256, description="jobs that each process does at a time; 0: only `pointsman worker` does them"),
    ] = 4
    queues: Annotated[
        list[Literal["interactive", "webhook", "batch"]],
        Meta(min_length=1, description="whose jobs are done, in this order; what no process does, waits"),
    ] = msgspec.field(default_factory=lambda: ["interactive", "webhook", "batch"])
    lease: Annotated[
        float,
        Meta(ge=0.2, le=3600, description="seconds without a sign of life, and another worker takes the job over"),
    ] = 15.0
    poll: Annotated[float, Meta(ge=0.05, le=60, description="seconds between two looks for work")] = 1.0
    failures: Annotated[int, Meta(ge=1, le=100, description="failed tries after which a job is dead")] = 3
    lost: Annotated[int, Meta(ge=1, le=100, description="workers that die over a job before it is dead")] = 5
    backoff: Annotated[float, Meta(gt=0, le=300, description="seconds until the second try; doubled for each more")] = (
        2.0
    )
    patience: Annotated[
        Span, Meta(description="how long a job is tried while what it needs is overloaded or gone, before it is dead")
    ] = "1h"
    keep: Annotated[Span, Meta(description="how long a job is kept after its end, with what was asked")] = "7d"
    webhook_secret: (
        Annotated[str, Meta(min_length=16, description="signs webhooks; use ${ENV}; without it none are sent")] | None
    ) = None
    webhook_hosts: Annotated[
        list[str], Meta(description="hosts, addresses or networks on private addresses that webhooks may go to")
    ] = []
