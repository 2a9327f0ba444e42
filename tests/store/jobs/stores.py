"""The stores that keep one contract, and how a test opens each."""

from __future__ import annotations

from pathlib import Path

from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.memory import MemoryJobStore
from pointsman.store.jobs.sqlite import SqliteJobStore

KINDS = ("memory", "sqlite")
SHARED = KINDS[1:]
"""Those of which several processes can have an instance each."""


async def opened(kind: str, where: str) -> JobStore:
    """An instance. `where` says which others find the same jobs."""
    if kind == "sqlite":
        return SqliteJobStore(Path(where))
    return MemoryJobStore()


class Grounds:
    """Where instances of one kind find each other's jobs. `open` gives another one; of memory there is one alone."""

    def __init__(self, kind: str, where: str) -> None:
        self.kind = kind
        self.where = where
        self._opened: list[JobStore] = []

    async def open(self) -> JobStore:
        if self.kind == "memory" and self._opened:
            return self._opened[0]
        self._opened.append(await opened(self.kind, self.where))
        return self._opened[-1]

    async def close(self) -> None:
        for store in self._opened:
            await store.close()
