"""Bytes of a client → heads, bodies and ends of requests. What is malformed, too large or endless goes no further."""

from __future__ import annotations

import urllib.parse
from typing import Any, Protocol

import httptools

from pointsman.domain.errors import PointsmanError
from pointsman.http.head import (
    MAX_HEAD,
    MAX_HEADERS,
    ambiguous,
    bad_http,
    refused,
    too_large_head,
    twice,
    usual,
    without_upgrade,
)
from pointsman.http.same_head import SameHead, head_of

_METHODS = {b"POST": "POST", b"GET": "GET"}
_TRIES = 4
"""Heads of one connection that are kept in vain, before it is taken to send another one each time."""


class Malformed(Exception):
    """What came is no HTTP that may be read; nothing after it is. `error` is the answer."""

    def __init__(self, error: PointsmanError) -> None:
        super().__init__(error)
        self.error = error


class Ended(Exception):
    """Raised by a Taker that wants no more: nothing after that is read."""


class Taker(Protocol):
    """Whoever takes requests. Each has a beginning, a head, maybe pieces of a body, and an end."""

    def request_begins(self) -> None: ...

    def request_head(
        self, method: str, path: str, query: str, fields: dict[bytes, bytes], version: str, keep_alive: bool
    ) -> None:
        """`query` is what stands behind the `?`, as it came. `fields`: headers by their names in lower case, the first of
        each name. `version`: 1.0 or 1.1."""

    def request_body(self, data: bytes) -> None: ...

    def request_ends(self) -> None: ...

    def request_whole(self, method: str, path: str, query: str, fields: dict[bytes, bytes], body: bytes) -> None:
        """All of that at once, of a request whose connection is kept."""


class Incoming:
    """Reads one connection's requests. A head has at most MAX_HEAD bytes and MAX_HEADERS headers, and so much may come
    without anything of use in it: a header, a trailer or a chunk's extension that never ends. Trailers are nobody's
    headers. An offer of another protocol is passed over, and behind a CONNECT there is no HTTP. A request that came in one
    piece, with the head of the one before it, does without the parser."""

    def __init__(self, taker: Taker) -> None:
        self.fields: dict[bytes, bytes] = {}
        """Headers of the last head, as far as it was read."""
        self._taker = taker
        self._parser: Any = _parser(self)
        self._in_head = True
        self._idle = 0  # bytes since the last that was of use
        self._bytes = 0
        self._count = 0
        self._url = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._upgrade: bytes | None = None
        self._wrong: PointsmanError | None = None
        self._partway = False  # the parser is within a message
        self._begun = 0
        self._target: tuple[str, str, str] | None = (
            None  # method, path and query of the last head, where it is a usual one
        )
        self._same: SameHead | None = None
        self._tries = _TRIES

    @property
    def midway(self) -> bool:
        """Whether something of a head has come and its end has not."""
        return self._idle > 0

    def feed(self, data: bytes) -> None:
        """Raises Malformed, and Ended behind a CONNECT or where the taker raised it."""
        if self._partway or self._idle:
            self._read(data)
            return
        same = self._same
        if same is not None and (whole := same.whole(data)) is not None:
            self._hand_on(same, *whole)
            return
        begun = self._begun
        self._read(data)
        if self._tries and self._begun == begun + 1 and self._target is not None and not self._partway:
            self._tries -= 1
            self._same = head_of(data, self.fields, *self._target)

    def close(self) -> None:
        """Nothing will be fed any more: lets go of the parser, which holds on to this."""
        self._parser = None

    def _hand_on(self, same: SameHead, fields: dict[bytes, bytes], body: bytes) -> None:
        """What the parser would come to, with the same errors."""
        self._tries = _TRIES
        self.fields = fields
        try:
            self._taker.request_whole(same.method, same.path, same.query, fields, body)
        except Ended:
            raise
        except Exception:
            raise Malformed(bad_http()) from None

    def _read(self, data: bytes) -> None:
        while data:
            data = self._feed(data)

    def _feed(self, data: bytes) -> bytes:
        """Returns what is to be read next: all behind a request that offered another protocol."""
        self._idle += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._upgrade is None:
                raise Ended from None
            head, self._upgrade = self._upgrade, None
            self._parser = _parser(self)
            self._idle = 0
            return head + data[upgrade.args[0] :]
        except httptools.HttpParserError as error:
            if isinstance(error.__context__, Ended):
                raise Ended from None
            raise Malformed(self._wrong or bad_http()) from None
        if self._idle > MAX_HEAD:
            raise Malformed(too_large_head())
        return b""

    # httptools

    def on_message_begin(self) -> None:
        self._in_head = self._partway = True
        self._begun += 1
        self._bytes = self._count = 0
        self._url = b""
        self._headers = []
        self.fields = {}
        self._taker.request_begins()

    def on_url(self, url: bytes) -> None:
        self._url = self._url + url if self._url else url
        self._bytes += len(url)
        if self._bytes > MAX_HEAD:
            self._refuse(too_large_head())

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count += 1
        self._bytes += len(name) + len(value) + 4
        if self._bytes > MAX_HEAD or self._count > MAX_HEADERS:
            self._refuse(too_large_head())
        if not self._in_head:
            return  # a trailer: whoever looked at the head did not see it, so nobody does
        name = name.lower()
        self._headers.append((name, value))
        if name not in self.fields:
            self.fields[name] = value
        elif ambiguous(name):
            self._refuse(twice(name))

    def on_headers_complete(self) -> None:
        self._idle = 0
        self._in_head = False
        parser, fields = self._parser, self.fields
        version, method = parser.get_http_version(), parser.get_method()
        if version != "1.1" or not usual(fields):
            wrong = refused(version, fields)
            if wrong is not None:
                self._refuse(wrong)
        connect = method == b"CONNECT"
        if parser.should_upgrade() and not connect:
            self._target = None
            self._upgrade = without_upgrade(method, self._url, version, self._headers)
            return
        keep_alive = version == "1.1" and not connect and parser.should_keep_alive()
        target = _METHODS.get(method) or method.decode("ascii"), *self._path_and_query()
        self._target = target if keep_alive else None
        self._taker.request_head(*target, fields, version, keep_alive)

    def on_body(self, data: bytes) -> None:
        self._idle = 0
        self._taker.request_body(data)

    def on_message_complete(self) -> None:
        self._in_head = True
        self._partway = False
        self._idle = 0
        if self._upgrade is None:
            self._taker.request_ends()

    def _path_and_query(self) -> tuple[str, str]:
        url, query = self._url, ""
        if not url.startswith(b"/") or b"?" in url or b"#" in url:
            parsed = httptools.parse_url(url)
            url, query = parsed.path or b"/", (parsed.query or b"").decode("latin-1")
        path = url.decode("ascii")
        return urllib.parse.unquote(path) if "%" in path else path, query

    def _refuse(self, error: PointsmanError) -> None:
        self._wrong = error
        raise Malformed(error)


def _parser(reader: Incoming) -> Any:
    parser = httptools.HttpRequestParser(reader)
    parser.set_dangerous_leniencies(lenient_data_after_close=True)  # what came before may still be answered
    return parser
