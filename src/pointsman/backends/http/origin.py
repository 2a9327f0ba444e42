"""Where a backend lives: its base URL, read once."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import unquote, urlsplit

import msgspec

from pointsman.domain.said import Said, said

VALID = (
    "http://HOST[:PORT][/PATH], https://HOST[:PORT][/PATH], unix:/path/to.sock[:/PATH], "
    "http+unix://%2Fpath%2Fto.sock[/PATH]"
)
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
        raise _wrong(url, Said("it is empty or holds spaces or control characters", "它是空的，或者含有空格或控制字符"))
    if url[:5].lower() == "unix:":
        return _unix(url, *_place_and_path(url, url[5:], ":"))
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    if not separator:
        raise _wrong(url, Said("it has no scheme", "缺少协议（scheme）"))
    if "@" in re.split(r"[/?#]", rest, maxsplit=1)[0]:
        what = Said(
            "credentials do not belong in it: set the backend's key instead", "不能含有凭据：请改为设置后端的密钥"
        )
        raise _wrong("…@" + rest.partition("@")[2], what)
    place, prefix = _place_and_path(url, rest, "/")
    if scheme == "http+unix":
        return _unix(url, unquote(place), prefix)
    if scheme not in _PORTS:
        raise _wrong(url, said('unknown scheme "{scheme}"', "未知的协议“{scheme}”", scheme=scheme))
    return _inet(url, scheme, place, prefix)


def _place_and_path(url: str, rest: str, border: str) -> tuple[str, str]:
    """What to connect to, and the path in front of every call's path."""
    if "?" in rest or "#" in rest:
        raise _wrong(
            url, Said("a query or fragment cannot stand in front of a call's path", "不能带有查询参数（?）或片段（#）")
        )
    place, _, path = rest.partition(border)
    prefix = "/" + path.strip("/") if path.strip("/") else ""
    if not prefix.isascii():
        raise _wrong(url, Said("its path is not ASCII: percent-encode it", "路径不是 ASCII：请做百分号编码"))
    return place, prefix


def _unix(url: str, path: str, prefix: str) -> Origin:
    if path.startswith("//"):
        path = "/" + path.lstrip("/")
    if not path.startswith("/") or "\0" in path:
        raise _wrong(
            url,
            Said(
                "the socket's path must be absolute (unix:/run/engine.sock, http+unix://%2Frun%2Fengine.sock)",
                "套接字的路径必须是绝对路径（unix:/run/engine.sock、http+unix://%2Frun%2Fengine.sock）",
            ),
        )
    if len(path.encode()) > 107:
        raise _wrong(
            url,
            Said("the socket's path is longer than the system's 107 bytes", "套接字的路径超过了系统允许的 107 字节"),
        )
    return Origin(authority="localhost", name=path, prefix=prefix, socket=path)


def _inet(url: str, scheme: str, place: str, prefix: str) -> Origin:
    try:
        parts = urlsplit(f"//{place}")
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        what = said("host or port cannot be read ({why})", "无法读出主机或端口（“{why}”）", why=error)
        raise _wrong(url, what) from None
    if port == 0 or place.endswith(":"):
        raise _wrong(url, Said("the port must be 1 to 65535", "端口必须在 1 到 65535 之间"))
    if not host:
        raise _wrong(url, Said("it has no host", "缺少主机"))
    literal = place.startswith("[")
    if literal:
        host = host.replace("%25", "%", 1)
        try:
            ipaddress.IPv6Address(host)
        except ValueError:
            raise _wrong(url, said('"{host}" is no IPv6 address', "“{host}”不是 IPv6 地址", host=host)) from None
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
        raise _wrong(url, _no_host_name(host)) from None
    if not _HOST.fullmatch(ascii_host) or len(ascii_host) > 253:
        raise _wrong(url, _no_host_name(host))
    if re.fullmatch(r"[0-9.]+", ascii_host):
        try:
            ipaddress.IPv4Address(ascii_host)
        except ValueError:
            raise _wrong(url, said('"{host}" is no IPv4 address', "“{host}”不是 IPv4 地址", host=host)) from None
    return ascii_host


def _no_host_name(host: str) -> Said:
    return said('"{host}" is no host name', "“{host}”不是主机名", host=host)


def _wrong(url: str, what: Said) -> ValueError:
    return ValueError(
        said(
            'base URL "{url}": {what} (valid: {valid})',
            "base URL“{url}”：{what}（合法取值：{valid}）",
            url=url,
            what=what,
            valid=VALID,
        )
    )
