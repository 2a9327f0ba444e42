"""`store` of the config → where jobs are kept; what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.hosts import read_hosts
from pointsman.domain.said import Said, said
from pointsman.outbound.signing import key_of
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.store.jobs.sqlite import SqliteJobStore

NAME = "jobs.sqlite"
_REDIS = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
VALID = "sqlite:///file.sqlite, redis://host:6379/0, rediss://…, unix:///path.sock, redis+cluster://host:7000,host:7001"


def wrong_jobs(config: Config) -> list[Problem]:
    """What is wrong in `store` and `jobs`, of itself."""
    problems = []
    for place, check in (
        ("store", lambda: _check_url(config.store)),
        ("jobs.webhook_hosts", lambda: read_hosts(config.jobs.webhook_hosts)),
        ("jobs.webhook_secret", lambda: key_of(config.jobs.webhook_secret or "none")),
    ):
        try:
            check()
        except ValueError as error:
            problems.append(Problem(place, error.args[0], valid=VALID if place == "store" else None))
    return problems


def _check_url(url: str | None) -> None:
    if url is None:
        return
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


def open_store(config: Config) -> JobStore:
    """The data folder is there. Raises Problem where it cannot be used."""
    url = config.store or f"sqlite:///{NAME}"
    try:
        if url.startswith("sqlite:"):
            return SqliteJobStore(data_dir(config) / Path(url.removeprefix("sqlite:///")))
        from pointsman.store.jobs.redis import RedisJobStore  # the extra need not be there

        return RedisJobStore(url)
    except (StoreError, ValueError, ImportError) as error:
        raise Problem("store", error.args[0]) from None
