"""The newest requests of the log that rules look at, kept while somebody writes a rule."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import msgspec

from pointsman.console.rules.told import NEWEST
from pointsman.domain.features import Features
from pointsman.domain.request import Request
from pointsman.features.extract import extract
from pointsman.pipeline.asked import Asked, ask
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader

_FRESH = 60.0  # seconds for which what was read is new enough
_ENDPOINTS = ("chat", "completions")


class Stopped(Exception):
    """Nobody waits for it any more."""


class Kept(msgspec.Struct, frozen=True, gc=False):
    """A request as rules look at it. `took` is who answered it, as the log says."""

    id: str
    received: float
    request: Request
    asked: Asked
    features: Features
    took: str


class Newest:
    """At most `most` requests, oldest first; `unread` more had no content here."""

    def __init__(self, most: int = NEWEST) -> None:
        self.kept: list[Kept] = []
        self.unread = 0
        self._most = most
        self._read = -_FRESH
        self._of: tuple[str, str] | None = None

    def read(self, folder: Path, policy: Policy, stop: Callable[[], bool]) -> None:
        """Anew, where it is older than a minute. A log that is not there has none. Raises Stopped, LogError."""
        of = str(folder), policy.hash
        if self._of is not None and self._of[0] == of[0] and time.monotonic() - self._read < _FRESH:
            return
        try:
            reader = LogReader(folder)
        except FileNotFoundError:
            self.kept, self.unread = [], 0
            return
        try:
            self._take(reader, policy, stop)
        finally:
            reader.close()
        self._of, self._read = of, time.monotonic()

    def _take(self, reader: LogReader, policy: Policy, stop: Callable[[], bool]) -> None:
        oldest = None
        for row in islice(reader.rows({}, None, self._most), self._most):
            oldest = row["received"]
        kept: deque[Kept] = deque(maxlen=self._most)
        unread = 0
        if oldest is not None:
            for number, logged in enumerate(reader.scan(oldest)):
                if number % 256 == 0 and stop():
                    raise Stopped
                head = logged.head
                if head.endpoint not in _ENDPOINTS:
                    continue
                request = logged.request()
                if request is None:
                    unread += 1
                    continue
                asked = ask(request, policy)
                features = extract(request, None, asked.question)
                took = head.rule or head.target or head.intent or ""
                kept.append(Kept(head.id, head.received, request, asked, features, took))
        self.kept, self.unread = list(kept), unread
