"""The head of a request: what is malformed or ambiguous is refused before anything looks at it.

Stricter than llhttp, at the least as strict as nginx: who reads framing or host otherwise than a proxy in front of us
would take part of one request for another.
"""

from __future__ import annotations

import re

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

MAX_HEAD = 64 << 10  # bytes of request line and headers
MAX_HEADERS = 200

_ONCE = (b"host", b"transfer-encoding", b"content-length", b"expect", b"content-type", b"authorization")
_HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|[^\x00-\x20\x7f/\\,@:?#\[\]<>\"]+)(?::[0-9]{0,5})?")
_known_hosts: set[bytes] = set()
_MOST_HOSTS = 1000

_NO_HTTP = Said("this is not a valid HTTP request", "这不是有效的 HTTP 请求")


def bad_http() -> PointsmanError:
    return PointsmanError(_NO_HTTP, status=400, code="bad_http")


def too_large_head() -> PointsmanError:
    return PointsmanError(
        said(
            "the head of this request is too large: at most {bytes} bytes and {headers} headers",
            "请求头过大：最多 {bytes} 字节、{headers} 个请求头",
            bytes=MAX_HEAD,
            headers=MAX_HEADERS,
        ),
        status=431,
        code="headers_too_large",
    )


def too_slow() -> PointsmanError:
    return PointsmanError(
        Said("the request did not come within the time for it", "没有在限定时间内收到完整的请求"),
        status=408,
        type="timeout_error",
        code="request_timeout",
    )


def ambiguous(name: bytes) -> bool:
    """Whether a second header of that name makes a request mean two things."""
    return name in _ONCE


def usual(fields: dict[bytes, bytes]) -> bool:
    """Whether nothing needs a closer look in the headers of an HTTP/1.1 request: no coding, and a host seen before."""
    return b"transfer-encoding" not in fields and fields.get(b"host") in _known_hosts


def refused(version: str, fields: dict[bytes, bytes]) -> PointsmanError | None:
    """What is wrong with a head of HTTP `version` whose headers are `fields`: a version, coding or host that is none."""
    if version != "1.1" and version != "1.0":
        return _bad("HTTP/1.0 or HTTP/1.1 is spoken here", "这里只使用 HTTP/1.0 或 HTTP/1.1")
    coding = fields.get(b"transfer-encoding")
    if coding is not None and (version == "1.0" or coding.lower() != b"chunked" or b"content-length" in fields):
        return _bad("transfer-encoding must be chunked, and alone", "transfer-encoding 只能是 chunked，且不能另有长度")
    host = fields.get(b"host")
    if host is None:
        return None if version == "1.0" else _bad("the Host header is missing", "缺少 Host 请求头")
    if host not in _known_hosts:
        if not _HOST.fullmatch(host):
            return _bad("the Host header names no host", "Host 请求头不是主机名")
        if len(_known_hosts) < _MOST_HOSTS:
            _known_hosts.add(host)
    return None


def twice(name: bytes) -> PointsmanError:
    """For a header that is given twice and may be given once."""
    text = name.decode("latin-1")
    return PointsmanError(
        said("the header {name} is given twice; give it once", "请求头 {name} 出现了两次；只能出现一次", name=text),
        status=400,
        code="bad_http",
    )


def without_upgrade(method: bytes, url: bytes, version: str, headers: list[tuple[bytes, bytes]]) -> bytes:
    """The head of a request that offers another protocol, without the offer: a server may pass over it (RFC 9110, 7.8),
    and Java's HTTP client offers HTTP/2 with the first request of every connection."""
    lines = [b"%b %b HTTP/%b" % (method, url, version.encode())]
    for name, value in headers:
        if name in (b"upgrade", b"http2-settings"):
            continue
        if name == b"connection":
            kept = [t for t in value.split(b",") if t.strip().lower() not in (b"upgrade", b"http2-settings")]
            value = b",".join(kept).strip()
        lines.append(b"%b: %b" % (name, value))
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _bad(en: str, zh: str) -> PointsmanError:
    return PointsmanError(
        said("{wrong}: {why}", "{wrong}：{why}", wrong=_NO_HTTP, why=Said(en, zh)), status=400, code="bad_http"
    )
