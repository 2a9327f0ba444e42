"""Stored files in a folder: written beside their place, made durable, and put there by a link, which only one can make."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import BinaryIO

from pointsman.config.others_words import why
from pointsman.domain.said import said
from pointsman.ports.file_store import FileStoreError, Stored
from pointsman.store.files.keys import checked, folder_of, is_key

if sys.platform != "win32":
    import fcntl

PIECE = 1 << 20  # bytes
ORPHANS = 86_400.0
"""Seconds after which what a killed process left half done is surely nobody's any more."""
_UNFINISHED = "~"  # no key begins so
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK}
_NONE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)


class LocalFiles:
    """A key is a path below `folder`, which is made when something is published; files and folders are their owner's
    alone. Any number of processes may use one folder, also over a network where the system there keeps links exclusive.

    What a process that was killed left half done has a name that is no key; `purge` removes it after a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def publish(self, key: str, content: bytes | Path) -> bool:
        """As the port has it. A path on the same file system is moved, another's is copied."""
        target = self._folder / checked(key)
        return await asyncio.to_thread(self._publish, key, target, content)

    async def stat(self, key: str) -> Stored | None:
        path = self._folder / checked(key)
        with _explained(key):
            return await asyncio.to_thread(_stored, key, path)

    async def read(self, key: str) -> bytes | None:
        path = self._folder / checked(key)
        with _explained(key):
            try:
                return await asyncio.to_thread(path.read_bytes)
            except _NONE:
                return None

    async def pieces(self, key: str) -> AsyncIterator[bytes]:
        path = self._folder / checked(key)
        with _explained(key):
            file = await _opened_for(path)
        if file is None:
            raise FileNotFoundError(key)
        with file:
            while True:
                with _explained(key):
                    piece = await asyncio.to_thread(file.read, PIECE)
                if not piece:
                    return
                yield piece

    async def delete(self, key: str) -> None:
        path = self._folder / checked(key)
        with _explained(key):
            await asyncio.to_thread(_removed, path)

    async def ls(self, prefix: str) -> list[Stored]:
        """Those below the prefix, a folder (empty: all), by key."""
        folder = folder_of(prefix)
        with _explained(folder):
            return await asyncio.to_thread(lambda: sorted(self._below(folder), key=lambda found: found.key))

    async def purge(self, prefix: str, before: float) -> int:
        folder = folder_of(prefix)
        with _explained(folder):
            return await asyncio.to_thread(self._purge, folder, before)

    async def close(self) -> None:
        """Nothing is open between calls."""

    def _publish(self, key: str, target: Path, content: bytes | Path) -> bool:
        try:
            with _explained(key):
                temporary = _staged(target.parent, content)
                try:
                    return _placed(temporary, target)
                finally:
                    temporary.unlink(missing_ok=True)
        finally:
            if isinstance(content, Path):
                with contextlib.suppress(OSError):
                    content.unlink(missing_ok=True)

    def _below(self, folder: str) -> Iterator[Stored]:
        root = self._folder / folder
        for place, _, names in os.walk(root):
            where = Path(place).relative_to(self._folder).as_posix()
            for name in names:
                key = name if where == "." else f"{where}/{name}"
                found = _stored(key, Path(place, name)) if is_key(key) else None
                if found is not None:
                    yield found

    def _purge(self, folder: str, before: float) -> int:
        removed = sum(_removed(self._folder / found.key) for found in self._below(folder) if found.changed < before)
        old = min(before, time.time() - ORPHANS)
        for place, _, names in os.walk(self._folder / folder, topdown=False):
            for name in names:
                path = Path(place, name)
                with contextlib.suppress(OSError):
                    if name.startswith(_UNFINISHED) and path.stat().st_mtime < old:
                        path.unlink()
            with contextlib.suppress(OSError):  # not empty, or somebody else was faster
                if Path(place) != self._folder and Path(place).stat().st_mtime < old:
                    Path(place).rmdir()
        return removed


@contextlib.contextmanager
def _explained(key: str) -> Iterator[None]:
    try:
        yield
    except FileStoreError:
        raise
    except OSError as error:
        en, zh = "the file {key} cannot be kept or read: {why}", "文件 {key} 无法存取：{why}"
        raise FileStoreError(said(en, zh, key=key or "/", why=why(error))) from error


def _stored(key: str, path: Path) -> Stored | None:
    try:
        status = path.stat()
    except _NONE:
        return None
    return Stored(key, status.st_size, status.st_mtime) if stat.S_ISREG(status.st_mode) else None


def _open(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except _NONE:
        return None


async def _opened_for(path: Path) -> BinaryIO | None:
    """Where the caller is cancelled meanwhile, what was opened is closed."""
    opening = asyncio.ensure_future(asyncio.to_thread(_open, path))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_closed)
        raise


def _closed(opening: asyncio.Future[BinaryIO | None]) -> None:
    if not opening.cancelled() and opening.exception() is None and (file := opening.result()) is not None:
        file.close()


def _removed(path: Path) -> bool:
    """Whether there was such a file."""
    if path.is_dir():
        return False
    try:
        path.unlink()
    except _NONE:
        return False
    return True


def _staged(folder: Path, content: bytes | Path) -> Path:
    """A file with that content in `folder`, durable, under a name that is no key."""
    for left in (2, 1, 0):
        _make(folder)
        temporary = folder / f"{_UNFINISHED}{secrets.token_hex(16)}"
        try:
            _fill(temporary, content)
        except BaseException as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            # an empty folder may be purged before anything lies in it
            if not left or not isinstance(error, FileNotFoundError) or folder.is_dir():
                raise
        else:
            return temporary
    raise AssertionError


def _fill(path: Path, content: bytes | Path) -> None:
    if isinstance(content, Path):
        try:
            content.replace(path)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with content.open("rb") as source, _opened(path, os.O_CREAT | os.O_EXCL) as file:
                shutil.copyfileobj(source, file, PIECE)
        else:
            path.chmod(0o600)
            os.utime(path)  # it counts from now on
            with _opened(path, 0):
                pass
    else:
        with _opened(path, os.O_CREAT | os.O_EXCL) as file:
            file.write(content)


@contextlib.contextmanager
def _opened(path: Path, flags: int) -> Iterator[BinaryIO]:
    """For writing; durable in the end."""
    with os.fdopen(os.open(path, os.O_WRONLY | getattr(os, "O_BINARY", 0) | flags, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _placed(temporary: Path, target: Path) -> bool:
    """Gives the file its name, for good. False: another file has it, for good too."""
    try:
        os.link(temporary, target)
        ours = True
    except FileExistsError:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target)) from None
        # a network may lose the answer to a link that was made, and ask again
        try:
            ours = os.path.samestat(temporary.stat(), target.stat())
        except FileNotFoundError:  # and theirs is gone already
            ours = False
    except OSError as error:
        if error.errno not in _NO_LINKS and sys.platform != "win32":
            raise
        ours = _renamed(temporary, target)
    _sync_folder(target.parent)
    return ours


def _renamed(temporary: Path, target: Path) -> bool:
    """The same where the file system knows no links (FAT): whoever renames has the folder for itself."""
    if sys.platform == "win32":
        try:
            temporary.rename(target)  # never in place of another there
        except FileExistsError:
            return False
        return True
    handle = os.open(target.parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if target.exists():
            return False
        temporary.rename(target)
        return True
    finally:
        os.close(handle)


def _make(folder: Path) -> None:
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        _sync_folder(each.parent)


def _sync_folder(folder: Path) -> None:
    """What was made in it stays after a power loss, where the file system can promise that of folders."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
