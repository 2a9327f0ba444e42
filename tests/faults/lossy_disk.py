"""A disk under SQLite that remembers what was written to it and what was synced, and what it may hold after its power was
cut at any moment."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import apsw
import msgspec

SECTOR = 512  # bytes that are written whole or not at all
_NUMBERS = itertools.count(1)
_REGISTERED: list[RecordingDisk] = []

Kind = Literal["write", "truncate", "delete", "sync", "sync_folder", "told"]


class Event(msgspec.Struct, frozen=True):
    """`at` is an offset or a size in bytes; `told` is what somebody was told in that moment."""

    kind: Kind
    file: str = ""
    at: int = 0
    data: bytes = b""
    told: Any = None


class RecordingDisk(apsw.VFS):
    """Registered under `name`. `events` are in the order in which they happened, by whichever thread."""

    def __init__(self) -> None:
        self.name = f"recording-{next(_NUMBERS)}"
        self.events: list[Event] = []
        super().__init__(self.name, "")
        _REGISTERED.append(self)

    def tell(self, what: Any) -> None:
        self.events.append(Event("told", told=what))

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        return _File(self, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:
        self.events.append(Event("delete", Path(name).name))
        super().xDelete(name, sync)
        if sync:
            self.events.append(Event("sync_folder"))


class _File(apsw.VFSFile):
    def __init__(self, disk: RecordingDisk, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        self._disk = disk
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._name = Path(path or "temporary").name
        new = not Path(path or "").exists()
        super().__init__("", name, flags)
        self._new = new and bool(flags[0] & (apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL))

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._disk.events.append(Event("write", self._name, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:
        super().xTruncate(size)
        self._disk.events.append(Event("truncate", self._name, size))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._disk.events.append(Event("sync", self._name))
        if self._new:  # SQLite syncs the folder with the first sync of such a file
            self._new = False
            self._disk.events.append(Event("sync_folder"))


class _Held:
    """A file: what is surely on the disk, and what is on its way."""

    def __init__(self) -> None:
        self.there = False
        self.content = bytearray()
        self.coming: list[Event] = []

    def sync(self) -> None:
        for event in self.coming:
            self.take(event)
        self.coming.clear()

    def sync_folder(self) -> None:
        """What was removed is gone for good."""
        while any(event.kind == "delete" for event in self.coming):
            self.take(self.coming.pop(0))

    def take(self, event: Event) -> None:
        self.there = event.kind != "delete"
        if event.kind == "write":
            missing = event.at + len(event.data) - len(self.content)
            self.content.extend(bytes(max(missing, 0)))
            self.content[event.at : event.at + len(event.data)] = event.data
        elif event.kind == "truncate":
            del self.content[event.at :]
        else:
            self.content.clear()

    def with_some_of(self, coming: Sequence[Event]) -> _Held:
        other = _Held()
        other.there, other.content = self.there, bytearray(self.content)
        for event in coming:
            other.take(event)
        return other


Loss = Callable[[Sequence[Event]], list[Event]]
"""What comes through of that which is on its way to one file."""


def nothing_lost(coming: Sequence[Event]) -> list[Event]:
    return list(coming)


def all_lost(coming: Sequence[Event]) -> list[Event]:
    return []


def torn(seed: int) -> Loss:
    """Any of them, in any order where they do not overlap, and of each any sectors."""
    chance = random.Random(seed)

    def some(coming: Sequence[Event]) -> list[Event]:
        left: list[Event] = []
        for event in coming:
            if chance.random() < 0.4:
                continue
            if event.kind == "write" and chance.random() < 0.5:
                left += [sector for sector in _sectors(event) if chance.random() < 0.6]
            else:
                left.append(event)
        return left

    return some


def _sectors(event: Event) -> Iterator[Event]:
    start = event.at
    end = event.at + len(event.data)
    while start < end:
        stop = min((start // SECTOR + 1) * SECTOR, end)
        yield Event("write", event.file, start, event.data[start - event.at : stop - event.at])
        start = stop


class Cut(msgspec.Struct, frozen=True):
    """The power is cut after so many events. `files` is what the disk holds then, `told` the last told of each key."""

    events: int
    files: dict[str, bytes]
    told: dict[str, int]

    def lay(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)


def cuts(events: Sequence[Event], losses: Sequence[Loss], at: Callable[[Event], bool]) -> Iterator[Cut]:
    """Before each event of that kind, and after the last, with each kind of loss. What was told is a pair (key, number)."""
    disk: dict[str, _Held] = {}
    told: dict[str, int] = {}
    for number, event in enumerate([*events, Event("told")]):
        if at(event):
            for loss in losses:
                files = {name: held.with_some_of(loss(held.coming)) for name, held in disk.items()}
                yield Cut(number, {name: bytes(held.content) for name, held in files.items() if held.there}, dict(told))
        if event.kind == "told":
            if event.told is not None:
                told[event.told[0]] = event.told[1]
        elif event.kind == "sync_folder":
            for held in disk.values():
                held.sync_folder()
        elif event.kind == "sync":
            disk.setdefault(event.file, _Held()).sync()
        else:
            disk.setdefault(event.file, _Held()).coming.append(event)
