"""Stored files in a store that speaks S3: objects under their keys, and for large ones a pointer."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from pointsman.ports.file_store import Stored
from pointsman.store.files.keys import checked, folder_of, is_key
from pointsman.store.files.local import ORPHANS, PIECE
from pointsman.store.files.s3_objects import PART, S3Objects
from pointsman.store.files.s3_place import S3Place
from pointsman.store.files.s3_pointer import POINTER, Pointer, pointer_in
from pointsman.store.files.s3_words import explained

_DATA = "!large"  # no key begins so
_RANGE = 4 * PIECE
_AT_ONCE = 16  # requests
T = TypeVar("T")


class S3Files:
    """A key is an object below the place's prefix, which `PUT` with `If-None-Match: *` publishes: the server lets one of
    several through. One that ignores that header is found out by the first file and refused.

    An upload in parts is not conditional everywhere, so a large file goes up under a name of its own,
    `!large/KEY/RANDOM`, and a small object under the key points to it (`s3_pointer`). Whoever lists the bucket sees both;
    whoever reads through this class sees one file. A process that is killed in between leaves data to which nothing
    points; `purge` removes them after a day. Parts of an upload that was cut short are the bucket's own to remove: it
    wants a lifecycle rule for incomplete uploads.

    `key` and `secret` as in S3Objects; raises what that does."""

    def __init__(self, place: S3Place, key: str | None = None, secret: str | None = None) -> None:
        self._objects = S3Objects(place, key, secret, aside=_DATA)
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="s3-files")

    async def publish(self, key: str, content: bytes | Path) -> bool:
        return await self._done(checked(key), lambda: self._publish(key, content))

    async def stat(self, key: str) -> Stored | None:
        found = await self._done(checked(key), lambda: self._found(key))
        return found and found[0]

    async def read(self, key: str) -> bytes | None:
        return await self._done(checked(key), lambda: self._content(key))

    async def pieces(self, key: str) -> AsyncIterator[bytes]:
        found = await self._done(checked(key), lambda: self._found(key))
        if found is None:
            raise FileNotFoundError(key)
        stored, path = found
        for start in range(0, stored.size, _RANGE):
            end = min(start + _RANGE, stored.size)
            part = await self._done(key, partial(self._objects.part, path, start, end))
            if part is None:  # deleted since
                raise FileNotFoundError(key)
            for at in range(0, len(part), PIECE):
                yield part[at : at + PIECE]

    async def delete(self, key: str) -> None:
        await self._done(checked(key), lambda: self._delete(key))

    async def ls(self, prefix: str) -> list[Stored]:
        """Those below the prefix, a folder (empty: all), by key."""
        folder = folder_of(prefix)
        return await self._done(folder, lambda: sorted(self._below(folder), key=lambda stored: stored.key))

    async def purge(self, prefix: str, before: float) -> int:
        folder = folder_of(prefix)
        return await self._done(folder, lambda: self._purge(folder, before))

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _done(self, key: str, work: Callable[[], T]) -> T:
        def done() -> T:
            with explained(self._objects.name, key):
                return work()

        return await asyncio.get_running_loop().run_in_executor(self._threads, done)

    # In a thread

    def _publish(self, key: str, content: bytes | Path) -> bool:
        try:
            size = content.stat().st_size if isinstance(content, Path) else len(content)
            if size > PART:
                return self._publish_large(key, content, size)
            small = content.read_bytes() if isinstance(content, Path) else content
            if pointer_in(small) is not None:
                return self._publish_large(key, small, size)
            return self._objects.create(key, small)
        finally:
            if isinstance(content, Path):
                with contextlib.suppress(OSError):
                    content.unlink(missing_ok=True)

    def _publish_large(self, key: str, content: bytes | Path, size: int) -> bool:
        if self._objects.head(key) is not None:
            return False
        pointer = Pointer(secrets.token_hex(16), size)
        self._objects.upload(_data(key, pointer), content)
        ours = self._objects.create(key, pointer.encode())
        if not ours:
            self._objects.remove([_data(key, pointer)])
        return ours

    def _content(self, key: str) -> bytes | None:
        content = self._objects.get(key)
        pointer = None if content is None else pointer_in(content)
        return content if pointer is None else self._objects.get(_data(key, pointer))

    def _found(self, key: str) -> tuple[Stored, str] | None:
        """The file, and the object that holds its content."""
        stored = self._objects.head(key)
        return None if stored is None else self._behind(stored)

    def _behind(self, stored: Stored) -> tuple[Stored, str] | None:
        """The same for an object of that name and length. None: it was deleted since."""
        if stored.size != POINTER:
            return stored, stored.key
        content = self._objects.get(stored.key)
        if content is None:
            return None
        pointer = pointer_in(content)
        if pointer is None:
            return stored, stored.key
        return Stored(stored.key, pointer.size, stored.changed), _data(stored.key, pointer)

    def _below(self, folder: str) -> Iterator[Stored]:
        for batch in self._objects.ls(folder):
            for stored in batch:
                found = self._behind(stored) if is_key(stored.key) else None
                if found is not None:
                    yield found[0]

    def _delete(self, key: str) -> None:
        found = self._found(key)
        if found is not None:
            self._objects.remove([key])
            self._objects.remove([path for path in found[1:] if path != key])

    def _purge(self, folder: str, before: float) -> int:
        removed = 0
        for batch in self._objects.ls(folder):
            old = [stored for stored in batch if stored.changed < before and is_key(stored.key)]
            found = [self._behind(stored) for stored in old]
            self._objects.remove([stored.key for stored in old])
            self._objects.remove([each[1] for each in found if each is not None and each[1] != each[0].key])
            removed += len(old)
        self._purge_data(folder, min(before, time.time() - ORPHANS))
        return removed

    def _purge_data(self, folder: str, before: float) -> None:
        """Content to which nothing points."""
        for batch in self._objects.ls(f"{_DATA}/{folder}" if folder else _DATA):
            for stored in batch:
                if stored.changed < before:
                    found = self._found(stored.key.removeprefix(f"{_DATA}/").rpartition("/")[0])
                    if found is None or found[1] != stored.key:
                        self._objects.remove([stored.key])


def _data(key: str, pointer: Pointer) -> str:
    return f"{_DATA}/{key}/{pointer.name}"
