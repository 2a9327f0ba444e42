"""The bytes of a request's head, checked so that nothing a client sent can add a header or a request of its own."""

from __future__ import annotations

import re

from pointsman.backends.http.origin import Origin
from pointsman.ports.backend import Call

Headers = tuple[tuple[str, str], ...]

OURS = frozenset({"connection", "content-length", "expect", "host", "keep-alive"}) | frozenset(
    {"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
"""Headers that belong to the connection: only this client sets them."""

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TARGET = re.compile(r"/[\x21\x22\x24-\x7e]*")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_METHODS = frozenset({"DELETE", "GET", "OPTIONS", "PATCH", "POST", "PUT"})
_BODILESS = frozenset({"DELETE", "GET", "OPTIONS"})
_CACHED = 256


class HeadWriter:
    """Renders heads for one origin; what its calls share (request line, Host, base headers) is rendered once."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self._shared: dict[tuple[str, str, Headers], tuple[bytes, frozenset[str]]] = {}
        self._lower: dict[str, str] = {}
        """Names that have passed the check, in lower case."""

    def render(self, call: Call, base: Headers = ()) -> bytes:
        """The head for `call`, with the empty line at its end. A call's header replaces the base header of its name.

        ValueError: a method, path, header name or value that HTTP/1.1 cannot carry, or a header of `OURS`. That is the
        caller's mistake, never the engine's, so it is no BackendFailure."""
        key = (call.method, call.path, base)
        shared = self._shared.get(key)
        if shared is None:
            if len(self._shared) >= _CACHED:
                self._shared.clear()
            shared = self._shared[key] = (self._start(*key), frozenset(name.lower() for name, _ in base))
        start, taken = shared
        if call.headers:
            lines = self._lines(call.headers)
            own = [self._lower[name] for name, _ in call.headers]
            if len(self._lower) > _CACHED:
                self._lower.clear()
            if not taken.isdisjoint(own):
                start = self._start(call.method, call.path, tuple(pair for pair in base if pair[0].lower() not in own))
            start += lines
        size = len(call.body)
        if not size and call.method in _BODILESS:
            return start + b"\r\n"
        return b"%bcontent-length: %d\r\n\r\n" % (start, size)

    def _start(self, method: str, path: str, base: Headers) -> bytes:
        if method not in _METHODS:
            raise ValueError(f'method "{method}" is not supported (valid: {", ".join(sorted(_METHODS))})')
        if not _TARGET.fullmatch(path):
            raise ValueError(f'path {path!r} must start with "/" and hold printable ASCII only, without "#"')
        line = f"{method} {self._origin.prefix}{path} HTTP/1.1\r\nhost: {self._origin.authority}\r\n"
        return line.encode("ascii") + self._lines(base)

    def _lines(self, headers: Headers) -> bytes:
        for name, value in headers:
            if name not in self._lower:
                self._check_name(name)
            if not (value.isascii() and value.isprintable()) and not _VALUE.fullmatch(value):
                raise ValueError(f'header "{name}": its value holds a line break, a control or a non-Latin-1 character')
        return "".join([f"{name}: {value}\r\n" for name, value in headers]).encode("latin-1")

    def _check_name(self, name: str) -> None:
        if not _TOKEN.fullmatch(name):
            raise ValueError(f"header name {name!r} is not valid (letters, digits and !#$%&'*+.^_`|~- only)")
        lower = name.lower()
        if lower in OURS:
            raise ValueError(f'header "{name}" belongs to the connection and cannot be set by a call')
        self._lower[name] = lower
