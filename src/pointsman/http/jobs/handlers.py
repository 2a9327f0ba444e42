"""Doing the jobs that are requests, and those that are actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from pointsman.domain.job import Job
from pointsman.domain.said import Said, said
from pointsman.domain.wording import tongue_of
from pointsman.http.gateway import Gateway
from pointsman.http.jobs.handing_on import HandingOn
from pointsman.http.jobs.inside import serve_inside
from pointsman.http.jobs.kept import KeptReply, action_of, encode, request_of
from pointsman.pipeline.job_worker import backoff
from pointsman.pipeline.passage import Finished, Passage, TryAgain
from pointsman.pipeline.quotas import QUOTA_EXCEEDED
from pointsman.pipeline.request_passage import RequestPassage
from pointsman.ports.action import Action, ActionFailed, Occasion

_PASSING = frozenset((429, 500, 502, 503, 504))
"""Statuses of what may be over the next time."""
_WAITING = frozenset((429, 503))
"""Those that say nothing of the request."""
_FIRST, _LONGEST = 1.0, 60.0
"""Seconds between two tries of a job that waits for its caller's quota."""
_ENDLESS = 1_000_000_000
_DIRECT = Said("named by the client", "由客户端指定")
_JSON = ((b"content-type", b"application/json"),)


class RequestHandler:
    """`gateway` serves it, as it would serve a client. A reply that says that something was overloaded or broken is a
    failed try; any other is the job's result, and `onward` hands it on."""

    def __init__(self, gateway: Callable[[], Gateway], onward: HandingOn) -> None:
        self._gateway = gateway
        self._onward = onward

    async def handle(self, passage: Passage) -> Finished:
        kept = request_of(passage.job.body)
        way = RequestPassage(passage, rules_only=kept.rules_only)
        reply = await serve_inside(self._gateway(), kept, way)
        if reply.status in _PASSING:
            raise _again(reply, passage.job)
        if reply.status < 400:
            good = way.outcome == "ok" and not (way.decision and way.decision.clarification)
            reply = await self._onward.of_request(passage, kept, reply, way, good=good)
            return Finished(outcome=way.outcome, result=encode(reply), error=way.error)
        error = _error(reply)
        reply = await self._onward.of_request(passage, kept, reply, way, good=False)
        return Finished(outcome="failed", result=encode(reply), error=error["code"], why=error["message"])


class ActionHandler:
    """`actions` are those that there are, by name; `onward` hands on what they make."""

    def __init__(self, actions: Mapping[str, Action], onward: HandingOn) -> None:
        self._actions = actions
        self._onward = onward

    async def handle(self, passage: Passage) -> Finished:
        kept = action_of(passage.job.body)
        action = self._actions.get(kept.action)
        if action is None:
            why = said('there is no action "{name}" any more', "已经没有动作“{name}”", name=kept.action)
            raise TryAgain(why, "unknown_action")
        await passage.begin(_DIRECT, {"action": kept.action})
        occasion = Occasion(
            request_id=kept.request_id,
            tongue=tongue_of(kept.language, None),
            base_url=kept.base_url,
            caller=passage.job.caller,
            user=kept.user,
            role=kept.role,
            effect=passage.effect,
            now=passage.job.created,
            tell=passage.tell,
        )
        try:
            effect = await action.run(msgspec.json.decode(kept.parameters), occasion)
        except ActionFailed as failure:
            raise TryAgain(failure.message, failure.code) from None
        told = {
            "text": effect.text,
            "outcome": effect.outcome,
            "error": effect.error,
            "values": effect.values,
            "files": [{"name": file.name, "media_type": file.media_type, "size": file.size} for file in effect.files],
        }
        reply = KeptReply(200, _JSON, msgspec.json.encode(told))
        reply = await self._onward.of_action(passage, kept, reply, effect)
        return Finished(outcome=effect.outcome, result=encode(reply), error=effect.error)


def _again(reply: KeptReply, job: Job) -> TryAgain:
    error, after = _error(reply), reply.header(b"retry-after")
    delay = float(after) if after is not None and after.isdigit() else None
    if error["code"] == QUOTA_EXCEEDED:  # it waits as long as it takes; many that wait do not all ask at once
        pause = min(backoff(_FIRST, job.failures + 1, job.id), _LONGEST)
        return TryAgain(error["message"], error["code"], max(delay or 0.0, pause), tries=_ENDLESS, waits=True)
    return TryAgain(error["message"], error["code"], delay, waits=reply.status in _WAITING)


def _error(reply: KeptReply) -> dict[str, str]:
    """The error that it is."""
    try:
        error = msgspec.json.decode(reply.body)["error"]
        return {"message": str(error["message"]), "code": str(error["code"])}
    except (msgspec.DecodeError, KeyError, TypeError):
        return {"message": f"status {reply.status}", "code": "http"}
