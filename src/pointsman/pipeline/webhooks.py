"""Who wants to know of a job's end is told, by a job of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pointsman.domain.job import Job, Submission, shard_of
from pointsman.domain.lifecycle import Place
from pointsman.domain.said import Said, said
from pointsman.domain.webhook import PAUSES, EventType, Notice, pause_after, payload
from pointsman.pipeline.passage import Finished, Passage, TryAgain
from pointsman.ports.clock import Clock
from pointsman.ports.webhook import NotDelivered, Webhooks

Show = Callable[[str], Awaitable[dict[str, Any] | None]]
"""A job as the API shows it; None where there is none any more."""


def notices_of(job: Job, place: Place, at: float) -> tuple[Submission, ...]:
    """What is to be submitted with the change that ends the job."""
    if job.webhook is None:
        return ()
    notice = Notice(job.webhook, _event_of(job, place), job.id, at)
    again = f".{job.generation}" if job.generation > 1 else ""
    name = f"webhook_{shard_of(job.id)}{again}"
    return (Submission(id=name, queue="webhook", kind="webhook", caller=job.caller, created=at, body=notice.encode()),)


def _event_of(job: Job, place: Place) -> EventType:
    if place.disposition == "dead":
        return "job.dead"
    if job.kind == "batch":
        batch: dict[str | None, EventType] = {
            "failed": "batch.failed",
            "cancelled": "batch.cancelled",
            "expired": "batch.expired",
        }
        return batch.get(place.outcome, "batch.completed")
    single: dict[str | None, EventType] = {
        "failed": "job.failed",
        "cancelled": "job.cancelled",
        "expired": "job.expired",
    }
    return single.get(place.outcome, "job.completed")


class WebhookHandler:
    """`webhooks` gives what sends them, None where the config signs none."""

    def __init__(self, webhooks: Callable[[], Webhooks | None], show: Show, clock: Clock) -> None:
        self._webhooks = webhooks
        self._show = show
        self._clock = clock

    async def handle(self, passage: Passage) -> Finished:
        notice = Notice.decode(passage.job.body)
        await passage.begin(said("tells of {id}", "通知 {id} 的结果", id=notice.subject_id), {"type": notice.type})
        webhooks = self._webhooks()
        if webhooks is None:
            raise TryAgain(_NO_SECRET, "no_webhook_secret", 60.0, len(PAUSES) + 1)
        message_id = passage.job.id.replace(".", "-")
        data = await self._show(notice.subject_id) or {"id": notice.subject_id, "object": "job"}
        try:
            await webhooks.send(notice.url, message_id, payload(notice, data), self._clock.wall())
        except NotDelivered as failure:
            if not failure.again:
                return Finished(outcome="failed", error=f"webhook_{failure.kind}", why=failure.message)
            pause = pause_after(passage.job.failures + 1, message_id, failure.after)
            raise TryAgain(failure.message, f"webhook_{failure.kind}", pause, len(PAUSES) + 1) from None
        return Finished()


_NO_SECRET = Said(
    "webhooks need jobs.webhook_secret in the config", "发送 webhook 需要在配置里设置 jobs.webhook_secret"
)
