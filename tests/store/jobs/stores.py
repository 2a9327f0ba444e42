"""The stores that keep one contract, and how a test opens each."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex

from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.memory import MemoryJobStore
from pointsman.store.jobs.redis import RedisJobStore
from pointsman.store.jobs.sqlite import SqliteJobStore
from store.jobs.servers import shared_url

KINDS = ("memory", "sqlite", "redis", "cluster")
SHARED = KINDS[1:]
"""Those of which several processes can have an instance each."""


def opened(kind: str, where: str) -> JobStore:
    """An instance. `where` says which others find the same jobs."""
    if kind == "memory":
        return MemoryJobStore()
    return SqliteJobStore(Path(where)) if kind == "sqlite" else RedisJobStore(where)


class Grounds:
    """Where instances of one kind find each other's jobs, alone in the world. `open` gives another instance; of memory
    there is one alone."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        name = token_hex(6)
        if kind in ("redis", "cluster"):
            self.where = f"{shared_url(kind)}?prefix=t{name}"
        else:
            self.where = str(folder / f"{name}.sqlite")
        self._opened: list[JobStore] = []

    async def open(self) -> JobStore:
        if self.kind == "memory" and self._opened:
            return self._opened[0]
        self._opened.append(opened(self.kind, self.where))
        return self._opened[-1]

    async def close(self) -> None:
        for store in self._opened:
            await store.close()
