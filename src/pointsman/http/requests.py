"""`GET /v1/requests/{id}` and `…/trace`: where a request is, and the way that it took."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import LONGEST_ID
from pointsman.domain.said import said
from pointsman.http.exchange import Client


class Traced(msgspec.Struct, frozen=True):
    """A request as far as it is known: whose it is, `summary` and `trace` as clients see them."""

    caller: str
    summary: dict[str, Any]
    trace: dict[str, Any]


Find = Callable[[str], Awaitable[Traced | None]]
"""By the id of a request, or of a job. Raises PointsmanError where it cannot be told."""


class RequestsDoor:
    """Only who sent a request, and admins, see it: to others it is one that there is not."""

    def __init__(self, find: Find) -> None:
        self._find = find

    async def get(self, client: Client) -> None:
        client.json(200, (await self._mine(client)).summary)

    async def trace(self, client: Client) -> None:
        client.json(200, (await self._mine(client)).trace)

    async def _mine(self, client: Client) -> Traced:
        name = client.named
        found = await self._find(name) if len(name) <= LONGEST_ID else None
        if found is None or not (client.caller.admin or found.caller == client.caller.name):
            raise PointsmanError(
                said(
                    'there is no request "{id}" of yours; its id is in the header x-pointsman-request-id of the reply, and '
                    "it is known as long as the log is kept (log.keep)",
                    "没有你发过的请求“{id}”；请求的 id 在回复的 x-pointsman-request-id 响应头里，日志保留多久（log.keep）"
                    "就能查多久",
                    id=name[:LONGEST_ID],
                ),
                status=404,
                type="not_found_error",
                code="request_not_found",
            )
        return found
