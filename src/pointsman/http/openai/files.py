"""OpenAI's `/v1/files`: what a caller sends for its batches and for actions, and what batches made."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from urllib.parse import quote

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.domain.upload import SENT, Sent, Upload
from pointsman.http.exchange import Client
from pointsman.http.form import Form
from pointsman.http.header_lines import header_lines
from pointsman.http.openai.paging import after, limit_of, order_of, page
from pointsman.http.openai.upload import UploadSink
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStoreError

_ANCHOR, _SECONDS = "expires_after[anchor]", "expires_after[seconds]"
SHORTEST, LONGEST = 3600, 30 * 86_400
"""Seconds after which a file may be told to expire."""
_MOST = 10_000  # files of a page

InUse = Callable[[Upload], Awaitable[str | None]]
"""The id of a batch that still needs that file."""


class FilesDoor:
    """Only who sent a file, and an admin, may see it: to everyone else it is one that there is not. `most` bytes may be in
    a file, and `keep` seconds it is kept unless its sender says otherwise. `new_id` gives the digits of ids."""

    def __init__(
        self, uploads: Uploads, in_use: InUse, new_id: Callable[[], str], clock: Clock, *, most: int, keep: float
    ) -> None:
        self._uploads = uploads
        self._in_use = in_use
        self._new_id = new_id
        self._clock = clock
        self._most = most
        self._keep = keep

    def upload(self, client: Client) -> UploadSink:
        """`POST /v1/files`. Raises a 400 where the body is no form."""
        form = Form(client.header(b"content-type"), self._uploads.scratch, ("purpose", _ANCHOR, _SECONDS), self._most)
        return UploadSink(client, form, self._most, self._take)

    async def all(self, client: Client) -> None:
        """`GET /v1/files`"""
        most, order = limit_of(client, _MOST, _MOST), order_of(client)
        with_purpose = client.argument("purpose")
        with stored():
            uploads = await self._uploads.of(client.caller.name)
        if order == "desc":
            uploads.reverse()
        wanted = [u for u in after(uploads, client, _id) if with_purpose in (None, u.purpose)]
        client.json(200, page(wanted[: most + 1], most, _id, file_object))

    async def one(self, client: Client) -> None:
        """`GET /v1/files/{id}`"""
        client.json(200, file_object(await self._seen(client)))

    async def content(self, client: Client) -> None:
        """`GET /v1/files/{id}/content`"""
        upload = await self._seen(client)
        async with contextlib.aclosing(self._uploads.pieces(upload.id)) as pieces:
            try:
                with stored():
                    piece = await anext(pieces, b"")
            except FileNotFoundError:
                raise _missing(upload.id) from None
            client.start(200, _head(upload), upload.size)
            while piece:
                if not client.write(piece):
                    await client.room()
                piece = await anext(pieces, b"")
            client.finish()

    async def delete(self, client: Client) -> None:
        """`DELETE /v1/files/{id}`"""
        upload = await self._seen(client)
        batch = await self._in_use(upload)
        if batch is not None:
            raise PointsmanError(said(*_IN_USE, id=upload.id, batch=batch), status=409, code="file_in_use")
        with stored():
            await self._uploads.remove(upload.id)
        client.json(200, {"id": upload.id, "object": "file", "deleted": True})

    async def _take(self, client: Client, form: Form) -> None:
        content = await asyncio.to_thread(form.finish)
        now = self._clock.wall()
        purpose = _purpose(form.fields.get("purpose"))
        keep = _expires_after(form.fields)
        upload = Upload(
            id=f"file-{self._new_id()}",
            size=form.size,
            created=now,
            filename=form.filename,
            purpose=purpose,
            caller=client.caller.name,
            expires=now + (self._keep if keep is None else keep),
        )
        with stored():
            upload = await self._uploads.keep(upload, content)
        client.json(200, file_object(upload))

    async def _seen(self, client: Client) -> Upload:
        return await seen(self._uploads, client, client.named)


async def seen(uploads: Uploads, client: Client, file_id: str, param: str | None = None) -> Upload:
    """That file. Raises a 404 where there is none that this client may see, and a 503."""
    with stored():
        upload = await uploads.find(file_id)
    if upload is None or not (client.caller.admin or client.caller.name == upload.caller):
        raise _missing(file_id, param)
    return upload


def file_object(upload: Upload) -> dict[str, Any]:
    """As OpenAI has it."""
    return {
        "id": upload.id,
        "object": "file",
        "bytes": upload.size,
        "created_at": int(upload.created),
        "expires_at": None if upload.expires is None else int(upload.expires),
        "filename": upload.filename,
        "purpose": upload.purpose,
        "status": "processed",
        "status_details": None,
    }


@contextlib.contextmanager
def stored() -> Iterator[None]:
    """What a store of files cannot do now is a 503."""
    try:
        yield
    except FileStoreError as error:
        raise PointsmanError(
            error.args[0], status=503, type="api_error", code="files_unavailable", retry_after=1
        ) from None


def _head(upload: Upload) -> bytes:
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", upload.filename)
    return header_lines(
        (b"content-type", b"application/octet-stream"),
        (
            b"content-disposition",
            f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(upload.filename)}".encode(),
        ),
        (b"cache-control", b"private, no-store"),
        (b"x-content-type-options", b"nosniff"),
    )


def _id(upload: Upload) -> str:
    return upload.id


def _purpose(text: str | None) -> Sent:
    """Raises a 400."""
    for purpose in SENT:
        if purpose == text:
            return purpose
    valid = ", ".join(SENT)
    raise _wrong("purpose", said(*(_NO_PURPOSE if text is None else _PURPOSE), purpose=(text or "")[:100], valid=valid))


def _expires_after(fields: dict[str, str]) -> float | None:
    """Seconds. Raises a 400."""
    anchor, seconds = fields.get(_ANCHOR), fields.get(_SECONDS)
    if anchor is None and seconds is None:
        return None
    if anchor != "created_at":
        raise _wrong(_ANCHOR, said(*_NO_ANCHOR, anchor=(anchor or "")[:100]))
    seconds = seconds or ""
    if not (seconds.isascii() and seconds.isdigit()) or not SHORTEST <= int(seconds[:9]) <= LONGEST:
        raise _wrong(_SECONDS, said(*_NO_SECONDS, low=SHORTEST, high=LONGEST, seconds=seconds[:100]))
    return float(seconds)


def _missing(file_id: str, param: str | None = None) -> PointsmanError:
    return PointsmanError(
        said('there is no file "{id}" of yours', "没有你的文件“{id}”", id=file_id[:100]),
        status=404,
        type="not_found_error",
        code="file_not_found",
        param=param,
    )


def _wrong(param: str, why: Said) -> PointsmanError:
    return PointsmanError(why, param=param)


_NO_PURPOSE = (
    "the form has no field purpose; send purpose=batch, or another of {valid}",
    "表单里没有 purpose 字段；请发送 purpose=batch，或下列之一：{valid}",
)
_PURPOSE = (
    'files are not kept for purpose "{purpose}" (valid: {valid})',
    "不接受 purpose“{purpose}”（合法取值：{valid}）",
)
_NO_ANCHOR = (
    'expires_after[anchor] must be created_at, not "{anchor}"',
    "expires_after[anchor] 必须是 created_at，不能是“{anchor}”",
)
_NO_SECONDS = (
    'expires_after[seconds] must be a whole number from {low} to {high}, not "{seconds}"',
    "expires_after[seconds] 必须是 {low} 到 {high} 的整数，不能是“{seconds}”",
)
_IN_USE = (
    "{id} is the input of {batch}, which is not done; cancel that first",
    "{id} 是 {batch} 的输入，而它还没有完成；请先取消它",
)
