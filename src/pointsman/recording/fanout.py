"""One record, several readers."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.target import Snapshot
from pointsman.ports.recorder import Recorder


class Fanout:
    """Hands every record to each recorder in turn."""

    def __init__(self, recorders: Sequence[Recorder]) -> None:
        self._puts = tuple(recorder.put for recorder in recorders)

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        for put in self._puts:
            put(record, policy, snapshot)
