"""SHA-256 of large files, remembered for as long as a file is the same.

The same is: device, inode, size, and both times of change (the inode's own, too: whoever writes into a file and sets its
date back is seen). The memory is one small JSON file; whoever loses a race for it computes again, and nothing else."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from pointsman.domain.said import Said, said

PIECE = 4 << 20
MOST = 4096  # files that are remembered; the memory stays under 1 MB
_TICK = 0.02  # seconds: what changes within one tick of the kernel's clock may keep its date
_MAX_MEMORY = 8 << 20
_LINE = re.compile(rb"\s*([0-9a-fA-F]{64})(?:\s|$)")


class Changed(Exception):
    """The file was written to while it was read: there is no hash of it. `said` is one sentence."""

    def __init__(self, path: Path) -> None:
        self.said = said("{path} changed while it was read", "读取时 {path} 被改动了", path=path)
        super().__init__(str(self.said))


class FileHash(msgspec.Struct, frozen=True):
    """`sha256` in 64 small hexadecimal digits, of `size` bytes; `kept` where it was remembered and no byte was read."""

    sha256: str
    size: int
    kept: bool = False


def memory_of(data_dir: Path) -> Path:
    """Where a gateway with this data folder remembers hashes."""
    return data_dir / "models" / "hashes.json"


def hash_file(path: str | Path, memory: Path | None = None, tell: Callable[[int, int], None] | None = None) -> FileHash:
    """Blocking: 0.5 to 2 s a GB where nothing is remembered in the file `memory`. `tell` hears of bytes done and bytes in
    all, and what it raises ends the work. A memory that cannot be read or written is as none. Raises Changed, OSError."""
    path = Path(path)
    with open(path, "rb", buffering=0, opener=_opener) as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise OSError(None, Said("not a regular file", "不是普通文件"), str(path))
        name = _name(about)
        known = _read(memory).get(name) if memory is not None else None
        if known is not None:
            return FileHash(known, about.st_size, kept=True)
        if 0 <= time.time() - about.st_ctime < _TICK:
            time.sleep(_TICK)
        found = _digest(file.readinto, about.st_size, tell)
        if _name(os.fstat(file.fileno())) != name:
            raise Changed(path)
    if memory is not None:
        _remember(memory, name, found)
    return FileHash(found, about.st_size)


def keep_hash(path: Path, memory: Path, sha256: str) -> None:
    """Remembers what the file is known to have. Raises OSError where it is not there."""
    _remember(memory, _name(path.stat()), sha256)


def known_hash(path: Path, memory: Path) -> str | None:
    """What is remembered of the file as it is now; computes nothing. None where nothing is, or the file is not there."""
    try:
        return _read(memory).get(_name(path.stat()))
    except OSError:
        return None


def expected_hash(path: Path) -> str | None:
    """What `NAME.sha256` beside the file says it should have, in the form of `sha256sum`; None where nothing does."""
    try:
        with path.with_name(path.name + ".sha256").open("rb") as file:
            told = _LINE.match(file.read(4096))
    except OSError:
        return None
    return told[1].decode().lower() if told else None


def write_expected(path: Path, sha256: str) -> None:
    """The file beside it from which `expected_hash`, and `sha256sum --check`, know what it should have. Raises OSError."""
    path.with_name(path.name + ".sha256").write_text(f"{sha256}  {path.name}\n", encoding="utf-8")


def _digest(readinto: Callable[[memoryview], int | None], size: int, tell: Callable[[int, int], None] | None) -> str:
    digest, window, done = hashlib.sha256(), memoryview(bytearray(PIECE)), 0
    while count := readinto(window):
        digest.update(window[:count])
        done += count
        if tell is not None:
            tell(done, size)
    return digest.hexdigest()


def _opener(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a FIFO is refused, and not waited for


def _name(about: os.stat_result) -> str:
    return ":".join(
        str(part) for part in (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
    )


def _read(memory: Path) -> dict[str, str]:
    try:
        with memory.open("rb") as file:
            return msgspec.json.decode(file.read(_MAX_MEMORY), type=dict[str, str])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


def _remember(memory: Path, name: str, found: str) -> None:
    kept = _read(memory)
    kept.pop(name, None)
    entries = [*kept.items(), (name, found)][-MOST:]
    with contextlib.suppress(OSError):
        for folder in (memory.parent.parent, memory.parent):  # of the data folder: its owner's alone
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, new = tempfile.mkstemp(dir=memory.parent, prefix=".hashes")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(dict(entries)), indent=1))
            Path(new).replace(memory)
        except OSError:
            Path(new).unlink()
            raise
