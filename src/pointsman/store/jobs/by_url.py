"""A URL → the store of jobs that it names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pointsman.domain.said import Said, said
from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.sqlite import SqliteJobStore

VALID = "sqlite:///file.sqlite, redis://host:6379/0, rediss://…, unix:///path.sock, redis+cluster://host:7000,host:7001"
_REDIS = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")


def check_url(url: str) -> None:
    """Raises ValueError for one that names no store, in both languages."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        if parts.netloc or len(parts.path) < 2:
            raise ValueError(
                Said(
                    "three slashes and a file in the data folder, or four and a whole path",
                    "应为三个斜杠加数据目录内的文件名，或四个斜杠加完整路径",
                )
            )
    elif parts.scheme not in _REDIS:
        kind = parts.scheme or url[:40]
        raise ValueError(said("no store of jobs is called {kind!r}", "没有名为 {kind!r} 的任务存储", kind=kind))


def open_url(url: str, folder: Path) -> JobStore:
    """A file's path is taken from `folder`. Raises StoreError, ValueError, and ImportError where an extra is missing."""
    check_url(url)
    if url.startswith("sqlite:"):
        return SqliteJobStore(folder / url.removeprefix("sqlite:///"))
    from pointsman.store.jobs.redis import RedisJobStore  # the extra need not be there

    return RedisJobStore(url)
