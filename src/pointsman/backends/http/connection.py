"""One keep-alive connection to one origin: writes a request, parses its response, one exchange at a time."""

from __future__ import annotations

import asyncio
import re
import select
from collections.abc import Callable
from typing import Any, cast

import httptools

from pointsman.backends.http.knock import Heard
from pointsman.backends.http.limits import CHUNK_COST, Limits
from pointsman.backends.http.stream import HttpStream
from pointsman.domain.said import Said, said
from pointsman.ports.backend import BackendFailure
from pointsman.watch import NEVER, Watch

_HEAD, _BODY, _DONE = 0, 1, 2
_ONE_WRITE = 64 << 10
"""A body up to this many bytes is joined to its head and written in one call."""
_SLICE = 256 << 10
_KEPT_FOR = re.compile(rb"(?i)\btimeout=([0-9]{1,9})\b")
_EARLIER = 0.8
"""The part of the time an engine says it keeps a connection that we count on."""


class ResponseError(Exception):
    """Raised by a parser callback to stop the parser: what the response did that we refuse."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


class Connection(asyncio.Protocol):
    """States of an exchange: head (1xx heads included), body, done. Between exchanges there is no stream and the pool
    holds the connection; a byte that arrives then is junk and ends it.

    `release` gets a connection that can take another request, `lost` one whose socket is gone; `heard` notes when bytes
    come."""

    __slots__ = (
        "_choked",
        "_eof",
        "_first_byte",
        "_flows",
        "_heard",
        "_idle",
        "_keep",
        "_left",
        "_limits",
        "_loop",
        "_lost",
        "_name",
        "_parser",
        "_peek",
        "_phase",
        "_pieces",
        "_raw",
        "_release",
        "_sent",
        "_stream",
        "_transport",
        "_unframed",
        "_watch",
        "alive",
        "closed",
        "expires",
        "kept_for",
        "time",
    )

    def __init__(
        self,
        name: str,
        limits: Limits,
        loop: asyncio.AbstractEventLoop,
        release: Callable[[Connection], None],
        lost: Callable[[Connection], None],
        heard: Heard,
    ) -> None:
        self.alive = False
        """It can be written to, as far as we know."""
        self.closed = False
        self.expires = 0.0
        """Loop time when the pool should close it, set by the pool."""
        self.kept_for = NEVER
        """Seconds that the engine keeps it without a request, less a margin, as far as its responses said."""
        self._name = name
        self._limits = limits
        self._loop = loop
        self.time = loop.time
        self._release = release
        self._lost = lost
        self._heard = heard
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._parser: Any = httptools.HttpResponseParser(self)
        self._stream: HttpStream | None = None
        self._phase = _HEAD
        self._raw: list[tuple[bytes, bytes]] = []
        self._keep = False
        self._sent = False
        self._choked = False
        self._eof = False
        self._unframed = 0
        self._first_byte = 0.0
        self._flows = False  # whether a byte of the body has come
        self._left = 0  # bytes of body that may still come
        self._pieces: list[bytes] = []  # of body, in what is being read
        self._idle = 0.0
        self._peek: Any = None
        self._watch = Watch(loop, self._ring)

    # One exchange

    async def exchange(self, head: bytes, body: bytes, first_byte: float, idle: float) -> HttpStream:
        """Write one request, wait for the head of its response. Seconds: `first_byte` from the first byte sent to the
        first one of the body (engines may send the head while a request still waits), `idle` between two reads after
        it. BackendFailure: reset, first_byte_timeout, protocol. Being cancelled aborts the connection."""
        if self.closed or self._transport.is_closing():
            message = said(
                "{name} closed the connection as soon as it was made", "{name} 刚建立连接就把它关闭了", name=self._name
            )
            raise BackendFailure("reset", message)
        stream = self._stream = HttpStream(self, self._name, self._loop, self._limits.low_water)
        self._phase = _HEAD
        self._raw = []
        self._unframed = 0
        self._first_byte = first_byte
        self._flows = False
        self._left = self._limits.body_bytes
        self._idle = idle
        self._watch.arm(first_byte)
        try:
            if len(body) <= _ONE_WRITE:
                self._transport.write(head + body)
                self._sent = True
            else:
                self._sent = False
                await self._upload(stream, head, memoryview(body))
            while not stream.status and stream.failure is None:
                await stream.news()
        except BaseException:
            stream.close()
            raise
        if not stream.status and stream.failure is not None:
            raise stream.failure
        return stream

    async def _upload(self, stream: HttpStream, head: bytes, body: memoryview) -> None:
        """A large body goes out in slices, as fast as the engine reads it. An engine that answers before the end (413,
        401) gets no more of it."""
        self._transport.write(head)
        for start in range(0, len(body), _SLICE):
            while (self._choked or self._transport.is_closing()) and not (stream.status or stream.ended):
                await stream.news()
            if stream.status or stream.ended:
                return
            self._transport.write(body[start : start + _SLICE])
        self._sent = True

    def usable(self) -> bool:
        """Whether an idle connection may take a call: not closed, not expired, and nothing in its socket that the loop
        has not read yet: its end, or bytes that nobody asked for and that would pass for the answer to the call."""
        if not self.alive or self.time() >= self.expires or self._transport.is_closing():
            return False
        return self._peek is None or not self._peek.poll(0)

    def resume(self) -> None:
        if self.alive and not self._transport.is_closing():
            self._transport.resume_reading()
            self._watch.arm(self._idle)

    def abandon(self) -> None:
        self._stream = None
        self.abort()

    def abort(self) -> None:
        """Drop the socket now, whatever is on its way. Safe at any time."""
        self.alive = False
        self._watch.stop()
        if self._transport is not None and not self.closed:
            self._transport.abort()

    def _fail(self, kind: str, message: Said) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            sent = self._phase != _HEAD or self._unframed > 0
            stream.finish(BackendFailure(kind, message, sent=sent))
        self.abort()

    def _too_large(self, what: Said, limit: int) -> None:
        en, zh = "{name} sent {what} of more than {limit} bytes", "{name} 发来的{what}超过了 {limit} 字节"
        self._fail("protocol", said(en, zh, name=self._name, what=what, limit=limit))

    def _ring(self) -> None:
        if self._stream is None:
            return
        if not self._flows:
            message = said(
                "no answer from {name} within {seconds:g} s",
                "{name} 没有在 {seconds:g} 秒内应答",
                name=self._name,
                seconds=self._first_byte,
            )
            self._fail("first_byte_timeout", message)
        else:
            message = said(
                "{name} fell silent in the middle of its answer for {seconds:g} s",
                "{name} 在应答途中有 {seconds:g} 秒没有任何内容",
                name=self._name,
                seconds=self._idle,
            )
            self._fail("idle_timeout", message)

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.alive = True
        socket = transport.get_extra_info("socket")
        if socket is not None and hasattr(select, "poll"):
            self._peek = select.poll()
            self._peek.register(socket.fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        self._heard.at = self.time()
        stream = self._stream
        if stream is None:
            self.abort()
            return
        self._unframed += len(data)
        try:
            self._parser.feed_data(data)
            if self._pieces:
                self._push(stream)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            if self._pieces:
                self._push(stream)
            self._keep = False
            if self._phase != _DONE:
                cause = error.__context__ or error
                message = said(
                    "the answer of {name} is no valid HTTP: {why}",
                    "{name} 的应答不是有效的 HTTP：{why}",
                    name=self._name,
                    why=cause.message if isinstance(cause, ResponseError) else said("{it}", "“{it}”", it=cause),
                )
                self._fail("protocol", message)
                return
        if self._left < 0:
            self._too_large(Said("a body", "响应体"), self._limits.body_bytes)
        elif self._phase == _DONE:
            self._end(stream)
        elif self._unframed > self._limits.head_bytes:
            head = self._phase == _HEAD
            what = Said("a head", "响应头") if head else Said("framing without a body", "没有正文的分块标记")
            self._too_large(what, self._limits.head_bytes)
        elif self._phase == _BODY:
            if stream.paused:
                return
            if stream.buffered + len(stream.queue) * CHUNK_COST > self._limits.high_water:
                stream.paused = True
                self._watch.at = NEVER  # the silence is ours
                self._transport.pause_reading()
            elif self._flows:
                self._watch.at = self.time() + self._idle

    def _push(self, stream: HttpStream) -> None:
        """What one read brought goes on as one, however many chunks the engine made of it."""
        pieces, self._pieces = self._pieces, []
        stream.push(pieces[0] if len(pieces) == 1 else b"".join(pieces))

    def _end(self, stream: HttpStream) -> None:
        self._stream = None
        paused = stream.paused
        stream.finish()
        if self._keep and self._sent and not self._choked and self.alive:
            if paused:
                self._transport.resume_reading()
            self._release(self)
        else:
            self.abort()

    def eof_received(self) -> None:
        """The engine sends no more: the transport closes, `connection_lost` judges what that means. Behind TLS, uvloop
        calls this for a close_notify only, not for a connection that somebody in between has cut."""
        self.alive = False
        self._eof = True

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        stream = self._stream
        if stream is not None and exc is None and self._phase == _BODY and self._ends_with_connection():
            self._stream = None
            stream.finish()
        elif self._phase == _BODY:
            self._fail("reset", self._broken("{name} {how} in the middle of its answer", "{name} 在应答途中{how}", exc))
        elif self._unframed:
            en, zh = "{name} {how} in the middle of the head of its answer", "{name} 在发送响应头的途中{how}"
            self._fail("reset", self._broken(en, zh, exc))
        else:
            self._fail("reset", self._broken("{name} {how} before it answered", "{name} 在应答之前{how}", exc))
        self.abort()
        self._parser = None
        self._lost(self)

    def _broken(self, en: str, zh: str, exc: Exception | None) -> Said:
        return said(en, zh, name=self._name, how=_how(exc))

    def pause_writing(self) -> None:
        self._choked = True

    def resume_writing(self) -> None:
        self._choked = False
        if self._stream is not None:
            self._stream.wake()

    # httptools

    def on_message_begin(self) -> None:
        if self._phase == _DONE:
            raise ResponseError(Said("more than one response to one request", "一个请求收到了不止一个响应"))

    def on_header(self, name: bytes, value: bytes) -> None:
        raw = self._raw
        if self._phase == _BODY:
            return  # a trailer
        if len(raw) >= self._limits.headers:
            raise ResponseError(said("more than {most} headers", "响应头超过 {most} 个", most=self._limits.headers))
        if len(name) == 10 and name.lower() == b"keep-alive" and (told := _KEPT_FOR.search(value)):
            self.kept_for = int(told[1]) * _EARLIER
        if len(name) == 17 and name.lower() == b"transfer-encoding" and _coding(value) not in (b"chunked", b"identity"):
            coding = value.decode("latin-1")
            raise ResponseError(said("unknown transfer-encoding {it!r}", "未知的 transfer-encoding {it!r}", it=coding))
        raw.append((name, value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if 100 <= status < 200:
            if status == 101:
                raise ResponseError(Said("it switched protocols without being asked", "它擅自切换了协议"))
            self._raw = []
            return
        if not 200 <= status < 600:
            raise ResponseError(said("no such status: {status}", "没有这样的状态码：{status}", status=status))
        if self._unframed > self._limits.head_bytes:
            size = sum(len(name) + len(value) for name, value in self._raw)
            if size > self._limits.head_bytes:
                most = self._limits.head_bytes
                raise ResponseError(said("a head of more than {most} bytes", "响应头超过 {most} 字节", most=most))
        # httptools knows this now and no later: after the message it answers False
        self._keep = self._parser.should_keep_alive()
        if not self._keep and self._parser.get_http_version() not in ("1.1", "1.0"):
            version = self._parser.get_http_version()
            raise ResponseError(said("it speaks HTTP/{version}", "它使用的是 HTTP/{version}", version=version))
        self._phase = _BODY
        self._unframed = 0
        if self._stream is not None:
            self._stream.begin(status, self._raw)

    def on_body(self, data: bytes) -> None:
        if self._phase == _BODY and self._stream is not None:
            self._unframed = 0
            self._left -= len(data)
            if self._left < 0:
                return
            if not self._flows:
                self._flows = True
                self._watch.arm(self._idle)
            self._pieces.append(data)

    def on_message_complete(self) -> None:
        if self._phase == _BODY:
            self._phase = _DONE

    def _ends_with_connection(self) -> bool:
        """Neither a length nor chunks: the body ends where the connection is closed (RFC 9112, 6.3 and 9.8)."""
        if self._keep or not self._eof:
            return False
        return not any(
            name.lower() == b"content-length" or (name.lower() == b"transfer-encoding" and _coding(value) == b"chunked")
            for name, value in self._raw
        )


def _coding(value: bytes) -> bytes:
    return value.strip(b" \t").lower()


def _how(exc: Exception | None) -> Said:
    if exc is None:
        return Said("closed the connection", "关闭了连接")
    if isinstance(exc, ConnectionResetError | BrokenPipeError):
        return Said("reset the connection", "重置了连接")
    return said("broke the connection ({exc})", "中断了连接（“{exc}”）", exc=exc)
