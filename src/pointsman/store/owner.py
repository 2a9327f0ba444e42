"""Which processes that write into a folder are alive, told by locks that end with them."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_FORM = "writer-{}.lock"


class Owner:
    """This process, as those that share the folder see it: alive from `claim` until `release`, or until it dies. Where the
    system knows no such locks, the file alone says that it lives."""

    def __init__(self, folder: Path) -> None:
        self.name = secrets.token_hex(8)
        self._path = folder / _FORM.format(self.name)
        self._handle: int | None = None

    def claim(self) -> None:
        """Again where its file was removed. Raises OSError."""
        if self._handle is not None:
            if self._path.exists():
                return
            os.close(self._handle)
            self._handle = None
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if sys.platform != "win32":
            with contextlib.suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_EX)

    def release(self) -> None:
        if self._handle is None:
            return
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._handle)
        self._handle = None


def is_alive(folder: Path, name: str) -> bool:
    """Whether the process with that name lives."""
    try:
        handle = os.open(folder / _FORM.format(name), os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:  # not ours to read
        return True
    try:
        if sys.platform != "win32":
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # several may ask at once
            except OSError:
                return True
            return False
        return True
    finally:
        os.close(handle)


def bury(folder: Path, own: str) -> None:
    """Removes the files of those that are dead. Call it inside `alone_in`, so that nobody is about to begin."""
    kept = folder / _FORM.format(own)
    for path in folder.glob(_FORM.format("*")):
        name = path.name.removeprefix("writer-").removesuffix(".lock")
        if path != kept and not is_alive(folder, name):
            with contextlib.suppress(OSError):
                path.unlink()
