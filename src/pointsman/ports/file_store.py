"""Where files lie that outlive the request that made them: reports, uploads, the output of batches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import msgspec


class Stored(msgspec.Struct, frozen=True):
    """`size` in bytes; `changed` seconds since the epoch."""

    key: str
    size: int
    changed: float


class FileStoreError(Exception):
    """It cannot be done now: the disk is full, the server is gone. The message is for people, in both languages."""


class FileStore(Protocol):
    """Keys are relative paths: parts of ASCII letters, digits, `.`, `_` and `-`, between single slashes, none of them `.`
    or `..`. A file is there whole or not at all, and never changes. Methods raise FileStoreError, ValueError for a key
    that is none."""

    async def publish(self, key: str, content: bytes | Path) -> bool:
        """Durable when it returns. True: by this call. False: somebody had published that key, and theirs stays. A path
        names a file that is this call's to take; it is gone afterwards either way."""

    async def stat(self, key: str) -> Stored | None: ...

    async def read(self, key: str) -> bytes | None:
        """All of it; None where there is none."""

    def pieces(self, key: str) -> AsyncIterator[bytes]:
        """All of it in order, in pieces of at most 1 MiB. Raises FileNotFoundError."""

    async def delete(self, key: str) -> None:
        """Nothing happens where there is none."""

    async def ls(self, prefix: str) -> list[Stored]: ...

    async def purge(self, prefix: str, before: float) -> int:
        """Removes what was last changed before that moment; gives how many."""

    async def close(self) -> None: ...
