"""`/v1/jobs`: submitted, looked at, followed, called off; and `Prefer: respond-async` on any endpoint."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, get_args

import msgspec

from pointsman.apart import apart
from pointsman.domain.channel import ChannelRule
from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import LONGEST_ID, Job, Kind
from pointsman.domain.said import said
from pointsman.http.event_stream import EventStream
from pointsman.http.exchange import Client
from pointsman.http.gateway import Post
from pointsman.http.header_lines import header_lines
from pointsman.http.jobs.kept import reply_of
from pointsman.http.jobs.read import Check, Wish, queue_of, read_wish, wait_of, whole
from pointsman.http.jobs.shown import shown
from pointsman.http.jobs.submitting import Submitting, unavailable
from pointsman.http.strict_json import APART
from pointsman.pipeline.ends import CUT, stopped
from pointsman.pipeline.job_list import newest
from pointsman.pipeline.passage import PROGRESS
from pointsman.ports.action import Action
from pointsman.ports.job_store import JobStore, Phase, StoreError, Wanted

LOOK = 0.25  # seconds between two looks at a job that somebody follows
_ARGUMENTS = (("phase", get_args(Phase)), ("kind", ("request", "action", "batch", "delivery")))
_SHOWN: tuple[Kind, ...] = ("request", "action", "batch", "delivery")
_ID = re.compile(r"(job|batch|delivery)_[0-9A-Za-z.]+")
_ITS_OWN = (b"content-type", b"x-pointsman-request-id")
_PAGE, _MOST = 20, 100  # jobs of a list

CallOff = Callable[[str], Awaitable[Job | None]]
"""Ends a job; gives it as it is then."""


class JobsDoor:
    """Only who submitted a job, and admins, know it: to others it is one that there is not. `checks` are the endpoints
    that a job may name, `actions` the actions by name, `channels` those that it may be delivered to."""

    def __init__(
        self,
        store: JobStore,
        submitting: Submitting,
        call_off: CallOff,
        checks: Mapping[str, Check],
        actions: Mapping[str, Action],
        heartbeat_after: float,
        channels: Sequence[ChannelRule] = (),
    ) -> None:
        self._store = store
        self._submitting = submitting
        self._call_off = call_off
        self._checks = checks
        self._actions = actions
        self._heartbeat_after = heartbeat_after
        self._channels = {channel.name: channel for channel in channels}

    async def post(self, client: Client, data: bytes) -> None:
        given = data, client, self._checks, self._actions, self._channels
        wish = await apart(read_wish, *given) if len(data) > APART else read_wish(*given)
        await self._accept(client, wish, wait_of(client.fields.get(b"prefer")) or 0.0)

    def later(self, path: str, post: Post) -> Post:
        """That endpoint, answered later where a client prefers it."""

        def begin(client: Client, data: bytes) -> Awaitable[None] | None:
            if b"prefer" not in client.fields or (wait := wait_of(client.fields[b"prefer"])) is None:
                return post(client, data)
            return self._respond_async(client, path, data, wait)

        return begin

    async def _respond_async(self, client: Client, path: str, data: bytes, wait: float) -> None:
        body = (
            await apart(self._checked, client, path, data) if len(data) > APART else self._checked(client, path, data)
        )
        client.extra += header_lines((b"preference-applied", b"respond-async"))
        await self._accept(client, Wish(endpoint=path, body=body, queue=queue_of(client)), wait)

    def _checked(self, client: Client, path: str, data: bytes) -> bytes:
        """The body that is kept. Raises PointsmanError."""
        body = whole(data)
        self._checks[path](client, body)
        return body

    async def _accept(self, client: Client, wish: Wish, wait: float) -> None:
        """202 with the job, or the reply itself where it is there within `wait` seconds."""
        job_id = await self._submitting.submit(client, wish)
        job = await self._over(job_id, wait)
        if job is not None and wait and job.place.state == "completed" and job.kind == "request" and job.result:
            reply = reply_of(job.result)
            kind = reply.header(b"content-type") or b"application/json"
            told = [pair for pair in reply.headers if pair[0] not in _ITS_OWN]
            client.reply(reply.status, reply.body, kind, header_lines((b"x-pointsman-job", job_id.encode()), *told))
            return
        location = header_lines((b"location", b"/v1/jobs/" + job_id.encode()))
        if job is None:  # gone already, or soon to be seen
            client.reply(202, msgspec.json.encode({"id": job_id, "object": "job"}), headers=location)
            return
        client.reply(202, client.encoded(shown(job)), headers=location)

    async def get(self, client: Client) -> None:
        job = await self._mine(client, client.named)
        client.json(200, await self._whole(job))

    async def ls(self, client: Client) -> None:
        """`limit`, `after` (an id), `phase`, `kind`; newest first. A batch stands for its requests."""
        most, after = _limit(client.argument("limit")), _job_id(client.argument("after"))
        phase, kind = (_one_of(name, client.argument(name), valid) for name, valid in _ARGUMENTS)
        caller = None if client.caller.admin else client.caller.name
        wanted = Wanted(caller=caller, kind=kind, phase=phase)
        try:
            found = await newest(self._store, wanted, most + 1, after, _SHOWN)
        except StoreError as error:
            raise unavailable(error) from None
        jobs = found[:most]
        client.json(200, {"object": "list", "data": [shown(job) for job in jobs], "has_more": len(found) > most})

    async def delete(self, client: Client) -> None:
        """Called off, where it is not over."""
        await self._mine(client, client.named)
        try:
            job = await asyncio.shield(asyncio.ensure_future(self._call_off(client.named)))
        except StoreError as error:
            raise unavailable(error) from None
        if job is None:
            raise no_job(client.named)
        client.json(200, await self._whole(job))

    async def events(self, client: Client) -> None:
        """A stream of events: `job` whenever it moved, `progress`, and the end after the job's."""
        job = await self._mine(client, client.named)
        out = EventStream(client, self._heartbeat_after)
        version, progress = -1, None
        try:
            while True:
                now = await self._store.read(PROGRESS + job.id)
                if job.version != version or now != progress:
                    version, progress = job.version, now
                    if not out.write(_event(client, shown(job, await self._store.trace(job.id), now))):
                        await client.room()
                if job.over:
                    break
                await asyncio.sleep(LOOK)
                job = await self._mine(client, job.id)
            out.finish(b"data: [DONE]\n\n")
        except StoreError as error:
            out.fail(unavailable(error))
        except PointsmanError as error:
            out.fail(error)
        except asyncio.CancelledError as error:
            if error.args == (CUT,):
                out.fail(stopped())
            raise
        finally:
            out.stop()

    # Inside

    async def _mine(self, client: Client, job_id: str) -> Job:
        try:
            job = await self._store.get(job_id) if len(job_id) <= LONGEST_ID else None
        except StoreError as error:
            raise unavailable(error) from None
        if job is None or job.kind == "webhook" or not (client.caller.admin or job.caller == client.caller.name):
            raise no_job(job_id)
        return job

    async def _whole(self, job: Job) -> dict[str, Any]:
        try:
            steps = await self._store.trace(job.id) if job.error else None
            progress = None if job.over else await self._store.read(PROGRESS + job.id)
        except StoreError as error:
            raise unavailable(error) from None
        return shown(job, steps, progress)

    async def _over(self, job_id: str, wait: float) -> Job | None:
        """The job as it is after at most so many seconds, at once when it is over."""
        end = time.monotonic() + wait
        while True:
            try:
                job = await self._store.get(job_id)
            except StoreError:
                return None
            left = end - time.monotonic()
            if job is None or job.over or left <= 0:
                return job
            await asyncio.sleep(min(LOOK, left))


