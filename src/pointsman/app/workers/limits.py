"""Places that all workers share: a limit that holds over all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping

Claim = tuple[Hashable, int]
"""Who wants or holds a place, and that one's own number for it."""


class Limits:
    """`sizes` says how many places each limit has. Who waits gets one in the order of asking."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._free = dict(sizes)
        self._held: dict[Claim, str] = {}
        self._waiting: dict[str, dict[Claim, asyncio.Future[None]]] = {limit: {} for limit in sizes}

    async def take(self, holder: Hashable, limit: str, ticket: int) -> None:
        """Returns when the place is the holder's. `give_back` with the same ticket ends the waiting, too: then this is
        cancelled. Raises KeyError for a limit that there is not."""
        claim, waiting = (holder, ticket), self._waiting[limit]
        if self._free[limit] > 0 and not waiting:
            self._grant(limit, claim)
            return
        turn = waiting[claim] = asyncio.get_running_loop().create_future()
        await turn

    def give_back(self, holder: Hashable, ticket: int) -> None:
        """Nothing happens where that place is given back already."""
        claim = (holder, ticket)
        limit = self._held.pop(claim, None)
        if limit is not None:
            self._free[limit] += 1
            self._hand_out(limit)
            return
        for waiting in self._waiting.values():
            if claim in waiting:
                waiting.pop(claim).cancel()

    def leave(self, holder: Hashable) -> None:
        """The holder is gone: it holds and wants nothing any more."""
        wanted = [claim for waiting in self._waiting.values() for claim in waiting]
        for claim in [*wanted, *self._held]:
            if claim[0] == holder:
                self.give_back(*claim)

    def _hand_out(self, limit: str) -> None:
        waiting = self._waiting[limit]
        while self._free[limit] > 0 and waiting:
            claim = next(iter(waiting))
            turn = waiting.pop(claim)
            self._grant(limit, claim)
            turn.set_result(None)

    def _grant(self, limit: str, claim: Claim) -> None:
        self._free[limit] -= 1
        self._held[claim] = limit
