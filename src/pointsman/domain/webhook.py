"""What a webhook tells, and when it is told again."""

from __future__ import annotations

import datetime
import hashlib
from typing import Any, Literal

import msgspec

EventType = Literal[
    "job.completed",
    "job.failed",
    "job.cancelled",
    "job.expired",
    "job.dead",
    "batch.completed",
    "batch.failed",
    "batch.cancelled",
    "batch.expired",
]

PAUSES = (5.0, 30.0, 120.0, 600.0, 3600.0, 6 * 3600.0, 12 * 3600.0, 24 * 3600.0, 24 * 3600.0)
"""Seconds after the first failure, the second, … until the next try: ten tries within three days."""
LONGEST_PAUSE = 24 * 3600.0
"""Seconds that a receiver may ask for, at most."""
_SPREAD = 0.2


class Notice(msgspec.Struct, frozen=True, array_like=True):
    """The body of a webhook's job: `url` is to be told that `type` happened to `subject_id` at `happened`, seconds since the
    epoch. It is an array on disk: a new field goes to the end and has a default."""

    url: str
    type: EventType
    subject_id: str
    happened: float

    def encode(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @classmethod
    def decode(cls, body: bytes) -> Notice:
        """Raises msgspec.DecodeError."""
        return msgspec.msgpack.decode(body, type=cls)


def payload(notice: Notice, data: dict[str, Any]) -> bytes:
    """What the receiver reads, JSON: {"type", "timestamp" of the event (RFC 3339, UTC), "data"}. `data` is the subject as
    the API shows it, plain values."""
    happened = datetime.datetime.fromtimestamp(notice.happened, datetime.UTC)
    timestamp = happened.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return msgspec.json.encode({"type": notice.type, "timestamp": timestamp, "data": data})


def pause_after(failures: int, message_id: str, asked: float | None = None) -> float | None:
    """Seconds until the next try after so many failures (1 or more), None: it is given up. `asked` is what the receiver
    wants to be left alone. Each message has its own small delay on top, up to a fifth, so that what failed together is
    not tried again together; it is the same wherever it is computed."""
    if failures > len(PAUSES):
        return None
    digest = hashlib.sha256(f"{message_id} {failures}".encode()).digest()
    spread = 1 + _SPREAD * int.from_bytes(digest[:4], "big") / 2**32
    return max(PAUSES[failures - 1], min(asked or 0.0, LONGEST_PAUSE)) * spread
