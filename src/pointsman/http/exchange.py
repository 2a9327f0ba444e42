"""One HTTP exchange: what the client sent, and the ways to answer it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, encodable, said, told
from pointsman.domain.wording import tongue_of
from pointsman.http.auth import Caller

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class Gone(Exception):
    """The client hung up before its request was whole: nobody is there to answer."""


class Client:
    """The other end. Knows its headers, its caller and whether a response has begun or ended. `language` is the one to
    speak where neither its headers nor its question show one; `question_language` is set once the question is read."""

    def __init__(
        self, scope: dict[str, Any], receive: Receive, send: Send, request_id: str, language: Tongue | None = None
    ) -> None:
        self.path: str = scope["path"]
        self.method: str = scope["method"]
        self.request_id = request_id
        self.received = time.time()
        self.caller = Caller()
        self.extra: Headers = [(b"x-pointsman-request-id", request_id.encode())]
        self.began = False
        self.ended = False
        self.question_language: str | None = None
        self._language = language
        self._headers: list[tuple[bytes, bytes]] = scope["headers"]
        self._receive = receive
        self._send = send

    @property
    def base_url(self) -> str:
        """Where the client reached the gateway, for links: as a proxy says it, else by the Host header."""
        host = self.header(b"x-forwarded-host") or self.header(b"host") or "127.0.0.1"
        scheme = self.header(b"x-forwarded-proto") or "http"
        clean = "".join(c for c in host.split(",")[0] if c.isalnum() or c in ".-:[]_")
        return f"{'https' if scheme == 'https' else 'http'}://{clean}"

    @property
    def tongue(self) -> Tongue:
        """The language of messages to this client: as its headers say, else that of its question, else the config's."""
        return tongue_wanted(self.header(b"accept-language")) or tongue_of(self.question_language or "", self._language)

    def header(self, name: bytes) -> str | None:
        """The first header of that (lower-case) name, as Latin-1."""
        for key, value in self._headers:
            if key == name:
                return value.decode("latin-1")
        return None

    async def body(self, limit: int) -> bytes:
        """The whole request body. Raises a 413 beyond `limit` bytes, before reading them where the length is told."""
        told = self.header(b"content-length")
        if told is not None and told.isdigit() and int(told) > limit:
            if self.header(b"expect") is None:
                await self._swallow(limit)
            raise _too_large(limit, int(told))
        encoding = self.header(b"content-encoding")
        if encoding and encoding.lower() != "identity":
            if self.header(b"expect") is None:
                await self._swallow(limit)
            raise PointsmanError(
                said(
                    "content-encoding {encoding!r} is not supported; send the body as it is",
                    "不支持 content-encoding {encoding!r}；请直接发送未压缩的请求体",
                    encoding=encoding,
                ),
                status=415,
                code="unsupported_encoding",
            )
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise Gone
            part = message.get("body", b"")
            size += len(part)
            if size > limit:
                if message.get("more_body"):
                    await self._swallow(limit)
                raise _too_large(limit, None)
            if part:
                parts.append(part)
            if not message.get("more_body"):
                return parts[0] if len(parts) == 1 else b"".join(parts)

    async def _swallow(self, limit: int) -> None:
        """Reads on without keeping, for a while: a client that is still sending would meet a reset, not the answer."""
        size = 0
        while size < max(8 * limit, 256 << 20):
            message = await self._receive()
            size += len(message.get("body", b""))
            if message["type"] == "http.disconnect":
                raise Gone
            if not message.get("more_body"):
                return

    async def wait_gone(self) -> None:
        """Returns when the client has hung up."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self.began = True
        await self._send({"type": "http.response.start", "status": status, "headers": [*headers, *self.extra]})

    async def write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def finish(self, data: bytes = b"") -> None:
        self.ended = True
        await self._send({"type": "http.response.body", "body": data})

    async def reply(
        self,
        status: int,
        data: bytes,
        content_type: bytes = b"application/json",
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        """A whole response at once."""
        await self.start(
            status,
            [(b"content-type", content_type), (b"content-length", str(len(data)).encode()), *headers],
        )
        await self.finish(data)

    async def json(self, status: int, value: Any) -> None:
        """What is `Said` anywhere in `value` goes out in the client's language."""
        await self.reply(status, msgspec.json.encode(value, enc_hook=lambda part: encodable(part, self.tongue)))

    async def error(self, error: PointsmanError) -> None:
        headers: Headers = []
        if error.retry_after is not None:
            headers.append((b"retry-after", str(max(1, round(error.retry_after))).encode()))
        if error.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if error.status in (413, 415):
            headers.append((b"connection", b"close"))
        await self.reply(
            error.status, msgspec.json.encode(error_body(error, self.request_id, self.tongue)), headers=headers
        )


def tongue_wanted(accept_language: str | None) -> Tongue | None:
    """Chinese where the header wants it most (by q, else by order), English where it wants another language most; None
    where it names none (`*` is what Node's fetch sends unasked)."""
    best: tuple[float, Tongue | None] = (0.0, None)
    for part in (accept_language or "").split(",")[:20]:
        name, _, weight = part.strip().lower().partition(";")
        language = name.strip().replace("_", "-").split("-")[0]
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        if language.isalpha() and quality > best[0]:
            best = (quality, "zh" if language == "zh" else "en")
    return best[1]


def error_body(error: PointsmanError, request_id: str, tongue: Tongue) -> dict[str, Any]:
    """The one shape of an error on the wire."""
    return {
        "error": {
            "message": told(error.message, tongue),
            "type": error.type,
            "code": error.code,
            "param": error.param,
            "src": error.src,
            "request_id": request_id,
        }
    }


def _too_large(limit: int, size: int | None) -> PointsmanError:
    has = (
        said("has {size} bytes", "有 {size} 字节", size=size) if size else Said("is larger than that", "超过了这个上限")
    )
    return PointsmanError(
        said(
            "the body may have {limit} bytes (server.max_body); this one {has}",
            "请求体最多 {limit} 字节（server.max_body）；收到的{has}",
            limit=limit,
            has=has,
        ),
        status=413,
        code="body_too_large",
    )
