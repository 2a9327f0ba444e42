"""One request to an entry that keeps replies: is it the same as one before, and is its reply one to keep?"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from pointsman.apart import apart
from pointsman.domain.decision import Decision
from pointsman.domain.record import CacheOutcome
from pointsman.domain.request import Request
from pointsman.pipeline.reply_cache import Kept, ReplyCache, ended_well
from pointsman.recording.figures import counts_of_usage, last_object

Wish = Literal["use", "renew", "none"]
"""A kept reply will do; a new one is wanted, and may be kept; this request has nothing to do with kept ones."""


class Repeat(Protocol):
    """What keeping needs of the client's own request."""

    @property
    def wish(self) -> Wish: ...

    @property
    def large(self) -> bool:
        """Whether `identity` takes so long that the event loop must not wait for it."""

    @property
    def counted(self) -> bool:
        """Whether the reply has to hold the engine's token counts."""

    def identity(self) -> bytes:
        """All of the request that its reply depends on, whole or in a stream, and for whom it is."""

    def replay(self, kept: Kept) -> tuple[str, bytes]:
        """Content type and bytes of that reply, in the form in which this client wants it."""


class Keeping:
    """`outcome` is what became of it. A hit is `kept`; else `also` and `end` keep the new reply, if it is to be."""

    def __init__(self, cache: ReplyCache, wish: Wish, key: bytes | None) -> None:
        self.outcome: CacheOutcome = "miss" if wish == "use" else "bypass"
        self.kept: Kept | None = None
        self._cache = cache
        self._key = key
        self._pieces: list[bytes] = []
        self._size = 0

    def look(self, now: float, counted: bool) -> Kept | None:
        """The kept reply. Without the engine's counts it will not do where they are needed."""
        if self.outcome != "miss" or self._key is None:
            return None
        kept = self._cache.get(self._key, now)
        if kept is not None and (kept.counted or not counted):
            self.kept = kept
            self.outcome = "hit"
        return self.kept

    def also(self, pass_on: Callable[[bytes], bool]) -> Callable[[bytes], bool]:
        """`pass_on`, with what goes through it remembered."""
        if self._key is None:
            return pass_on

        def both(data: bytes) -> bool:
            self._size += len(data)
            if self._size <= self._cache.max_bytes:
                self._pieces.append(data)
            else:
                self._pieces.clear()
            return pass_on(data)

        return both

    def forget(self) -> None:
        """What went through so far is no reply; another one begins."""
        self._pieces.clear()
        self._size = 0

    def end(self, target: str, content_type: str | None, now: float) -> None:
        """The reply is through: keeps it if it came to a good end."""
        if self._key is None or self._size > self._cache.max_bytes:
            return
        data = b"".join(self._pieces)
        streams = "json" not in (content_type or "")
        if ended_well(data, streams):
            counted = counts_of_usage(last_object(data, b'"usage"')) is not None
            self._cache.put(self._key, Kept(target, content_type, data, streams, counted, now))


async def keeping_of(cache: ReplyCache, request: Request, decision: Decision, repeat: Repeat) -> Keeping:
    """The key holds what the client sent, who it is, and what was decided: other rules, routes or targets are another
    request. Sessions are left out, since no reply of a model depends on them, and so is the order of scored targets, which
    changes with what they have to do."""
    wish = repeat.wish
    if wish == "none":
        return Keeping(cache, wish, None)
    identity = await apart(repeat.identity) if repeat.large else repeat.identity()
    targets = [choice.target for choice in decision.targets]
    if decision.scored is not None:
        targets.sort()
    decided = (decision.policy, decision.rule, decision.parameters, targets)
    asked = (request.caller, request.caller_role, request.caller_group, request.user, request.model, request.endpoint)
    parts = msgspec.msgpack.encode((asked, decided, identity), order="deterministic", enc_hook=str)
    return Keeping(cache, wish, hashlib.sha256(parts).digest())
