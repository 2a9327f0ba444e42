"""Where requests are noted that take long, so that those are known that a crash cuts off."""

from __future__ import annotations

from typing import Protocol

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot


class Journal(Protocol):
    """`note` keeps the record that a request will have if this process dies, until its own is put; a later note of the same
    request replaces it. It never blocks and never raises: what cannot be noted goes on unnoted."""

    def note(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None: ...
