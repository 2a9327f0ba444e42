"""One HTTP exchange: what the client sent, and the ways to answer it."""

from __future__ import annotations

import http
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol
from urllib.parse import parse_qsl

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Tongue, encodable, told
from pointsman.domain.wording import tongue_of
from pointsman.http.auth import Caller
from pointsman.http.body_limit import too_large
from pointsman.http.header_lines import header_lines
from pointsman.pipeline.request_passage import RequestPassage

Work = Callable[["Client"], Awaitable[None] | None]
STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in http.HTTPStatus}


class Wire(Protocol):
    """The connection under an exchange, as the exchange sees it. `peer` is the address at its other end, "" where there is
    none."""

    peer: str

    def write(self, data: bytes) -> None:
        """Puts bytes on the wire; nothing happens where the client is gone."""

    @property
    def choked(self) -> bool:
        """Whether the client reads slower than we write."""

    async def drained(self) -> None:
        """Returns when there is room to write again, or the client is gone."""

    def done(self) -> None:
        """The response of the exchange whose turn it is has ended."""

    def hold(self) -> None:
        """Reads no more from the client, until `resume`."""

    def resume(self) -> None: ...


class Sink(Protocol):
    """Takes the body of one request as it comes, at most `limit` bytes. It ends in `finish`, which answers, or in `drop`,
    where nothing comes of the request; both leave nothing behind. Making one costs nothing that `drop` has to undo."""

    limit: int

    def feed(self, data: bytes) -> None:
        """A piece; `Client.hold` is for one that comes too fast."""

    def refusal(self, size: int | None) -> PointsmanError:
        """What is said of a larger body; `size`: as many bytes as it says that it has."""

    def finish(self, client: Client) -> Awaitable[None] | None:
        """The body is whole."""

    def drop(self) -> None: ...


