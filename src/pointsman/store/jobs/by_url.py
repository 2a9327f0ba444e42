"""A URL → the store of jobs that it names."""

from __future__ import annotations

from pathlib import Path, PurePath

from pointsman.domain.said import Said, said
from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.redis_url import read_url
from pointsman.store.jobs.sqlite import SqliteJobStore

_REDIS = ("redis", "rediss", "unix", "redis+cluster", "rediss+cluster")
_SQLITE = "sqlite:///"
_ON_A_SERVER = "redis://host:6379/0, rediss://…, unix:///path.sock, redis+cluster://host:7000,host:7001"
_VALID = f"sqlite:///file.sqlite, {_ON_A_SERVER}"


def check_url(url: str) -> None:
    """Raises ValueError for one that names no store, in both languages and with what is valid. No server is asked."""
    kind = url.partition(":")[0]
    if kind == "sqlite":
        _check_file(url)
    elif kind in _REDIS:
        try:
            read_url(url)
        except ValueError as error:
            raise ValueError(said(*_WRONG_SERVER, why=error.args[0], valid=_ON_A_SERVER)) from None
    elif not url:
        raise ValueError(said(*_NONE, valid=_VALID))
    else:
        raise ValueError(said(*_UNKNOWN, kind=kind[:40], valid=_VALID))


def _check_file(url: str) -> None:
    path = url.removeprefix(_SQLITE)
    if path == url or path.strip("/") in ("", ".") or path.endswith("/"):
        raise ValueError(said(*_WRONG_FILE, why=_NO_FILE))
    if not path.isprintable() or "?" in path or "#" in path:
        raise ValueError(said(*_WRONG_FILE, why=_NO_OPTIONS))
    if not path.startswith("/") and ".." in PurePath(path).parts:
        raise ValueError(said(*_WRONG_FILE, why=_OUTSIDE))


def open_url(url: str, folder: Path) -> JobStore:
    """A file's path is taken from `folder`. Raises StoreError, ValueError, and ImportError where an extra is missing."""
    check_url(url)
    if url.startswith(_SQLITE):
        return SqliteJobStore(folder / url.removeprefix(_SQLITE))
    from pointsman.store.jobs.redis import RedisJobStore  # the extra need not be there

    return RedisJobStore(url)


_UNKNOWN = (
    "no store of jobs is called {kind!r} (valid: {valid})",
    "没有名为 {kind!r} 的任务存储（合法取值：{valid}）",
)
_NONE = ("the store's URL is empty (valid: {valid})", "存储的 URL 是空的（合法取值：{valid}）")
_WRONG_SERVER = ("{why}; such a store is {valid}", "{why}；这类存储的写法：{valid}")
_WRONG_FILE = (
    "{why} (valid: sqlite:///file.sqlite in the data folder, sqlite:////path/file.sqlite anywhere)",
    "{why}（合法取值：sqlite:///file.sqlite 在数据目录内，sqlite:////path/file.sqlite 在任意位置）",
)
_NO_FILE = Said(
    "three slashes and a file in the data folder, or four and a whole path",
    "应为三个斜杠加数据目录内的文件名，或四个斜杠加完整路径",
)
_NO_OPTIONS = Said(
    "the name of a file, without options: no ?, # or control characters",
    "应为文件名，不带选项：不能有 ?、# 和控制字符",
)
_OUTSIDE = Said("with three slashes the file lies in the data folder: no ..", "三个斜杠表示数据目录内的文件：不能有 ..")
