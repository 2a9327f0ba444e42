"""`GET /files/{token}`: a finished file, to whoever has its signed link."""

from __future__ import annotations

import asyncio
import mimetypes
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from pointsman.domain.errors import PointsmanError
from pointsman.domain.links import LinkError, Links
from pointsman.domain.said import Said
from pointsman.http.exchange import Client
from pointsman.http.header_lines import header_lines

_PIECE = 256 << 10
_EXPIRED = Said("this link has expired; ask for the report again", "这个链接已过期；请重新生成报表")
_PURGED = Said("this file is no longer kept; ask for the report again", "这个文件已不再保留；请重新生成报表")
_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv; charset=utf-8",
}


class Files:
    """Serves only what lies in `folder`, under names that were signed here."""

    def __init__(self, links: Links, folder: Path, clock: Callable[[], float] = time.time) -> None:
        self._links = links
        self._folder = folder.resolve()
        self._clock = clock

    async def serve(self, client: Client) -> None:
        """Raises PointsmanError: 410 for an expired link, 404 for a forged one or a file that is gone."""
        try:
            linked = self._links.open(client.named, self._clock())
        except LinkError as error:
            raise _gone(_EXPIRED) if error.expired else _missing() from None
        path = (self._folder / linked.path).resolve()
        if not path.is_relative_to(self._folder) or not path.is_file():
            raise _gone(_PURGED)
        kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        plain = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in linked.title)
        disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(linked.title)}"
        with path.open("rb") as file:
            client.start(
                200,
                header_lines(
                    (b"content-type", kind.encode()),
                    (b"content-disposition", disposition.encode()),
                    (b"cache-control", b"private, no-store"),
                    (b"x-content-type-options", b"nosniff"),
                ),
                path.stat().st_size,
            )
            while piece := await asyncio.to_thread(file.read, _PIECE):
                if not client.write(piece):
                    await client.room()
        client.finish()


def _gone(message: str) -> PointsmanError:
    return PointsmanError(message, status=410, type="not_found_error", code="file_expired")


def _missing() -> PointsmanError:
    return PointsmanError(
        Said("there is no such file", "没有这个文件"), status=404, type="not_found_error", code="file_not_found"
    )
