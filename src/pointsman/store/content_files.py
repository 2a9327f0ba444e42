"""What was asked lies beside the log, in files of its own: a byte appended to a file is written once, one in the database
three times. What is small stays in the database, as cheap there."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
import zlib
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from pointsman.store.owner import is_alive

_FORM = "contents-{}-{}"
_NAMES = re.compile(r"contents-([0-9a-f]+)-[0-9]+")
_PLACE = re.compile(r"(contents-[0-9a-f]+-[0-9]+) ([0-9]+) ([0-9]+)(?: ([0-9]+))?")
_FLAGS = os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_SMALL = 8192  # bytes that stay in the database
_LARGE = 64 << 20  # bytes of a file, after which another one begins
_DAY = 86_400.0  # seconds after which another one begins, too, so that old ones go
_UNSYNCED = 4 << 20  # bytes, and
_AT_RISK = 1.0  # seconds, that a power cut may take
_BLOCK = 1 << 16
_ZEROS = bytes(_BLOCK)
_MOST = 512  # pieces that are written at once

Piece = bytes | memoryview
Kept = bytes | str | None
"""As the database has contents: themselves, or where they lie (file, offset, length, and CRC-32 where no seal tells whether
they are whole), or that there are none."""


class ContentFiles:
    """The files in `folder` that the process named `owner` appends to, one at a time. What `put` was given counts once
    `done` was called; `undo` takes it back."""

    def __init__(self, folder: Path, owner: str) -> None:
        self._folder = folder
        self._owner = owner
        self._number = 0
        self._handle: int | None = None
        self._path = folder
        self._end = self._size = 0  # of what counts, and with what does not yet
        self._unsynced = 0
        self._begun = self._synced = 0.0

    def put(self, pieces: Sequence[Piece] | None, *, sealed: bool) -> Kept:
        """What the database is to keep of them, which belong one after the other. Raises OSError."""
        if pieces is None:
            return None
        size = sum(map(len, pieces))
        if size < _SMALL:
            return b"".join(pieces)
        handle = self._file()
        place = f"{self._path.name} {self._size} {size}"
        for first in range(0, len(pieces), _MOST):
            self._write(handle, pieces[first : first + _MOST])
        return place if sealed else f"{place} {_check(pieces)}"

    def done(self) -> None:
        """Now and then waits for the disk. Raises OSError."""
        if self._handle is None:
            return
        self._unsynced += self._size - self._end
        self._end = self._size
        now = time.monotonic()
        if self._unsynced >= _UNSYNCED or (self._unsynced and now - self._synced >= _AT_RISK):
            self._unsynced, self._synced = 0, now
            _sync(self._handle)

    def undo(self) -> None:
        if self._handle is not None and self._size > self._end:
            try:
                os.ftruncate(self._handle, self._end)
                self._size = self._end
            except OSError:
                self.close()

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def wipe(self, kept: Iterable[Kept]) -> None:
        """Overwrites those that lie in files, which stay as old as they were. Raises OSError."""
        places = sorted(one for one in kept if isinstance(one, str))
        for name, ones in groupby(places, lambda place: place.partition(" ")[0]):
            if not _NAMES.fullmatch(name):
                continue
            path = self._folder / name
            with contextlib.suppress(FileNotFoundError), path.open("r+b", buffering=0) as file:
                before = os.fstat(file.fileno())
                for one in ones:
                    if place := _PLACE.fullmatch(one):
                        _overwrite(file.fileno(), int(place[2]), min(int(place[2]) + int(place[3]), before.st_size))
                _sync(file.fileno())
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def clear(self, before: float) -> None:
        """Removes files to which nothing was added since `before` (seconds since the epoch), of this process and of those
        that are dead. What the log still has of them lies there no more."""
        for path in self._folder.glob(_FORM.format("*", "*")):
            named = _NAMES.fullmatch(path.name)
            with contextlib.suppress(OSError):
                if named is None or path.stat().st_mtime >= before:
                    continue
                if named[1] == self._owner:
                    if path == self._path:
                        self.close()
                elif is_alive(self._folder, named[1]):
                    continue
                with path.open("r+b", buffering=0) as file:
                    _overwrite(file.fileno(), 0, os.fstat(file.fileno()).st_size)
                    _sync(file.fileno())
                path.unlink()

    def _file(self) -> int:
        """The one to append to. Raises OSError."""
        now = time.monotonic()
        if self._handle is not None and self._size < _LARGE and now - self._begun < _DAY and self._path.exists():
            return self._handle
        if self._handle is not None:
            _sync(self._handle)
            self.close()
        self._number += 1
        self._path = self._folder / _FORM.format(self._owner, self._number)
        self._handle = handle = os.open(self._path, os.O_WRONLY | _FLAGS, 0o600)
        self._end = self._size = os.fstat(handle).st_size
        self._begun = self._synced = now
        self._unsynced = 0
        return handle

    def _write(self, handle: int, pieces: Sequence[Piece]) -> None:
        if sys.platform != "win32":
            written = os.writev(handle, pieces)
            self._size += written
            if written == sum(map(len, pieces)):
                return
            pieces = [memoryview(b"".join(pieces))[written:]]  # the disk is full, and the next one says so
        for piece in pieces:
            left = memoryview(piece)
            while left:
                written = os.write(handle, left)
                self._size += written
                left = left[written:]


def found(folder: Path, kept: Kept) -> bytes | None:
    """Contents; None where none are kept, or they are no more: a power cut took them, or their time is over."""
    if not isinstance(kept, str):
        return kept
    place = _PLACE.fullmatch(kept)
    if place is None:
        return None
    try:
        with (folder / place[1]).open("rb", buffering=0) as file:
            file.seek(int(place[2]))
            data = file.read(int(place[3]))
    except OSError:
        return None
    whole = len(data) == int(place[3]) and (place[4] is None or zlib.crc32(data) == int(place[4]))
    return data if whole else None


def _check(pieces: Iterable[Piece]) -> int:
    check = 0
    for piece in pieces:
        check = zlib.crc32(piece, check)
    return check


def _sync(handle: int) -> None:
    """Raises OSError."""
    getattr(os, "fdatasync", os.fsync)(handle)


def _overwrite(handle: int, start: int, end: int) -> None:
    """With zeros, where there is anything else."""
    while start < end:
        size = min(_BLOCK, end - start)
        os.lseek(handle, start, os.SEEK_SET)
        block = os.read(handle, size)
        if block.count(0) != len(block):
            os.lseek(handle, start, os.SEEK_SET)
            size = os.write(handle, _ZEROS[:size])
        start += size
