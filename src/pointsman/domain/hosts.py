"""Hosts as they stand in URLs, and in lists of those that an owner allows: read so strictly that no two readers disagree."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence

import msgspec

from pointsman.domain.said import Said, said

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

VALID = "hooks.example.com, hooks.example.com:8443, 10.1.2.3, 10.1.2.3:8080, [fd00::5]:8080, 10.1.0.0/16, fd00::/8"
_LONGEST = 253
_NAME = re.compile(r"(?![-.])[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_SIX = re.compile(r"[0-9a-fA-F:.]+")
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_PLACE = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::(.*))?", re.DOTALL)


def read_place(text: str) -> tuple[str | Address, int | None]:
    """`HOST` or `HOST:PORT`, as between `//` and `/` of a URL: the host, and the port where one is named. A name comes in
    ASCII and lower case, without a dot at its end. ValueError says what is wrong, in both languages.

    What some programs take for an address and others for a name (octal, hexadecimal, fewer than four numbers), and names
    that are not how their ASCII form reads (full-width digits, ideographic dots, soft hyphens) are refused."""
    parts = _PLACE.fullmatch(text)
    if parts is None:
        raise ValueError(said('"{it}" is no host', "“{it}”不是主机", it=_short(text)))
    host, port = parts[1], parts[2]
    if port is not None and not (_PORT.fullmatch(port) and int(port) < 65536):
        raise ValueError(said('port "{port}" is not 1 to 65535', "端口“{port}”不在 1 到 65535 之间", port=_short(port)))
    return _host(host), None if port is None else int(port)


def _host(text: str) -> str | Address:
    if text.startswith("["):
        try:
            return ipaddress.IPv6Address(text[1:-1] if _SIX.fullmatch(text[1:-1]) else "")
        except ValueError:
            raise ValueError(said('"{it}" is no IPv6 address', "“{it}”不是 IPv6 地址", it=_short(text))) from None
    if not text:
        raise ValueError(Said("it has no host", "缺少主机"))
    name = text if text.isascii() else _in_ascii(text)
    name = name.lower().removesuffix(".")
    if _NUMBER.fullmatch(name):
        try:
            return ipaddress.IPv4Address(name)
        except ValueError:
            en = '"{it}" is no IPv4 address of four decimal numbers, such as 192.0.2.7'
            zh = "“{it}”不是由四个十进制数组成的 IPv4 地址，例如 192.0.2.7"
            raise ValueError(said(en, zh, it=_short(text))) from None
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        raise ValueError(said('"{it}" is no host name', "“{it}”不是主机名", it=_short(text)))
    return name


def _in_ascii(text: str) -> str:
    """The ASCII form of a name in other letters, where it stands for nothing but that name."""
    try:
        name = text.encode("idna").decode("ascii") if len(text) <= _LONGEST else ""
        back = name.encode("ascii").decode("idna")
    except UnicodeError:
        name = back = ""
    if name and back == text.lower():
        return name
    if not name:
        raise ValueError(said('"{it}" is no host name', "“{it}”不是主机名", it=_short(text)))
    en = 'programs disagree what host "{it}" is: write it in ASCII, such as "{name}"'
    zh = "各种程序对主机“{it}”的理解不一致：请用 ASCII 书写，例如“{name}”"
    raise ValueError(said(en, zh, it=_short(text), name=name))


def _short(text: str) -> str:
    """Fit to be quoted: without controls, not too long."""
    plain = "".join(character if character.isprintable() else "�" for character in text)
    return plain if len(plain) <= 60 else plain[:59] + "…"


class AllowedHosts(msgspec.Struct, frozen=True):
    """Where an owner lets calls go beside the public Internet. An entry without a port allows all of them."""

    names: frozenset[tuple[str, int | None]] = frozenset()
    networks: frozenset[tuple[Network, int | None]] = frozenset()

    def named(self, host: str, port: int) -> bool:
        """Whether that name is trusted, whatever address it has."""
        return (host, port) in self.names or (host, None) in self.names

    def holds(self, address: Address, port: int) -> bool:
        return any(address in network and only in (None, port) for network, only in self.networks)


def read_hosts(entries: Sequence[str]) -> AllowedHosts:
    """Host names, IP addresses, both with or without a port, and networks. ValueError names the entry and what is valid."""
    names, networks = set(), set()
    for entry in entries:
        try:
            what, port = _entry(entry)
        except ValueError as error:
            raise ValueError(
                said(
                    'entry "{entry}": {what} (valid: {valid})',
                    "条目“{entry}”：{what}（合法取值：{valid}）",
                    entry=_short(entry),
                    what=error.args[0],
                    valid=VALID,
                )
            ) from None
        if isinstance(what, str):
            names.add((what, port))
        else:
            networks.add((ipaddress.ip_network(what), port))
    return AllowedHosts(frozenset(names), frozenset(networks))


def _entry(entry: str) -> tuple[str | Address | Network, int | None]:
    if "://" in entry:
        raise ValueError(Said("a host stands here, not a URL", "这里应填主机，而不是 URL"))
    if "/" in entry:
        return _network(entry), None
    if entry.count(":") > 1 and not entry.startswith("["):
        return read_place(f"[{entry}]")
    return read_place(entry)


def _network(entry: str) -> Network:
    try:
        network = ipaddress.ip_network(entry, strict=False)
    except ValueError:
        raise ValueError(said('"{it}" is no network', "“{it}”不是网段", it=_short(entry))) from None
    if str(network.network_address) != str(ipaddress.ip_address(entry.partition("/")[0])):
        en, zh = (
            'that address lies inside a network: "{network}" is the network',
            "该地址在网段之内：网段应写作“{network}”",
        )
        raise ValueError(said(en, zh, network=network))
    return network
