"""An upload on its way in: pieces of a form, written beside the event loop as they come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.http.exchange import Client
from pointsman.http.form import Form, file_too_large

_AHEAD = 1 << 20  # bytes that may wait for the disk before the client has to
FRAME = 64 << 10
"""Bytes of a form that are not its file's, at most."""

Take = Callable[[Client, Form], Awaitable[None]]
"""Answers a client whose form is whole. What it leaves of the form's file is removed."""


class UploadSink:
    """At most a few megabytes are in memory, however large the file and slow the disk. A form that is wrong is read to its
    end before that is said."""

    def __init__(self, client: Client, form: Form, most: int, take: Take) -> None:
        self.limit = most + FRAME
        self._client = client
        self._form = form
        self._most = most
        self._take = take
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._held = False
        self._error: Exception | None = None
        self._dropped = False
        self._writing: asyncio.Task[None] | None = None

    def feed(self, data: bytes) -> None:
        if self._error is not None:
            return
        self._pieces.append(data)
        self._waiting += len(data)
        if self._waiting > _AHEAD and not self._held:
            self._held = True
            self._client.hold()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    def refusal(self, size: int | None) -> PointsmanError:
        return file_too_large(self._most, size)

    async def finish(self, client: Client) -> None:
        try:
            if self._writing is not None:
                await asyncio.shield(self._writing)
            if self._error is not None:
                raise self._error
            await self._take(client, self._form)
        except OSError as error:
            en, zh = "the upload cannot be written: {why}", "上传的文件无法写入：{why}"
            text = said(en, zh, why=why(error))
            raise PointsmanError(text, status=503, type="api_error", code="files_unavailable", retry_after=1) from None
        finally:
            self.drop()

    def drop(self) -> None:
        self._dropped = True
        self._pieces.clear()
        if self._writing is None:  # else it is what removes the file
            asyncio.get_running_loop().run_in_executor(None, self._form.close)

    async def _write(self) -> None:
        """What has come, and what comes meanwhile."""
        while self._pieces:
            pieces, self._pieces, self._waiting = self._pieces, [], 0
            try:
                await asyncio.to_thread(self._form.write, pieces)
            except Exception as error:
                self._error = error
                self._pieces.clear()
            if self._held:
                self._held = False
                self._client.resume()
        self._writing = None
        if self._dropped:
            await asyncio.to_thread(self._form.close)
