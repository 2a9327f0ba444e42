"""Where a backend lives: its base URL, read once."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote, urlsplit

import msgspec

VALID = "valid: http://HOST[:PORT][/PATH], https://HOST[:PORT][/PATH], http+unix://%2Fpath%2Fto.sock[/PATH]"
_PORTS = {"http": 80, "https": 443}
_PRINTABLE = re.compile(r"[\x21-\x7e\x80-\U0010ffff]+")
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?")


class Origin(msgspec.Struct, frozen=True):
    """A parsed base URL. `host` and `port` say where to connect (`host` of an IPv6 literal has no brackets), or else
    `socket` is the path of a Unix socket. `authority` is the Host header's value, `prefix` the path in front of every
    call's path (empty, or starts with "/" and does not end with one), `name` what people read in messages."""

    authority: str
    name: str
    prefix: str = ""
    host: str = ""
    port: int = 0
    socket: str | None = None
    tls: bool = False


def parse_origin(url: str) -> Origin:
    """The origin of a base URL. ValueError says what is wrong with it and what is valid."""
    if not _PRINTABLE.fullmatch(url):
        raise _wrong(url, "it is empty or holds spaces or control characters")
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    if not separator:
        raise _wrong(url, "it has no scheme")
    if "@" in re.split(r"[/?#]", rest, maxsplit=1)[0]:
        raise _wrong("…@" + rest.partition("@")[2], "credentials do not belong in it: set the backend's key instead")
    if "?" in rest or "#" in rest:
        raise _wrong(url, "a query or fragment cannot stand in front of a call's path")
    place, _, path = rest.partition("/")
    prefix = "/" + path.strip("/") if path.strip("/") else ""
    if not prefix.isascii():
        raise _wrong(url, "its path is not ASCII: percent-encode it")
    if scheme == "http+unix":
        return _unix(url, place, prefix)
    if scheme not in _PORTS:
        raise _wrong(url, f'unknown scheme "{scheme}"')
    return _inet(url, scheme, place, prefix)


def _unix(url: str, place: str, prefix: str) -> Origin:
    path = unquote(place)
    if not path.startswith("/") or "\0" in path:
        raise _wrong(url, "the socket's path must be absolute and percent-encoded (%2Frun%2Fengine.sock)")
    if len(path.encode()) > 107:
        raise _wrong(url, "the socket's path is longer than the system's 107 bytes")
    return Origin(authority="localhost", name=path, prefix=prefix, socket=path)


def _inet(url: str, scheme: str, place: str, prefix: str) -> Origin:
    try:
        parts = urlsplit(f"//{place}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _wrong(url, f"host or port cannot be read ({error})") from None
    if port == 0 or place.endswith(":"):
        raise _wrong(url, "the port must be 1 to 65535")
    if not host:
        raise _wrong(url, "it has no host")
    literal = place.startswith("[")
    if literal:
        host = host.replace("%25", "%", 1)
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise _wrong(url, f'"{host}" is no IPv6 address') from None
    else:
        host = _ascii_host(url, host)
    shown = f"[{host}]" if literal else host
    actual = port or _PORTS[scheme]
    plain = f"[{host.partition('%')[0]}]" if literal else host
    return Origin(
        authority=plain if actual == _PORTS[scheme] else f"{plain}:{actual}",
        name=f"{shown}:{actual}",
        prefix=prefix,
        host=host,
        port=actual,
        tls=scheme == "https",
    )


def _ascii_host(url: str, host: str) -> str:
    try:
        ascii_host = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        raise _wrong(url, f'"{host}" is no host name') from None
    if not _HOST.fullmatch(ascii_host) or len(ascii_host) > 253:
        raise _wrong(url, f'"{host}" is no host name')
    if re.fullmatch(r"[0-9.]+", ascii_host):
        try:
            ipaddress.IPv4Address(ascii_host)
        except ValueError:
            raise _wrong(url, f'"{host}" is no IPv4 address') from None
    return ascii_host


def _wrong(url: str, what: str) -> ValueError:
    return ValueError(f'base URL "{url}": {what} ({VALID})')
