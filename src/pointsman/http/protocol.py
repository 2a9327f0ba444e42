"""uvicorn's HTTP protocol, with a bound on the head of a request: a header bomb ends with 431, not with the memory."""

from __future__ import annotations

from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, said
from pointsman.http.asgi import Gateway
from pointsman.http.exchange import error_body, tongue_wanted

MAX_HEAD = 64 << 10  # bytes of request line and headers
MAX_HEADERS = 200


class _TooLarge(Exception):
    """Raised inside a parser callback: it stops the parser."""


class GuardedProtocol(HttpToolsProtocol):
    """Counts the bytes and headers of each request's head while it arrives, and answers malformed HTTP in the
    gateway's own error shape."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = True
        self._unparsed = 0  # bytes of an unfinished head; counts a header that never ends
        self._bytes = 0
        self._count = 0

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._unparsed += len(data)
        super().data_received(data)
        if self._in_head and self._unparsed > MAX_HEAD and not self.transport.is_closing():
            self._bytes = MAX_HEAD + 1
            self.send_400_response("")

    def on_message_begin(self) -> None:
        self._bytes = self._count = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        self._measure(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count += 1
        self._measure(len(name) + len(value) + 4)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._unparsed = 0
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        if self._too_large():
            line, status, code = "431 Request Header Fields Too Large", 431, "headers_too_large"
            message = said(
                "the head of this request is too large: at most {bytes} bytes and {headers} headers",
                "请求头过大：最多 {bytes} 字节、{headers} 个请求头",
                bytes=MAX_HEAD,
                headers=MAX_HEADERS,
            )
        else:
            line, status, code = "400 Bad Request", 400, "bad_http"
            message = Said("this is not a valid HTTP request", "这不是有效的 HTTP 请求")
        error = PointsmanError(message, status=status, code=code)
        body = msgspec.json.encode(error_body(error, "", self._tongue()))
        head = f"HTTP/1.1 {line}\r\ncontent-type: application/json\r\nconnection: close\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        self.transport.close()

    def _tongue(self) -> Tongue:
        """As far as the head was read."""
        accepted = next(
            (value.decode("latin-1") for name, value in self.headers or () if name == b"accept-language"), None
        )
        app: Any = self.app
        while not isinstance(app, Gateway) and hasattr(app, "app"):  # uvicorn wraps it
            app = app.app
        return tongue_wanted(accepted) or (app.doors.language if isinstance(app, Gateway) else None) or "en"

    def _measure(self, size: int) -> None:
        self._bytes += size
        if self._too_large():
            raise _TooLarge

    def _too_large(self) -> bool:
        return self._bytes > MAX_HEAD or self._count > MAX_HEADERS
