"""What a change makes of a job, and what it adds to the trace, apart from how it is stored. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from pointsman.domain.job import Change, Job, Step, Submission
from pointsman.domain.lifecycle import step

Changed = tuple[Job, list[Step]]
"""The job afterwards, and the entries that its trace gains."""


def begun(submission: Submission) -> Job:
    return Job(
        id=submission.id,
        queue=submission.queue,
        kind=submission.kind,
        caller=submission.caller,
        created=submission.created,
        updated=submission.created,
        body=submission.body,
        key=submission.key,
        parent=submission.parent,
        expires=submission.expires,
        webhook=submission.webhook,
    )


def first_step(submission: Submission) -> Step:
    return Step(1, "submitted", "received", "active", submission.created)


def changed(job: Job, change: Change) -> Changed:
    """All but who has it, which `held_on` says, and `data` and `result`, which need not be at hand for it."""
    steps = [
        Step(
            number, event, place.state, place.disposition, change.at, change.worker, job.token, change.why, change.about
        )
        for number, ((event, _), place) in enumerate(zip(change.events, change.places, strict=True), job.version + 1)
    ]
    after = replace(
        job,
        place=change.last if change.places else job.place,
        version=job.version + len(steps),
        token=job.token + change.fence,
        generation=job.generation + change.again,
        failures=(0 if change.again else job.failures) + change.failures,
        lost=0 if change.again else job.lost,
        left=job.left if change.left is None else max(change.left - job.spent, 0),
        error=job.error if change.error is None else change.error,
        updated=change.at,
    )
    if after.place.disposition == "parked" and not after.left:
        after, more = unparked(after, change.at)
        steps += more
    return after, steps


def held_on(before: Job, after: Job, change: Change) -> bool:
    """Whether the lease goes on as it is. It does not where the job is over, parked, or was parked and unparked."""
    parked = "parked" in (place.disposition for place in change.places)
    return change.hold and not change.fence and not after.over and not parked


def child_ended(parent: Job, at: float) -> Changed:
    """One of its children came to its end. The last one unparks it."""
    after = replace(parent, left=max(parent.left - 1, 0), spent=parent.spent + 1)
    return unparked(after, at) if after.place.disposition == "parked" and not after.left else (after, [])


def unparked(job: Job, at: float) -> Changed:
    place = step(job.place, "unparked")
    after = replace(job, place=place, version=job.version + 1, updated=at)
    return after, [Step(after.version, "unparked", place.state, place.disposition, at, token=job.token)]
