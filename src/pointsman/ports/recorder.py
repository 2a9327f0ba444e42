"""Where finished requests are recorded."""

from __future__ import annotations

from typing import Protocol

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot


class Recorder(Protocol):
    """`put` never blocks and never raises: a record that cannot be kept is counted, and the request goes on. Policies and
    snapshots are kept once per hash."""

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None: ...
