"""The bytes of a request's head, checked so that nothing in it can add a header or a request of its own."""

from __future__ import annotations

import re

from pointsman import __version__
from pointsman.outbound.destination import Destination
from pointsman.ports.outbound import Headers

OURS = frozenset({"accept-encoding", "connection", "content-length", "expect", "host", "keep-alive", "te"}) | frozenset(
    {"proxy-connection", "trailer", "transfer-encoding", "upgrade", "user-agent"}
)
"""Headers that only this client sets."""
METHODS = ("DELETE", "GET", "PATCH", "POST", "PUT")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def request_head(method: str, destination: Destination, headers: Headers, size: int) -> bytes:
    """With the empty line at its end; `size` is that of the body. ValueError: a method that is none of METHODS, a header
    that HTTP/1.1 cannot carry, or one of OURS."""
    if method not in METHODS:
        raise ValueError(f'method "{method}" is not supported (valid: {", ".join(METHODS)})')
    lines = [
        f"{method} {destination.target} HTTP/1.1",
        f"host: {destination.authority}",
        f"user-agent: pointsman/{__version__}",
        "accept-encoding: identity",
        "connection: close",
    ]
    if size or method in ("PATCH", "POST", "PUT"):
        lines.append(f"content-length: {size}")
    for name, value in headers:
        if not _TOKEN.fullmatch(name) or name.lower() in OURS:
            raise ValueError(f"header name {name!r} is not valid, or belongs to the connection")
        if not _VALUE.fullmatch(value):
            raise ValueError(f'header "{name}": its value holds a line break, a control or a non-Latin-1 character')
        lines.append(f"{name}: {value}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
