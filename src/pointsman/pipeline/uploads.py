"""The files of clients, over a store of files: each with what is known of it beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec
from msgspec.structs import replace

from pointsman.domain.upload import Upload, is_file_id
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStore

_FOLDER = "uploads"
_ABOUT = ".meta"
_DAY = 86_400.0
_AT_ONCE = 16  # files of the store that are asked for at a time

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Upload).decode


class Uploads:
    """A file is there as soon as what is known of it is, which is published last and removed first. `scratch` is a folder
    for what is not finished yet, best on the disk of the store; it is made on first use. Methods raise FileStoreError."""

    def __init__(self, files: FileStore, scratch: Path, clock: Clock) -> None:
        self.scratch = scratch
        self._files = files
        self._clock = clock
        self._known: dict[str, Upload] = {}

    async def keep(self, upload: Upload, content: Path) -> Upload:
        """`content` is taken. Whatever was kept under that id before stays, and is what is given."""
        if not await self._files.publish(_key(upload.id), content):
            stored = await self._files.stat(_key(upload.id))
            upload = replace(upload, size=upload.size if stored is None else stored.size)
        if await self._files.publish(_key(upload.id) + _ABOUT, _encode(upload)):
            return upload
        return await self.find(upload.id) or upload

    async def find(self, file_id: str) -> Upload | None:
        """None where there is none, or none any more."""
        if not is_file_id(file_id):
            return None
        about = await self._files.read(_key(file_id) + _ABOUT)
        return self._alive(None if about is None else _decode(about))

    async def of(self, caller: str) -> list[Upload]:
        """All that the caller has, the oldest first."""
        uploads = [upload for upload in await self._all() if upload.caller == caller and self._alive(upload)]
        return sorted(uploads, key=lambda upload: (upload.created, upload.id))

    async def pieces(self, file_id: str) -> AsyncGenerator[bytes, None]:
        """Its content. Raises FileNotFoundError. To be closed by who does not read it to its end."""
        pieces = self._files.pieces(_key(file_id))
        try:
            async for piece in pieces:
                yield piece
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    async def remove(self, file_id: str) -> None:
        await self._files.delete(_key(file_id) + _ABOUT)
        await self._files.delete(_key(file_id))

    async def purge(self) -> int:
        """Removes what has expired, and what was left half done for a day; gives how many files."""
        now = self._clock.wall()
        uploads = {upload.id: upload for upload in await self._all()}
        gone = {upload.id for upload in uploads.values() if upload.expires is not None and upload.expires <= now}
        for stored in await self._files.ls(_FOLDER):
            name = stored.key.removeprefix(_FOLDER + "/").removesuffix(_ABOUT)
            if name not in uploads and stored.changed < now - _DAY:
                gone.add(name)
        for file_id in gone:
            await self.remove(file_id)
        await asyncio.to_thread(self._sweep, now - _DAY)
        return len(gone)

    def _alive(self, upload: Upload | None) -> Upload | None:
        if upload is None or (upload.expires is not None and upload.expires <= self._clock.wall()):
            return None
        return upload

    async def _all(self) -> list[Upload]:
        """What is known of a file never changes, so it is read once."""
        keys = [stored.key for stored in await self._files.ls(_FOLDER) if stored.key.endswith(_ABOUT)]
        new = [key for key in keys if key not in self._known]
        for at in range(0, len(new), _AT_ONCE):
            some = new[at : at + _AT_ONCE]
            for key, about in zip(some, await asyncio.gather(*map(self._files.read, some)), strict=True):
                if about is not None:
                    self._known[key] = _decode(about)
        self._known = {key: self._known[key] for key in keys if key in self._known}
        return list(self._known.values())

    def _sweep(self, before: float) -> None:
        if self.scratch.is_dir():
            for path in self.scratch.iterdir():
                with contextlib.suppress(OSError):
                    if path.stat().st_mtime < before:
                        path.unlink()


def _key(file_id: str) -> str:
    return f"{_FOLDER}/{file_id}"
