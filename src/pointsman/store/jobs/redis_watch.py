"""Whose lease has run out, told without any clock but our own: by watching who shows no sign of life. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from pointsman.domain.job import Queue

_NEVER = float("inf")


class Sign(msgspec.Struct, frozen=True):
    """A job that somebody has (`leased`), or that waits for its time. `beat` changes with each renewal; token and beat must
    stay as they are for `patience` seconds before anybody may take it."""

    id: str
    queue: Queue
    token: int
    beat: int
    patience: float
    leased: bool


class Due(NamedTuple):
    """A sign that was seen long enough, `since` then. They are taken by the first two: leases before delays, whose time was
    over `at` first."""

    delayed: bool
    at: float
    since: float
    sign: Sign


class Watch:
    """When each sign was first seen as it is now, in seconds of the caller's monotonic clock. A sign that is taken by its
    token and beat was the same all the while: both never come back. So it does no harm to miss looks."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Sign, float]] = {}
        self._quiet = _NEVER  # nothing is due before

    def see(self, signs: Iterable[Sign], now: float) -> None:
        """All that there are."""
        old = self._seen
        self._seen = {}
        for sign in signs:
            before = old.get(sign.id)
            self._seen[sign.id] = before if before is not None and before[0] == sign else (sign, now)
        self._quiet = self._soonest()

    def note(self, sign: Sign, now: float) -> None:
        """One that this process itself has just set."""
        self._seen[sign.id] = (sign, now)
        self._quiet = min(self._quiet, now + sign.patience)

    def touch(self, job_id: str, token: int, beat: int, lease: float, now: float) -> None:
        """The lease of one that was seen was renewed."""
        if (seen := self._seen.get(job_id)) is not None:
            self.note(Sign(job_id, seen[0].queue, token, beat, lease, True), now)

    def put_back(self, sign: Sign, since: float) -> None:
        """One that was due, and was not taken all the same."""
        if sign.id not in self._seen:
            self.note(sign, since)

    def drop(self, job_id: str) -> None:
        self._seen.pop(job_id, None)

    def forget(self) -> None:
        """The server could not be asked, so holders could not show a sign either: everybody's time begins anew."""
        self._seen.clear()

    def due(self, queue: Queue, now: float) -> list[Due]:
        """Those that may be taken, in the order in which they are to be."""
        if now < self._quiet:
            return []
        self._quiet = self._soonest()
        ready = [
            Due(not sign.leased, since + sign.patience, since, sign)
            for sign, since in self._seen.values()
            if sign.queue == queue and since + sign.patience <= now
        ]
        return sorted(ready, key=lambda each: each[:2])

    def next(self, queues: Iterable[Queue]) -> float | None:
        """The moment at which one of them is due."""
        wanted = set(queues)
        return min((since + sign.patience for sign, since in self._seen.values() if sign.queue in wanted), default=None)

    def _soonest(self) -> float:
        return min((since + sign.patience for sign, since in self._seen.values()), default=_NEVER)
