"""The keys of a folder: the one that seals, and those that it followed, which open what they sealed.

`log.key` is replaced in one step, after what it was has been kept as `log.key-SECONDS` (when it was retired, since the
epoch): whenever a rotation breaks off, what was sealed opens."""

from __future__ import annotations

import contextlib
import os
import re
import time
from pathlib import Path

KEY = "log.key"
SIZE = 32
_FRESH = "log.key.new"
_RETIRED = re.compile(r"log\.key-([0-9]+)")


def older_in(folder: Path) -> list[bytes]:
    """The keys that were followed by others, the last one first; files that hold none are passed over."""
    found: list[bytes] = []
    for path in sorted(_retired(folder), key=_since, reverse=True):
        with contextlib.suppress(OSError):
            key = path.read_bytes()
            if len(key) == SIZE:
                found.append(key)
    return found


def rotate(folder: Path) -> None:
    """A new key seals from now on. Inside `alone_in`. Raises OSError (FileNotFoundError: there is no key)."""
    key = (folder / KEY).read_bytes()
    now = int(time.time())
    while (retired := folder / f"{KEY}-{now}").exists():
        now += 1
    _write(folder / _FRESH, key)
    (folder / _FRESH).rename(retired)
    _write(folder / _FRESH, os.urandom(SIZE))
    (folder / _FRESH).replace(folder / KEY)
    _sync(folder)


def forget_older(folder: Path, before: float) -> int:
    """Overwrites and removes keys that were retired before that (seconds since the epoch). How many. Raises OSError."""
    gone = [path for path in _retired(folder) if _since(path) < before]
    for path in gone:
        with path.open("r+b", buffering=0) as file:
            file.write(bytes(SIZE))
            os.fsync(file.fileno())
        path.unlink()
    return len(gone)


def _retired(folder: Path) -> list[Path]:
    return [path for path in folder.glob(f"{KEY}-*") if _RETIRED.fullmatch(path.name)]


def _since(path: Path) -> int:
    named = _RETIRED.fullmatch(path.name)
    return int(named[1]) if named else 0


def _write(path: Path, key: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):  # of a rotation that broke off
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    with contextlib.suppress(OSError):  # a system that opens no folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
