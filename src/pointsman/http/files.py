"""`GET /files/{token}`: a finished file, to whoever has its signed link."""

from __future__ import annotations

import mimetypes
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from pathlib import PurePosixPath
from urllib.parse import quote

from pointsman.domain.errors import PointsmanError
from pointsman.domain.links import Linked, LinkError, Links
from pointsman.domain.said import Said
from pointsman.http.exchange import Client
from pointsman.http.header_lines import header_lines
from pointsman.ports.file_store import FileStore, FileStoreError

_EXPIRED = Said("this link has expired; ask for the report again", "这个链接已过期；请重新生成报表")
_PURGED = Said("this file is no longer kept; ask for the report again", "这个文件已不再保留；请重新生成报表")
_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv; charset=utf-8",
}


class Files:
    """Serves what lies in `files`, of which a link was signed with the same key, here or on another machine."""

    def __init__(self, links: Links, files: FileStore, clock: Callable[[], float] = time.time) -> None:
        self._links = links
        self._files = files
        self._clock = clock

    async def serve(self, client: Client) -> None:
        """Raises PointsmanError: 410 for an expired link or a file that is gone, 404 for a forged one, 503 where the store
        cannot be read."""
        try:
            linked = self._links.open(client.path.removeprefix("/files/"), self._clock())
        except LinkError as error:
            raise _gone(_EXPIRED) if error.expired else _missing() from None
        async with aclosing(self._pieces(linked.path)) as pieces:
            size, first = await self._begun(linked.path, pieces)
            client.start(200, _head(linked), size)
            piece: bytes | None = first
            while piece:
                if not client.write(piece):
                    await client.room()
                piece = await anext(pieces, None)
        client.finish()

    async def _pieces(self, key: str) -> AsyncGenerator[bytes, None]:
        async for piece in self._files.pieces(key):
            yield piece

    async def _begun(self, key: str, pieces: AsyncIterator[bytes]) -> tuple[int, bytes]:
        """The file's size and first piece, before anything is said to the client."""
        try:
            stored = await self._files.stat(key)
            if stored is None:
                raise _gone(_PURGED)
            return stored.size, await anext(pieces, b"")
        except FileNotFoundError:
            raise _gone(_PURGED) from None
        except FileStoreError as error:
            raise PointsmanError(
                error.args[0], status=503, type="overloaded_error", code="file_store", retry_after=5.0
            ) from error


def _head(linked: Linked) -> bytes:
    suffix = PurePosixPath(linked.path).suffix
    kind = _TYPES.get(suffix) or mimetypes.guess_type(linked.path)[0] or "application/octet-stream"
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in linked.title)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(linked.title)}"
    return header_lines(
        (b"content-type", kind.encode()),
        (b"content-disposition", disposition.encode()),
        (b"cache-control", b"private, no-store"),
        (b"x-content-type-options", b"nosniff"),
    )


def _gone(message: str) -> PointsmanError:
    return PointsmanError(message, status=410, type="not_found_error", code="file_expired")


def _missing() -> PointsmanError:
    return PointsmanError(
        Said("there is no such file", "没有这个文件"), status=404, type="not_found_error", code="file_not_found"
    )
