"""Which target served a session last, so that its next message finds the cache warm and the tone kept."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from hashlib import blake2b

from pointsman.domain.request import Request
from pointsman.ports.clock import Clock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError

LIFE = 3600.0
"""Seconds that a session is remembered after its last reply."""
PATIENCE = 0.05
"""Seconds that a request waits to be told of its session by the store."""
_MOST = 10_000
_MOST_UNTOLD = 1_000
_PREFIX = "session/"
_SYSTEM = ("system", "developer")


def session_of(request: Request) -> str:
    """The name that a conversation is remembered by: the session that the client names, or else what a conversation keeps
    when it goes on: caller, user, and its beginning. Of one way only, so that the store learns nothing of it."""
    if request.session:
        parts = ["named", request.caller, request.session]
    else:
        parts = ["began", request.caller, request.user or ""]
        for turn in request.turns:
            parts.append(turn.text)
            if turn.role not in _SYSTEM:
                break
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def goes_on(request: Request) -> bool:
    """Whether somebody may know its session: the client names it, or there was a reply before."""
    return bool(request.session) or any(turn.role == "assistant" for turn in request.turns)


class Sessions:
    """For one event loop. This process remembers what it served itself; `shared` is what processes and gateways tell each
    other, late and without promise."""

    def __init__(self, clock: Clock, shared: Ephemeral | None = None) -> None:
        self._clock = clock
        self._shared = shared
        self._kept: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._untold: dict[str, str] = {}
        self._telling: asyncio.Task[None] | None = None

    def last(self, session: str) -> str | None:
        """The target that served it last, as far as this process knows."""
        kept = self._kept.get(session)
        return kept[0] if kept is not None and kept[1] > self._clock.monotonic() else None

    async def recall(self, session: str) -> str | None:
        """The same, with the store asked where this process does not know."""
        known = self.last(session)
        if known is not None or self._shared is None:
            return known
        try:
            async with asyncio.timeout(PATIENCE):
                value = await self._shared.get(_PREFIX + session)
        except (StoreError, TimeoutError):
            return None
        if value is None:
            return None
        target = value.decode("utf-8", "replace")
        self._keep(session, target)
        return target

    def served(self, session: str, target: str) -> None:
        """It was this one. The store hears of it beside the traffic."""
        self._keep(session, target)
        if self._shared is not None and len(self._untold) < _MOST_UNTOLD:
            self._untold[session] = target
            if self._telling is None:
                self._telling = asyncio.create_task(self._tell(self._shared))

    async def close(self) -> None:
        """What is untold by now is forgotten."""
        self._untold.clear()
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)

    def _keep(self, session: str, target: str) -> None:
        self._kept[session] = (target, self._clock.monotonic() + LIFE)
        self._kept.move_to_end(session)
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)

    async def _tell(self, shared: Ephemeral) -> None:
        try:
            while self._untold:
                session, target = next(iter(self._untold.items()))
                del self._untold[session]
                await shared.put(_PREFIX + session, target.encode(), LIFE)
        except StoreError:
            self._untold.clear()  # it is not there: the next ones may find it again
        finally:
            self._telling = None
