"""Replies kept for a while, for who asks the very same again."""

from __future__ import annotations

from collections import OrderedDict, deque

import msgspec

_OVERHEAD = 1024  # bytes that a kept reply takes besides its own, about
_KEY = b'"finish_reason"'
_GOOD = (b'"stop"', b'"length"')


class Kept(msgspec.Struct, frozen=True):
    """An engine's reply as it came: a stream of events, or one object. `counted`: the engine's token counts are in it.
    `at` is when it was complete, by the pipeline's clock."""

    target: str
    content_type: str | None
    data: bytes
    streams: bool
    counted: bool
    at: float


class ReplyCache:
    """At most `entries` replies of `max_bytes` together, none older than `seconds`; the one that was not wanted for longest
    goes first. The key says all that a reply depends on, and whose it is."""

    def __init__(self, seconds: float, entries: int, max_bytes: int) -> None:
        self.seconds = seconds
        self.entries = entries
        self.max_bytes = max_bytes
        self.size = 0
        self._kept: OrderedDict[bytes, Kept] = OrderedDict()
        self._ages: deque[tuple[float, bytes]] = deque()  # when each was kept, the oldest first

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: bytes, now: float) -> Kept | None:
        """`now` is by the clock that `at` is of."""
        self._expire(now)
        kept = self._kept.get(key)
        if kept is not None:
            self._kept.move_to_end(key)
        return kept

    def put(self, key: bytes, reply: Kept) -> None:
        """In place of what was kept under that key."""
        self._expire(reply.at)
        self._drop(key)
        size = _size(reply)
        if size > self.max_bytes:
            return
        self._kept[key] = reply
        self._ages.append((reply.at, key))
        self.size += size
        while self.size > self.max_bytes or len(self._kept) > self.entries:
            self._drop(next(iter(self._kept)))

    def _expire(self, now: float) -> None:
        while self._ages and now - self._ages[0][0] >= self.seconds:
            at, key = self._ages.popleft()
            kept = self._kept.get(key)
            if kept is not None and kept.at == at:
                self._drop(key)

    def _drop(self, key: bytes) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self.size -= _size(kept)


def _size(kept: Kept) -> int:
    return len(kept.data) + _OVERHEAD


def ended_well(data: bytes, streams: bool) -> bool:
    """Whether a reply is whole and every choice in it came to its own end or to its limit. A quote inside a text of JSON is
    escaped, so words of the model are never taken for a key."""
    if b'"error"' in data or (streams and b"\ndata: [DONE]" not in data):
        return False
    ends = 0
    for rest in data.split(_KEY)[1:]:
        value = rest[:32].lstrip(b" \t\r\n:")
        if value.startswith(_GOOD):
            ends += 1
        elif not value.startswith(b"null"):
            return False
    return ends > 0
