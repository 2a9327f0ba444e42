"""A wish becomes a job: acknowledged once it is durable."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec

from pointsman.apart import apart
from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import Submission
from pointsman.domain.said import said
from pointsman.http.exchange import Client
from pointsman.http.jobs.kept import KeptAction, Onward, encode, kept
from pointsman.http.jobs.read import Wish, key_of
from pointsman.http.strict_json import APART
from pointsman.ports.job_store import JobStore, StoreError

Vet = Callable[[str], Awaitable[None]]
"""Whether a webhook may go to that URL. Raises PointsmanError."""


class Submitting:
    """`vet` judges the URLs of webhooks."""

    def __init__(self, store: JobStore, vet: Vet) -> None:
        self._store = store
        self._vet = vet

    async def submit(self, client: Client, wish: Wish) -> str:
        """The job's id. Raises PointsmanError: 409 where its Idempotency-Key was used for something else, 503 where the
        store takes nothing now."""
        if wish.webhook is not None:
            await self._vet(wish.webhook)
        key = key_of(client)
        submission = Submission(
            id=f"job_{client.request_id.removeprefix('req_')}",
            queue=wish.queue,
            kind="request" if wish.endpoint is not None else "action",
            caller=client.caller.name,
            created=client.received,
            body=encode(_kept(client, wish)),
            key=key,
            digest=b"" if key is None else await apart(lambda: wish.digest) if len(wish.body) > APART else wish.digest,
            expires=None if wish.expires_after is None else client.received + wish.expires_after,
            webhook=wish.webhook,
        )
        try:
            [done] = await self._store.submit([submission])
        except StoreError as error:
            raise unavailable(error) from None
        if done.conflict:
            raise key_reused(key or "", done.id)
        return done.id


def key_reused(key: str, job_id: str) -> PointsmanError:
    """`job_id` was submitted under that key with something else in it."""
    return PointsmanError(
        said(
            'the Idempotency-Key "{key}" was used for another job, {id}, with other contents; use a new key for new '
            "work, or send the same body again to get that job",
            "Idempotency-Key“{key}”已用于内容不同的任务 {id}；新任务请使用新的键，重新发送相同的内容则会得到原任务",
            key=key,
            id=job_id,
        ),
        status=409,
        code="idempotency_key_reused",
        param="Idempotency-Key",
    )


def unavailable(error: StoreError) -> PointsmanError:
    """What a client is told while the store is of no use."""
    return PointsmanError(
        said("jobs cannot be kept at the moment: {why}", "暂时无法保存任务：{why}", why=error.args[0]),
        status=503,
        type="overloaded_error",
        code="store_unavailable",
        retry_after=2,
    )


def _kept(client: Client, wish: Wish) -> msgspec.Struct:
    if wish.endpoint is not None:
        return kept(client, wish.endpoint, wish.body, Onward(deliver=wish.deliver))
    assert wish.action is not None
    return KeptAction(
        action=wish.action,
        parameters=wish.parameters,
        request_id=client.request_id,
        language=client.tongue,
        base_url=client.base_url,
        role=client.caller.role,
        onward=Onward(deliver=wish.deliver),
    )
