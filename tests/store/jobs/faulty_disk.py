"""A disk under SQLite that can be full, fail to sync, and counts what it is given."""

from __future__ import annotations

import itertools

import apsw

_NUMBERS = itertools.count(1)


class FaultyDisk(apsw.VFS):
    """Registered under `name`. `full`: writing fails as it does on a full disk; `broken`: syncing fails."""

    def __init__(self) -> None:
        self.name = f"faulty-{next(_NUMBERS)}"
        self.full = False
        self.broken = False
        self.syncs = 0
        self.written = 0
        super().__init__(self.name, "")

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, disk: FaultyDisk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        self._disk = disk
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self._disk.full:
            raise apsw.FullError("no room")
        self._disk.written += len(data)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        if self._disk.broken:
            raise apsw.IOError("no sync")
        self._disk.syncs += 1
        super().xSync(flags)
