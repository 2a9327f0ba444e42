"""Whose a request was: what this process saw lately, the log, and the other processes of the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from pointsman.domain.errors import PointsmanError
from pointsman.domain.feedback import Asker, Served
from pointsman.domain.said import said
from pointsman.http.exchange import Client
from pointsman.http.gateway import Post
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

Others = Callable[[str], Awaitable[Asker | None]]
_MOST = 8192  # requests after which the older half of what is remembered goes


class Askers:
    """Remembers the last 8,192 requests, at least: the log gets a request when it has ended, and some tens of
    milliseconds later. `folder` is where the log is, `others` asks what other processes remember."""

    def __init__(self, folder: Path, others: Others | None = None) -> None:
        self._folder = folder
        self._others = others
        self._new: dict[str, Asker] = {}
        self._old: dict[str, Asker] = {}

    def noting(self, post: Post) -> Post:
        """An endpoint whose requests are remembered, those apart that it refuses unread."""

        def begin(client: Client, data: bytes) -> Awaitable[None] | None:
            rest = post(client, data)
            self.note(client.request_id, client.caller.name, client.received)
            return rest

        return begin

    def note(self, request_id: str, caller: str, asked: float) -> None:
        self._new[request_id] = Asker(caller, asked)
        if len(self._new) >= _MOST:
            self._old, self._new = self._new, {}

    def replied(self, request_id: str, served: Served) -> None:
        """What replied to a request that is remembered."""
        for asked in (self._new, self._old):
            if (asker := asked.get(request_id)) is not None:
                asked[request_id] = Asker(asker.caller, asker.asked, served)
                return

    def recent(self, request_id: str) -> Asker | None:
        """What this process remembers."""
        return self._new.get(request_id) or self._old.get(request_id)

    async def find(self, request_id: str) -> Asker | None:
        """None where nobody knows it. Raises PointsmanError (503) where the log cannot be read."""
        found = self.recent(request_id) or await asyncio.to_thread(self._logged, request_id)
        if found is None and self._others is not None:
            found = await self._others(request_id)
        return found

    def _logged(self, request_id: str) -> Asker | None:
        try:
            reader = LogReader(self._folder)
            try:
                return reader.asker(request_id)
            finally:
                reader.close()
        except FileNotFoundError:
            return None
        except LogError as error:
            raise PointsmanError(
                said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error)),
                status=503,
                type="api_error",
                code="log_unavailable",
                retry_after=1,
            ) from None
