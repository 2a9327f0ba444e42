"""Whether the file of jobs still lies where it was opened. SQLite goes on with one that was removed: what it writes there is
gone at the next start."""

from __future__ import annotations

from pathlib import Path

from pointsman.domain.said import said
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.sqlite_file import unable


class Place:
    """The file and its write-ahead log, which stays the same as long as a connection is open. Made right after that was
    opened."""

    def __init__(self, path: Path) -> None:
        self._path = path
        files = (path, Path(f"{path}-wal"))
        self._found = [(file, identity) for file in files if (identity := _identity(file)) is not None]

    def check(self) -> None:
        """Raises StoreError where one of them is not there, or another is in its place. Costs two looks at the folder."""
        try:
            for file, identity in self._found:
                if _identity(file) != identity:
                    raise StoreError(said(*_GONE, path=file))
        except OSError as error:
            raise unable(self._path, error) from error


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


_GONE = (
    "{path} was removed or replaced while jobs were kept in it; put the very file back (move it, do not copy it), or "
    "start the gateway and its workers anew, with whatever file lies there then",
    "{path} 在使用中被删除或替换；请把原来的文件移回原处（移动，不要复制），或者重新启动网关和工作进程，届时使用那里的文件",
)
