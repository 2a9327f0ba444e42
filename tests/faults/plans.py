"""What a job of these tests does, and how it is to end. Its body says it, so that whoever takes it up knows."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.job import Job, Queue, Submission
from pointsman.domain.lifecycle import Event

Way = Literal["matched", "missed", "arbitrated", "asked"]
WAYS: dict[Way, tuple[Event, ...]] = {
    "matched": ("admitted", "matched", "dispatched"),
    "missed": ("admitted", "missed", "dispatched"),
    "arbitrated": ("admitted", "missed", "arbitrated", "dispatched"),
    "asked": ("admitted", "missed", "arbitrated", "clarified", "matched", "dispatched"),
}
"""From the submission to the execution, each event a durable step of its own."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`steps` in the execution, each of about `pause` seconds. The first `fails` tries raise; a worker that has it dies as
    long as fewer than `kills` did. `again`: its target dies once, and it is sent again. It has so many `children`, each
    with a plan of one step. `gate`: it waits for that file before it begins. `hurts`: what kills its workers takes so many
    seconds until it does."""

    way: Way = "matched"
    steps: int = 1
    pause: float = 0.0
    fails: int = 0
    kills: int = 0
    hurts: float = 0.0
    again: bool = False
    children: int = 0
    gate: str | None = None

    @property
    def end(self) -> str:
        """With the limits that `Role` has by default."""
        return "worker_lost" if self.kills >= LOST else "internal" if self.fails >= FAILURES else "ok"


FAILURES, LOST = 3, 8
"""After so many a job is dead."""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Plan).decode


def plan_of(job: Job) -> Plan:
    return _decode(job.body)


def planned(number: int | str, plan: Plan, queue: Queue = "interactive", **other: str) -> Submission:
    """Number 7 is job_000007."""
    digits = f"{number:06}" if isinstance(number, int) else number
    return Submission(
        id=f"job_{digits}", queue=queue, kind="request", caller="ann", created=1.0, body=_encode(plan), **other
    )


def children(job: Job) -> tuple[Submission, ...]:
    digits = job.id.partition("_")[2]
    return tuple(
        planned(f"{digits}.{number}", Plan(), "batch", parent=job.id) for number in range(plan_of(job).children)
    )


def ended(job: Job) -> str:
    """How it did end, in the words of `Plan.end`; the state it is in, if it did not."""
    if job.place.disposition == "dead":
        return job.error or "dead"
    return job.place.outcome or job.place.state
