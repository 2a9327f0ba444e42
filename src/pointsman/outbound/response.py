"""A response on its way in, within bounds."""

from __future__ import annotations

from asyncio import StreamReader
from collections.abc import Callable
from typing import Any, Literal

import httptools

from pointsman.domain.said import Said, said
from pointsman.ports.outbound import Answer, NotAnswered

HEAD_BYTES = 64 << 10
"""Of a head, all 1xx heads before it included; and of framing between two pieces of a body."""
HEADERS = 128
_READ = 64 << 10


class _Wrong(Exception):
    """Stops the parser: what the response did that is refused."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


class Response:
    """Reads one response to its end, to `most` bytes of its body, or until a piece of it is `enough`. `name` is who
    answers, for messages."""

    def __init__(self, name: str, most: int, enough: Callable[[bytes], bool] | None = None) -> None:
        self._name = name
        self._most = most
        self._enough = enough
        self._parser: Any = httptools.HttpResponseParser(self)
        self._raw: list[tuple[bytes, bytes]] = []
        self._headers: tuple[tuple[str, str], ...] = ()
        self._status = 0
        self._body = bytearray()
        self._framing = 0  # bytes that came since the last piece of body
        self._complete = False
        self._too_large = False

    async def read(self, reader: StreamReader) -> None:
        """Raises NotAnswered("protocol") for a head that is none, and what the connection raises. Afterwards, or whenever
        it is cut off, `answer` says what there is."""
        while not (self._complete or self._too_large):
            data = await reader.read(_READ)
            if not data:
                self._complete = self._status != 0 and self._ends_with_connection()
                return
            self._framing += len(data)
            try:
                self._parser.feed_data(data)
            except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
                if self._status:
                    return
                raise self._invalid(error) from None
            if self._framing > HEAD_BYTES:
                if self._status:
                    return
                raise self._refused(said("more than {most} bytes of head", "响应头超过 {most} 字节", most=HEAD_BYTES))

    def answer(self, ended: Literal["too_late", "broken"]) -> Answer | None:
        """What has come: None without a whole head. `ended` is why no more did, where neither its own end nor the limit
        was reached."""
        if not self._status:
            return None
        how = "too_large" if self._too_large else "whole" if self._complete else ended
        return Answer(self._status, self._headers, bytes(self._body), how)

    def _invalid(self, error: Exception) -> NotAnswered:
        cause = error.__context__ or error
        return self._refused(cause.message if isinstance(cause, _Wrong) else said("{it}", "“{it}”", it=cause))

    def _refused(self, why: Said) -> NotAnswered:
        en, zh = "the answer of {name} is no valid HTTP: {why}", "{name} 的应答不是有效的 HTTP：{why}"
        return NotAnswered("protocol", said(en, zh, name=self._name, why=why), sent=True)

    def _ends_with_connection(self) -> bool:
        """Neither a length nor chunks: the body ends where the connection does (RFC 9112, 6.3)."""
        return not any(name in ("content-length", "transfer-encoding") for name, _ in self._headers)

    # httptools

    def on_message_begin(self) -> None:
        if self._complete:
            raise _Wrong(Said("more than one response to one request", "一个请求收到了不止一个响应"))

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._status:
            return  # a trailer
        if len(self._raw) >= HEADERS:
            raise _Wrong(said("more than {most} headers", "响应头超过 {most} 个", most=HEADERS))
        self._raw.append((name, value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status == 101:
            raise _Wrong(Said("it switched protocols without being asked", "它擅自切换了协议"))
        if 100 <= status < 200:
            self._raw = []
            return
        if not 200 <= status < 600:
            raise _Wrong(said("no such status: {status}", "没有这样的状态码：{status}", status=status))
        if self._parser.get_http_version() not in ("1.1", "1.0"):
            version = self._parser.get_http_version()
            raise _Wrong(said("it speaks HTTP/{version}", "它使用的是 HTTP/{version}", version=version))
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1").strip(" \t")) for name, value in self._raw]
        for name, value in headers:
            if name == "transfer-encoding" and value.lower() not in ("chunked", "identity"):
                en, zh = "unknown transfer-encoding {it!r}", "未知的 transfer-encoding {it!r}"
                raise _Wrong(said(en, zh, it=value))
        self._headers = tuple(headers)
        self._status = status

    def on_body(self, data: bytes) -> None:
        self._framing = 0
        room = self._most - len(self._body)
        self._body += data[:room]
        if len(data) > room:
            self._too_large = True
        elif self._enough is not None and not self._complete and self._enough(data):
            self._complete = True

    def on_message_complete(self) -> None:
        if self._status:
            self._complete = True
