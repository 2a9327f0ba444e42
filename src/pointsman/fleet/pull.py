"""Fetching a model's file: it appears under its name once it is whole, and what broke off goes on where it did.

What has come lies in `NAME.part`, and `NAME.part.json` says of what it is the beginning. A part goes on only where the
server vouches that the rest is of the same content."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from pointsman.config.others_words import why
from pointsman.domain.said import Said, said
from pointsman.fleet.file_hash import hash_file, keep_hash, write_expected
from pointsman.fleet.model_check import BadModel, check_file, no_model
from pointsman.fleet.pull_sources import Opened, PullFailed, Source
from pointsman.memory.sizes import shown

if sys.platform != "win32":
    import fcntl

ENDINGS = (".gguf", ".safetensors")
PIECE = 1 << 20
TRIES = 6  # in a row without a single byte
KEEP_FREE = 256 << 20  # bytes of the disk that are left alone
_HEAD = 64

Tell = Callable[[str, int, int | None], None]
"""Hears what is going on (`fetch`, `hash`), bytes done, and bytes in all."""


class Pulled(msgspec.Struct, frozen=True):
    """`begun`: bytes that were there from before; `fetched` those that came now. Both 0: it was there already."""

    path: Path
    size: int
    sha256: str
    begun: int
    fetched: int


class _Note(msgspec.Struct, frozen=True):
    """What a part is the beginning of."""

    place: str
    mark: str | None
    total: int | None


def pull(
    source: Source,
    folder: Path,
    tell: Tell,
    *,
    sha256: str | None = None,
    memory: Path | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Pulled:
    """Blocking, as long as it takes; `sha256` is what the file must have, `memory` where hashes are remembered. Raises
    PullFailed; what has come by then is kept where it can go on, and only there. Raises BadModel where all has come and is
    no model."""
    target = folder / source.name
    if target.suffix not in ENDINGS or source.name in ENDINGS:
        raise PullFailed(
            said(
                "{name} is no model's file (valid: a name ending in {valid})",
                "{name} 不是模型文件（合法取值：以 {valid} 结尾的名字）",
                name=source.name or source.shown,
                valid=", ".join(ENDINGS),
            )
        )
    try:
        if target.exists():
            return _there_already(target, sha256, memory, tell)
        folder.mkdir(parents=True, exist_ok=True)
        with _Part(target) as part:
            told = _fetch(source, part, tell, sleep)
            return _published(part, sha256 or told, memory, tell)
    except OSError as error:
        place = error.filename or target
        raise PullFailed(said("{path}: {why}", "{path}：{why}", path=place, why=why(error))) from None


class _Part:
    """The beginning of a file, this process's alone. Bytes are appended; `begun` were there from before."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._beside = target.with_name(target.name + ".part.json")
        self._file = self.path.open("ab")
        if not _alone(self._file):
            self._file.close()
            raise PullFailed(
                said("{name} is being fetched by another process", "另一个进程正在下载 {name}", name=target.name)
            )
        self.note = self._read_note()
        self.begun = self.size = self._file.seek(0, os.SEEK_END)

    def __enter__(self) -> _Part:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if not self.size:
            self.discard()

    def become(self, note: _Note, start: int) -> None:
        """What comes now stands at byte `start` of that."""
        if start != self.size:
            self.clear()
        if note != self.note:
            self._beside.write_bytes(msgspec.json.encode(note))
            self.note = note

    def clear(self) -> None:
        self._file.truncate(0)
        self.begun = self.size = 0

    def append(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)

    def flush(self) -> None:
        self._file.flush()

    def publish(self) -> None:
        """Under its own name, on the disk for good."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self.path.replace(self.target)
        self._beside.unlink(missing_ok=True)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._beside.unlink(missing_ok=True)

    def _read_note(self) -> _Note | None:
        try:
            return msgspec.json.decode(self._beside.read_bytes(), type=_Note)
        except (OSError, msgspec.DecodeError):
            return None


def _alone(file: BinaryIO) -> bool:
    if sys.platform == "win32":
        return True  # nothing there can be appended to by two
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _fetch(source: Source, part: _Part, tell: Tell, sleep: Callable[[float], None]) -> str | None:
    """All of it is in the part. Returns the hash that the source names, if it does."""
    if part.note is None or part.note.place != source.shown or part.note.mark is None:
        part.clear()
    told, failed = None, 0
    while True:
        before = part.size
        try:
            mark = part.note.mark if part.note is not None and part.size else None
            opened = source.open(part.size, mark)
            told = opened.sha256 or told
            try:
                _take(source, opened, part, tell)
            finally:
                opened.close()
                part.flush()
            if opened.total is None or part.size >= opened.total:
                return told
            broken = PullFailed(said("{place} broke off", "{place} 中断了", place=source.shown), again=True)
        except PullFailed as error:
            broken = error
        failed = 0 if part.size > before else failed + 1
        if not broken.again or failed >= TRIES:
            raise broken
        sleep(min(0.5 * 2**failed, 30.0))


def _take(source: Source, opened: Opened, part: _Part, tell: Tell) -> None:
    if opened.start not in (0, part.size):
        raise PullFailed(said("{place} sends another part", "{place} 发来的是另一部分", place=source.shown))
    part.become(_Note(source.shown, opened.mark, opened.total), opened.start)
    _check_room(part, opened.total)
    tell("fetch", part.size, opened.total)
    head = b""
    while len(head) < _HEAD and not part.size and (data := opened.read(_HEAD - len(head))):
        head += data
    if head and opened.total is not None and len(head) < min(_HEAD, opened.total):
        return  # too little to tell, and to keep
    if head:
        _check_head(source, part, head)
        part.append(head)
    while data := opened.read(PIECE):
        part.append(data)
        tell("fetch", part.size, opened.total)


def _check_room(part: _Part, total: int | None) -> None:
    free = shutil.disk_usage(part.target.parent).free
    missing = (total or 0) - part.size + KEEP_FREE - free
    if missing > 0:
        raise PullFailed(
            said(
                "no room for {name} in {folder}: {missing} are missing ({free} free, {keep} stay free)",
                "{folder} 放不下 {name}：还差 {missing}（空闲 {free}，其中 {keep} 保留不用）",
                name=part.target.name,
                folder=part.target.parent,
                missing=shown(missing),
                free=shown(free),
                keep=shown(KEEP_FREE),
            )
        )


def _check_head(source: Source, part: _Part, head: bytes) -> None:
    """Before gigabytes come: is it a model at all."""
    what = no_model(head)
    if what is None and part.target.suffix == ".gguf" and not head.startswith(b"GGUF"):
        what = said("something that does not begin as a GGUF file", "开头不是 GGUF 的文件")
    if what is not None:
        raise PullFailed(
            said("{place} is no model but {what}", "{place} 不是模型，而是{what}", place=source.shown, what=what)
        )


def _published(part: _Part, sha256: str | None, memory: Path | None, tell: Tell) -> Pulled:
    try:
        check_file(part.path, part.target.suffix)
    except BadModel:
        part.discard()
        raise
    found = hash_file(part.path, None, lambda done, size: tell("hash", done, size)).sha256
    if sha256 is not None and found != sha256.lower():
        part.discard()
        raise PullFailed(_differs(part.target, found, sha256))
    part.publish()
    if memory is not None:
        keep_hash(part.target, memory, found)
    write_expected(part.target, found)
    return Pulled(part.target, part.size, found, part.begun, part.size - part.begun)


def _there_already(target: Path, sha256: str | None, memory: Path | None, tell: Tell) -> Pulled:
    """Raises BadModel where it is damaged, PullFailed where it is another."""
    checked = check_file(target)
    found = hash_file(target, memory, lambda done, size: tell("hash", done, size)).sha256
    if sha256 is not None and found != sha256.lower():
        raise PullFailed(_differs(target, found, sha256))
    return Pulled(target, checked.size, found, 0, 0)


def _differs(target: Path, found: str, wanted: str) -> Said:
    return said(
        "{name} has SHA-256 {found}, and should have {wanted}",
        "{name} 的 SHA-256 是 {found}，应当是 {wanted}",
        name=target,
        found=found,
        wanted=wanted.lower(),
    )
