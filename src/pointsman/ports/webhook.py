"""Telling a receiver of an event."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from pointsman.ports.outbound import FailureKind


class Delivered(msgspec.Struct, frozen=True):
    """The receiver took it."""

    status: int


class NotDelivered(Exception):
    """The receiver did not take it, as far as we know. `again`: another try may succeed, after at least `after` seconds
    where the receiver said so (`domain.webhook.pause_after` says when). `kind`: how the call failed, or refused (the URL is
    not called), gone (410: it wants no more), redirect, busy (429, 502, 503, 504), status (any other). The message is
    for people, in both languages."""

    def __init__(
        self,
        kind: FailureKind | Literal["refused", "gone", "redirect", "busy", "status"],
        message: str,
        *,
        again: bool,
        after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.again = again
        self.after = after


class Webhooks(Protocol):
    async def check(self, url: str) -> None:
        """Whether events may be sent there. Raises `ports.outbound.Refused`."""

    async def send(self, url: str, message_id: str, body: bytes, now: float) -> Delivered:
        """One try, signed. `message_id` (letters, digits, `_`, `-`) is the same for each try, so that a receiver knows one
        that it has; `body` is JSON; `now` is in seconds since the epoch. Raises NotDelivered, and ValueError for an id
        that is none."""
        ...
