"""A limit over all workers, as one of them sees it."""

from __future__ import annotations

import itertools
from types import TracebackType

from pointsman.app.workers.channel import Channel
from pointsman.app.workers.messages import GiveBack, Take

_tickets = itertools.count(1)


class SharedPlaces:
    """`async with` takes a place of `limit` for as long as it lasts, and waits for it where none is free; any number of
    tasks may do so at a time. The hub gives the places of a worker that dies to others."""

    def __init__(self, channel: Channel, limit: str) -> None:
        self._channel = channel
        self._limit = limit
        self._held: list[int] = []

    async def __aenter__(self) -> None:
        ticket = next(_tickets)
        try:
            await self._channel.ask(Take(self._limit, ticket))
        except BaseException:
            self._channel.tell(GiveBack(ticket))
            raise
        self._held.append(ticket)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._channel.tell(GiveBack(self._held.pop()))
