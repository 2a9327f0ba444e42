"""Handing a letter to a mail server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol

import msgspec

MailFailure = Literal["resolve", "connect", "tls", "login", "refused", "busy", "broken", "timeout", "letter"]


class Enclosure(msgspec.Struct, frozen=True):
    """A file in a letter."""

    name: str
    media_type: str
    content: bytes


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """`sender`, `to` and `cc` are addresses, a name may go before each: "财务 <finance@example.com>". `message_id` is what
    stands between its angle brackets; `date` in seconds since the epoch. No text in it can make up a header: controls
    become blanks."""

    message_id: str
    date: float
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...] = ()
    subject: str = ""
    text: str = ""
    files: tuple[Enclosure, ...] = ()


class Sent(msgspec.Struct, frozen=True):
    """The server has taken it for the addresses in `taken`. Those in `later` it did not want now, those in `never` not at
    all; each with the status that it gave."""

    taken: tuple[str, ...]
    later: tuple[tuple[str, int], ...] = ()
    never: tuple[tuple[str, int], ...] = ()


class NotSent(Exception):
    """The server did not take it. `again`: another try may succeed. `uncertain`: it may have taken it all the same; it had
    all of the letter, and its answer did not come. `status` is what it answered, if that is the reason. The message is
    for people, in both languages, and names neither server nor address; `detail` does, with the server's own words: it is
    for the operator."""

    def __init__(
        self,
        kind: MailFailure,
        message: str,
        *,
        again: bool,
        uncertain: bool = False,
        status: int | None = None,
        detail: str = "",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.again = again
        self.uncertain = uncertain
        self.status = status
        self.detail = detail


class Mailer(Protocol):
    async def send(self, letter: Letter, recipients: Sequence[str], before: Callable[[], Awaitable[None]]) -> Sent:
        """One try, for these addresses (without names). `before` is called once the server agreed to take it, and before
        the first byte of the letter goes out; what it raises ends the try. Where no address is taken, nothing goes out,
        and `before` is not called. Raises NotSent. Being cancelled closes the connection."""

    def close(self) -> None:
        """Nothing new is sent. What is under way goes on."""
