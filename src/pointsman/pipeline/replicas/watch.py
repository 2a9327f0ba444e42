"""What came of tries at nodes goes to their pools first: a target is not to blame for one node while it has others."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from pointsman.domain.attempt import Attempt
from pointsman.execution.attempts import Watch
from pointsman.pipeline.replicas.pool import Pool


class NodesWatch:
    """Tells `next` what it is told itself; what one node alone is to blame for says nothing there."""

    def __init__(self, pool_of: Callable[[str], Pool | None], next: Watch) -> None:
        self._pool_of = pool_of
        self._next = next

    def sent(self, target: str) -> None:
        self._next.sent(target)

    def told(self, attempt: Attempt) -> None:
        pool = self._pool_of(attempt.target)
        if pool is not None and pool.told(attempt):
            attempt = replace(attempt, status=None, failure=None, broke=False)
        self._next.told(attempt)
