"""Where a service is, as its owner wrote it: nothing of it can come from a user."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote

from pointsman.actions.http.call import SLOT
from pointsman.domain.hosts import Address, AllowedHosts, read_place
from pointsman.domain.said import Said, said

VALID = "http://HOST[:PORT][/PATH], https://HOST[:PORT][/PATH]"
_PORTS = {"http": 80, "https": 443}


def read_base(url: str) -> tuple[str, str]:
    """Origin and what follows it (empty, or from a slash or question mark on). ValueError says what is wrong, in both
    languages."""
    scheme, found, rest = url.partition("://")
    if not found or scheme.lower() not in _PORTS:
        raise ValueError(said("begins with {valid}", "应以 {valid} 开头", valid="http://, https://"))
    border = re.search(r"[/?#]", rest)
    place, behind = (rest[: border.start()], rest[border.start() :]) if border else (rest, "")
    if "{" in place or "}" in place:
        raise ValueError(
            Said(
                "no slot can stand in the host: it is the owner's alone to say",
                "主机部分不能有占位符，只能由管理员写明",
            )
        )
    if "@" in place:
        raise ValueError(
            Said(
                "user name and password do not belong in it; use headers: {Authorization: Basic NAME:${PASSWORD}}",
                "不能含有用户名和密码；请用 headers: {Authorization: Basic 用户名:${PASSWORD}}",
            )
        )
    read_place(place)  # raises with its own words
    return f"{scheme.lower()}://{place}", behind


def not_public(origin: str, allowed: AllowedHosts) -> Said | None:
    """What its owner has to list before it can be called, as far as the URL itself tells; names are judged when they are
    called."""
    scheme, _, place = origin.partition("://")
    host, port = read_place(place)
    port = port or _PORTS[scheme]
    if isinstance(host, str):
        local = host == "localhost" or host.endswith(".localhost")
        if local and not allowed.named(host, port) and not _loopback(allowed, port):
            return said("“{host}” is this machine: add it to allow", "“{host}”是本机：请加入 allow", host=host)
        return None
    if _public(host) or allowed.holds(host, port):
        return None
    return said("{host} is no public address: add it to allow", "{host} 不是公网地址：请加入 allow", host=host)


def _loopback(allowed: AllowedHosts, port: int) -> bool:
    return allowed.holds(ipaddress.IPv4Address("127.0.0.1"), port) and allowed.holds(ipaddress.IPv6Address("::1"), port)


def _public(address: Address) -> bool:
    return address.is_global and not address.is_multicast


def path_of(text: str) -> str:
    """A path template, what is no slot of it percent-encoded where it has to be. Raises ValueError, in both languages."""
    pieces = []
    last = 0
    for match in SLOT.finditer(text):
        pieces += [
            _words(text[last : match.start()]),
            match[0] if match[1] is not None else quote(match[0][0], safe=""),
        ]
        last = match.end()
    pieces.append(_words(text[last:]))
    path = "".join(pieces) or "/"
    if any(segment in (".", "..") for segment in path.split("/")):
        raise ValueError(Said("its path has a segment . or ..", "路径中有 . 或 .. 段"))
    return path


def _words(text: str) -> str:
    if re.search(r"[\x00-\x20\x7f\\{}]", text):
        en = "its path holds a space, a control, a backslash or a lone brace"
        raise ValueError(Said(en, "路径中有空格、控制字符、反斜杠或不成对的花括号"))
    return quote(text, safe="/%:@!$&'()*+,;=-._~")
