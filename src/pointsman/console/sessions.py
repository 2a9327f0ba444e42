"""Sessions without a table: a cookie that says whose it is and until when, sealed so that nobody else can make one. What is
kept is which were ended before their time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Protocol

import msgspec

COOKIE = "pointsman_console"
_NAMES = 16  # hexadecimal digits of a key's hash that a cookie has


class Session(msgspec.Struct, frozen=True):
    """`key` is the beginning of the hash of the key that signed in, `until` seconds since the epoch."""

    key: str
    until: int
    mark: str


class Ended(Protocol):
    """Sessions that were ended before their time, as all workers know them. `end` raises OSError."""

    def end(self, session: Session) -> None: ...

    def has(self, session: Session) -> bool: ...


class Sessions:
    """`secret` seals cookies and tokens: who has it can make them. All workers of a gateway have the same."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def begin(self, key_hash: str, until: int) -> str:
        """The cookie's value for who gave the key with that hash."""
        text = f"{named(key_hash)}.{until}.{secrets.token_urlsafe(12)}"
        return f"{text}.{self._seal('session', text)}"

    def read(self, cookie: str, now: float) -> Session | None:
        """None for one that is not ours, or is over."""
        text, _, seal = cookie.rpartition(".")
        if not hmac.compare_digest(seal.encode(), self._seal("session", text).encode()):
            return None
        key, until, mark = text.split(".")
        return Session(key, int(until), mark) if now < int(until) else None

    def token(self, of: str) -> str:
        """What forms of that session, or of this machine, send back: other sites cannot know it."""
        return self._seal("form", of)

    def _seal(self, use: str, text: str) -> str:
        return hmac.new(self._secret, f"{use}:{text}".encode(), hashlib.sha256).hexdigest()[:40]


def named(key_hash: str) -> str:
    """The name of a key in a session."""
    return key_hash.removeprefix("sha256:")[:_NAMES]


def same(a: str, b: str) -> bool:
    """Compared in a time that says nothing of where they differ."""
    return hmac.compare_digest(a.encode(), b.encode())
