"""Calls to services that callers or rules name, kept away from the owner's own network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

Headers = tuple[tuple[str, str], ...]
FailureKind = Literal["resolve", "connect", "tls", "timeout", "reset", "protocol"]


class Refused(Exception):
    """That URL is not called, now or later: it is malformed, or leads where it may not. The message is for people, in both
    languages: what is wrong, where, what is valid."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotAnswered(Exception):
    """There was no usable answer. `sent`: the request had begun to go out, so that the service may have acted on it. The
    message is for people, in both languages."""

    def __init__(self, kind: FailureKind, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.sent = sent


class Answer(msgspec.Struct, frozen=True):
    """`status` 200 to 599; names of `headers` in lower case, in the order of arrival; `body` without any coding of the
    transfer. `ended` says how far it goes: all of it, or cut off at the limit, by the clock, by a broken connection."""

    status: int
    headers: Headers
    body: bytes
    ended: Literal["whole", "too_large", "too_late", "broken"] = "whole"

    def header(self, name: str) -> str | None:
        """The value of the first header of that name (lower case)."""
        return next((value for key, value in self.headers if key == name), None)


class Outbound(Protocol):
    """Calls go to public addresses, and to those that the owner listed; redirects are answers like others."""

    async def check(self, url: str) -> None:
        """Raises Refused as far as it can be told now: a name that does not resolve passes, and is judged when it is
        called."""

    async def ask(
        self,
        method: str,
        url: str,
        headers: Headers = (),
        body: bytes = b"",
        *,
        seconds: float,
        most: int,
        enough: Callable[[bytes], bool] | None = None,
    ) -> Answer:
        """One call and its answer, all of it within `seconds`, at most `most` bytes of body. Nothing is tried twice.
        `enough` is given each piece of the body as it comes; once it says so, the answer is whole, whatever would follow.
        Raises Refused, NotAnswered, and ValueError for a method or header that HTTP cannot carry."""
        ...

    def close(self) -> None:
        """Nothing new is called. Calls under way go on."""
        ...
