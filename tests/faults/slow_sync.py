"""A disk under SQLite that takes its time to sync, so that whoever answers too early is seen to."""

from __future__ import annotations

import itertools
import time

import apsw

from faults.strikes import Strikes

_SLOW = 0.1  # seconds
_NUMBERS = itertools.count(1)
_REGISTERED: list[SlowSync] = []
"""SQLite knows them as long as somebody does."""


class SlowSync(apsw.VFS):
    """Strikes `sync` are around each sync of a write-ahead log: before it, the disk is slow, and nothing of what is to be
    synced has been written to the log yet."""

    def __init__(self, strikes: Strikes) -> None:
        self.name = f"slow-{next(_NUMBERS)}"
        self.strikes = strikes
        super().__init__(self.name, "")
        _REGISTERED.append(self)

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, disk: SlowSync, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        self._writes: list[tuple[bytes, int]] = []

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._log:
            self._writes.append((data, offset))
        else:
            super().xWrite(data, offset)

    def xRead(self, amount: int, offset: int) -> bytes:
        self._flush()
        return super().xRead(amount, offset)

    def xFileSize(self) -> int:
        self._flush()
        return super().xFileSize()

    def xTruncate(self, size: int) -> None:
        self._flush()
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:
        if self._log and self._writes:
            time.sleep(_SLOW)
            self._disk.strikes.due("before", "sync")
            self._flush()
            super().xSync(flags)
            self._disk.strikes.due("after", "sync")
        else:
            super().xSync(flags)

    def _flush(self) -> None:
        for data, offset in self._writes:
            super().xWrite(data, offset)
        self._writes.clear()
