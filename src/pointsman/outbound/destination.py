"""A URL to be called, read once: what is judged is what is connected to."""

from __future__ import annotations

import ipaddress
import re

import msgspec

from pointsman.domain.hosts import Address, read_place
from pointsman.domain.said import Said, said
from pointsman.ports.outbound import Refused

VALID = "http://HOST[:PORT][/PATH][?QUERY], https://HOST[:PORT][/PATH][?QUERY]"
LONGEST = 2048
"""Characters of a URL."""
_PORTS = {"http": 80, "https": 443}
_CREDENTIALS = re.compile(r"(^|//)[^/?#]*@")
_TARGET = re.compile(r"[\x21\x22\x24-\x5b\x5d-\x7e]*")  # printable ASCII without "#" and "\"


class Destination(msgspec.Struct, frozen=True):
    """`host` is an address, or a name in ASCII and lower case; `authority` the Host header's value; `target` what stands in
    the request line; `name` what people read in messages: host and port, never the path, which may hold a secret."""

    tls: bool
    host: str | Address
    port: int
    authority: str
    target: str
    name: str

    @property
    def server_name(self) -> str:
        """Whom a certificate must be of."""
        return str(self.host)


def read_url(url: str) -> Destination:
    """Raises Refused. Nothing in it is put right: what two programs may read in two ways is refused."""
    if len(url) > LONGEST:
        raise _wrong(url, said("it is longer than {most} characters", "长度超过 {most} 个字符", most=LONGEST))
    if not url.isprintable() or re.search(r"\s", url) or not url:
        raise _wrong(url, Said("it is empty or holds spaces or control characters", "它是空的，或者含有空格或控制字符"))
    if "\\" in url:
        raise _wrong(url, Said("it holds a backslash", "它含有反斜杠"))
    scheme, separator, rest = url.partition("://")
    scheme = scheme.lower()
    if not separator:
        raise _wrong(url, Said("it has no scheme", "缺少协议（scheme）"))
    if scheme not in _PORTS:
        raise _wrong(url, said('unknown scheme "{scheme}"', "未知的协议“{scheme}”", scheme=scheme))
    if "#" in rest:
        raise _wrong(
            url, Said("it has a fragment (#), which no server gets to see", "它带有片段（#），服务器看不到片段")
        )
    border = re.search(r"[/?]", rest)
    place, target = (rest[: border.start()], rest[border.start() :]) if border else (rest, "")
    if "@" in place:
        raise _wrong(url, Said("user name and password do not belong in it", "不能含有用户名和密码"))
    try:
        host, port = read_place(place)
    except ValueError as error:
        raise _wrong(url, error.args[0]) from None
    if not _TARGET.fullmatch(target):
        raise _wrong(url, Said("its path is not ASCII: percent-encode it", "路径不是 ASCII：请做百分号编码"))
    plain = f"[{host}]" if isinstance(host, ipaddress.IPv6Address) else str(host)
    actual = port or _PORTS[scheme]
    return Destination(
        tls=scheme == "https",
        host=host,
        port=actual,
        authority=plain if actual == _PORTS[scheme] else f"{plain}:{actual}",
        target=target if target.startswith("/") else "/" + target,
        name=f"{plain}:{actual}",
    )


def _wrong(url: str, what: Said) -> Refused:
    """User names, passwords and queries are not repeated."""
    plain = _CREDENTIALS.sub(r"\1…@", url[:LONGEST]).partition("?")[0]
    plain = "".join(character if character.isprintable() else "�" for character in plain)
    en, zh = 'URL "{url}": {what} (valid: {valid})', "URL“{url}”：{what}（合法取值：{valid}）"
    return Refused(said(en, zh, url=plain if len(plain) <= 120 else plain[:119] + "…", what=what, valid=VALID))