class Client:
    """The other end of one exchange. Knows its headers (`fields`: names in lower case, the first of each name), its caller
    and whether a response has begun or ended. `language` is the one to speak where neither its headers nor its question
    show one; `question_language` is set once the question is read. `work` is what answers it, `refusal` the error that
    does instead, `sink` what takes its body where that is not kept here. `passage` is that of the job that the request is,
    if it is one. `named` is the name in its path, where the endpoint has one (`/v1/models/NAME`). `loopback`: it is on this
    machine. `old`: it speaks HTTP/1.0, which knows no chunks."""

    __slots__ = (
        "_chunked", "_language", "_limit", "_parts", "_query", "_wire",
        "began", "caller", "ended", "expects", "extra", "fields", "gone", "keep_alive", "loopback", "method", "named",
        "old", "passage", "path", "question_language", "received", "refusal", "request_id", "sink", "size", "started",
        "whole", "work",
    )  # fmt: skip

    def __init__(
        self,
        wire: Wire,
        method: str,
        path: str,
        fields: dict[bytes, bytes],
        request_id: str,
        *,
        loopback: bool,
        keep_alive: bool,
        old: bool,
        limit: int,
        language: Tongue | None,
        query: str = "",
    ) -> None:
        self.method = method
        self.path = path
        self.named = ""
        self.fields = fields
        self.request_id = request_id
        self.passage: RequestPassage | None = None
        self.received = time.time()
        self.loopback = loopback
        self.keep_alive = keep_alive
        self.old = old
        self.caller = ANYONE
        self.extra = b"x-pointsman-request-id: %b\r\n" % request_id.encode()
        self.work: Work | None = None
        self.refusal: PointsmanError | None = None
        self.sink: Sink | None = None
        self.question_language: str | None = None
        self.expects = False
        self.whole = False
        self.started = False
        self.began = False
        self.ended = False
        self.gone = False
        self.size = 0
        self._wire = wire
        self._limit = limit
        self._language = language
        self._parts: list[bytes] = []
        self._query = query
        self._chunked = False

    @property
    def base_url(self) -> str:
        """Where the client reached the gateway, for links."""
        return base_url_of(self.fields)

    @property
    def tongue(self) -> Tongue:
        """The language of messages to this client: as its headers say, else that of its question, else the config's."""
        return tongue_wanted(self.header(b"accept-language")) or tongue_of(self.question_language or "", self._language)

    @property
    def address(self) -> str:
        """That of the other end of its connection: its own, or a proxy's."""
        return self._wire.peer

    @property
    def query(self) -> str:
        """What follows the question mark in its URL, as it came."""
        return self._query

    @property
    def body(self) -> bytes:
        """The request's body, whole."""
        parts = self._parts
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def header(self, name: bytes) -> str | None:
        """The first header of that (lower-case) name, as Latin-1."""
        value = self.fields.get(name)
        return None if value is None else value.decode("latin-1")

    def argument(self, name: str) -> str | None:
        """The first of that name in the query of its URL."""
        if not self._query:
            return None
        pairs = parse_qsl(self._query, keep_blank_values=True, errors="replace")
        return next((value for key, value in pairs if key == name), None)

    def feed(self, data: bytes) -> PointsmanError | None:
        """A piece of the body has come. What is wrong where that makes it too large; nothing of it is kept then."""
        self.size += len(data)
        sink = self.sink
        if sink is None:
            if self.size > self._limit:
                self._parts.clear()
                return too_large(self._limit, None)
            self._parts.append(data)
        elif self.size > sink.limit:
            self.drop()
            return sink.refusal(None)
        else:
            sink.feed(data)
        return None

    def drop(self) -> None:
        """Nothing comes of its body."""
        if self.sink is not None:
            self.sink.drop()
            self.sink = None

    def hold(self) -> None:
        """Its bytes come faster than they are taken: no more of them, until `resume`."""
        self._wire.hold()

    def resume(self) -> None:
        self._wire.resume()

    def start(self, status: int, headers: bytes, length: int | None = None) -> None:
        """Sends the head, `headers` and `extra` in it, as `header_lines` makes them. A body of `length` bytes follows; None:
        nobody knows how many."""
        self._wire.write(self._head(status, headers, length))

    def write(self, data: bytes) -> bool:
        """Sends a piece of the body. False: the client reads too slowly; see `room`."""
        if data and self.method != "HEAD":
            self._wire.write(b"%x\r\n%b\r\n" % (len(data), data) if self._chunked else data)
        return not self._wire.choked

    async def room(self) -> None:
        """Returns when the client has read so much that there is room for more, or is gone."""
        await self._wire.drained()

    def finish(self, data: bytes = b"") -> None:
        """Sends the last piece of the body."""
        if self.method != "HEAD":
            if self._chunked:
                data = b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data) if data else b"0\r\n\r\n"
            if data:
                self._wire.write(data)
        self.ended = True
        self._wire.done()

    def reply(
        self,
        status: int,
        data: bytes,
        content_type: bytes = b"application/json",
        headers: bytes = b"",
    ) -> None:
        """A whole response at once. `content_type` holds no line break."""
        head = self._head(status, b"content-type: %b\r\n%b" % (content_type, headers), len(data))
        self._wire.write(head if self.method == "HEAD" else head + data)
        self.ended = True
        self._wire.done()

    def json(self, status: int, value: Any) -> None:
        """What is `Said` anywhere in `value` goes out in the client's language."""
        self.reply(status, self.encoded(value))

    def encoded(self, value: Any) -> bytes:
        """JSON of it, as `json` sends it."""
        return msgspec.json.encode(value, enc_hook=self._encodable)

    def error(self, error: PointsmanError) -> None:
        headers = header_lines(*error.headers)
        if error.retry_after is not None:
            headers += b"retry-after: %d\r\n" % max(1, round(error.retry_after))
        if error.status == 401:
            headers += b"www-authenticate: Bearer\r\n"
        if error.status in (413, 415):
            self.keep_alive = False
        self.reply(error.status, msgspec.json.encode(error_body(error, self.request_id, self.tongue)), headers=headers)

    def _encodable(self, part: Any) -> Any:
        return encodable(part, self.tongue)

    def _head(self, status: int, headers: bytes, length: int | None) -> bytes:
        self.began = True
        framing = b""
        if length is not None:
            if status != 204:
                framing = b"content-length: %d\r\n" % length
        elif self.old:
            self.keep_alive = False
        else:
            self._chunked = True
            framing = b"transfer-encoding: chunked\r\n"
        ending = b"\r\n" if self.keep_alive else b"connection: close\r\n\r\n"
        return b"".join((STATUS_LINES[status], headers, self.extra, framing, ending))


ANYONE = Caller()


def base_url_of(fields: Mapping[bytes, bytes]) -> str:
    """Where a client reached the gateway: as a proxy says it, else by the Host header."""
    host = (fields.get(b"x-forwarded-host") or fields.get(b"host") or b"127.0.0.1").decode("latin-1")
    scheme = fields.get(b"x-forwarded-proto")
    clean = "".join(c for c in host.split(",")[0] if c.isalnum() or c in ".-:[]_")
    return f"{'https' if scheme == b'https' else 'http'}://{clean}"


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
