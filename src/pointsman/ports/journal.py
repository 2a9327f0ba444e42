"""Where requests are noted that take long, so that those are known that a crash cuts off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot

Noted = tuple[Record, PolicyDocument, Snapshot]
"""The record that a request will have if this process dies, and what it was decided by."""


class Journal(Protocol):
    """`note` keeps these, of different requests, until their own records are put; a later note of the same request replaces
    it. It never blocks and never raises: what cannot be noted goes on unnoted."""

    def note(self, several: Sequence[Noted]) -> None: ...