def no_job(job_id: str) -> PointsmanError:
    """Also for one that is somebody else's."""
    return PointsmanError(
        said(
            'there is no job "{id}" of yours; jobs are kept for a while after their end (jobs.keep)',
            "没有你提交的任务“{id}”；任务结束后只保留一段时间（jobs.keep）",
            id=job_id[:LONGEST_ID],
        ),
        status=404,
        type="not_found_error",
        code="job_not_found",
    )


def _event(client: Client, value: dict[str, Any]) -> bytes:
    return b"data: " + client.encoded(value) + b"\n\n"


def _one_of(name: str, text: str | None, valid: Sequence[str]) -> Any:
    if text is not None and text not in valid:
        raise PointsmanError(
            said(
                'there is no {name} "{value}"; valid: {valid}',
                "没有 {name}“{value}”（可用的有：{valid}）",
                name=name,
                value=text[:100],
                valid=", ".join(valid),
            ),
            param=name,
        )
    return text


def _job_id(text: str | None) -> str | None:
    if text is not None and not _ID.fullmatch(text):
        raise PointsmanError(
            said(
                'after must be the id of a job, not "{text}"', "after 必须是任务的 id，而不是“{text}”", text=text[:100]
            ),
            param="after",
        )
    return text


def _limit(text: str | None) -> int:
    if text is None:
        return _PAGE
    if not text.isdigit() or not 1 <= int(text) <= _MOST:
        raise PointsmanError(
            said("limit must be a whole number from 1 to {most}", "limit 必须是 1 到 {most} 的整数", most=_MOST),
            param="limit",
        )
    return int(text)
