"""What came of a job goes on to the channels that its submitter named; and where nothing came of it, that is told."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.job import Job, Submission
from pointsman.domain.lifecycle import Place
from pointsman.domain.said import said, told
from pointsman.domain.wording import Tongue, tongue_of
from pointsman.http.exchange import base_url_of
from pointsman.http.jobs.kept import KeptAction, KeptReply, KeptRequest, Onward, action_of, request_of
from pointsman.pipeline.delivery.ordering import Deliver
from pointsman.pipeline.delivery.parcel import Parcel, submissions
from pointsman.pipeline.passage import Passage
from pointsman.pipeline.request_passage import RequestPassage
from pointsman.ports.action import Effect

HEADER = b"x-pointsman-delivery"
"""Of a job's result: the ids of the jobs that deliver it."""


class HandingOn:
    """Replies come back with those ids. Methods raise what passages and stores do."""

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver

    async def of_request(
        self, passage: Passage, kept: KeptRequest, reply: KeptReply, way: RequestPassage, *, good: bool
    ) -> KeptReply:
        """What an action made goes on; else the reply's own text. `good`: something came of it."""
        onward, made = kept.onward, way.made
        if not (onward.deliver if good else onward.on_failure):
            return reply
        if onward.language is None and way.decision is not None and way.decision.features is not None:
            onward = msgspec.structs.replace(onward, language=way.decision.features.language)
        text = made.text if made is not None else _text_in(reply)
        parcel = _parcel(
            onward, text, kept.request_id, base_url_of(dict(kept.headers)), kept.received, passage.job.caller
        )
        return await self._go(passage, onward, reply, parcel, made, good)

    async def of_action(self, passage: Passage, kept: KeptAction, reply: KeptReply, effect: Effect) -> KeptReply:
        good = effect.outcome == "ok"
        if not (kept.onward.deliver if good else kept.onward.on_failure):
            return reply
        onward = kept.onward
        if onward.language is None:
            onward = msgspec.structs.replace(onward, language=kept.language)
        parcel = _parcel(onward, effect.text, kept.request_id, kept.base_url, passage.job.created, passage.job.caller)
        return await self._go(passage, onward, reply, parcel, effect, good)

    async def _go(
        self, passage: Passage, onward: Onward, reply: KeptReply, parcel: Parcel, made: Effect | None, good: bool
    ) -> KeptReply:
        files = made.files if made is not None and good else ()
        parcel = msgspec.structs.replace(parcel, files=files, failed=not good)
        channels = onward.deliver if good else onward.on_failure
        ids = await self._deliver(parcel, channels, passage.effect)
        for channel, job_id in zip(channels, ids, strict=True):
            if passage.place.state == "execution":
                about = {"channel": channel, "delivery": job_id}
                await passage.go("stepped", why=said(*_HANDED, channel=channel, id=job_id), about=about)
        return msgspec.structs.replace(reply, headers=(*reply.headers, (HEADER, ", ".join(ids).encode())))


def failures_told(job: Job, place: Place, at: float) -> tuple[Submission, ...]:
    """What is to be submitted with the change that ends the job, where nothing came of it: for the channels that want to
    know, unless the job's own last step has told them."""
    nothing = place.disposition == "dead" or place.outcome in ("failed", "expired")
    if not nothing or job.kind not in ("request", "action"):
        return ()
    kept = request_of(job.body) if job.kind == "request" else action_of(job.body)
    onward = kept.onward
    if not onward.on_failure:
        return ()
    base_url = base_url_of(dict(kept.headers)) if isinstance(kept, KeptRequest) else kept.base_url
    tongue = _tongue(onward.language)
    text = told(said(*_NOTHING, name=onward.schedule or job.id, id=job.id), tongue)
    parcel = _parcel(onward, text, kept.request_id, base_url, job.created, job.caller)
    parcel = msgspec.structs.replace(parcel, failed=True)
    return submissions(parcel, onward.on_failure, f"{job.id}.{job.generation}", at)


def _parcel(onward: Onward, text: str, request_id: str, base_url: str, asked: float, caller: str) -> Parcel:
    return Parcel(
        channel="",
        text=text,
        tongue=_tongue(onward.language),
        request_id=request_id,
        base_url=base_url,
        asked=asked,
        caller=caller,
        schedule=onward.schedule,
    )


def _tongue(language: str | None) -> Tongue:
    return tongue_of(language or "", None)


def _text_in(reply: KeptReply) -> str:
    """What a person would read of it: the first choice, or the error."""
    try:
        body: Any = msgspec.json.decode(reply.body)
        if reply.status >= 400:
            return str(body["error"]["message"])
        choice = body["choices"][0]
        return str((choice.get("message") or {}).get("content") or choice.get("text") or "")
    except (msgspec.DecodeError, KeyError, IndexError, TypeError, AttributeError):
        return ""


_HANDED = 'handed over for delivery to "{channel}" ({id})', "已交付发送到“{channel}”（{id}）"
_NOTHING = (
    "“{name}” was not done. The details: pointsman jobs show {id}",
    "“{name}”没有完成。详情：pointsman jobs show {id}",
)
