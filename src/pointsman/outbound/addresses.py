"""Which IP addresses are public ones. Pure; the networks are those of IANA's special-purpose registries."""

from __future__ import annotations

import ipaddress

from pointsman.domain.hosts import Address, Network
from pointsman.domain.said import Said

_LOOPBACK = Said("a loopback address", "回环地址")
_PRIVATE = Said("a private address", "私有地址")
_LINK_LOCAL = Said("a link-local address", "链路本地地址")
_MULTICAST = Said("a multicast address", "组播地址")
_UNSPECIFIED = Said("an address of no host", "不属于任何主机的地址")
_RESERVED = Said("a reserved address", "保留地址")
_SHARED = Said("an address of a provider's own network (RFC 6598)", "运营商内部网络的地址（RFC 6598）")
_EXAMPLES = Said("an address for documentation or measurements", "文档或测试专用地址")
_CLOUD = Said("an address of the cloud's own services", "云平台内部服务的地址")
_EMBEDDED = Said("an IPv4 address inside an IPv6 one", "嵌在 IPv6 地址里的 IPv4 地址")

_UNIVERSAL = ipaddress.IPv6Network("2000::/3")
"""All that IANA has given out for the Internet; the rest is reserved."""


def _networks(table: dict[str, Said]) -> tuple[tuple[Network, Said], ...]:
    return tuple((ipaddress.ip_network(network), what) for network, what in table.items())


_IPV4 = _networks(
    {
        "0.0.0.0/8": _UNSPECIFIED,
        "10.0.0.0/8": _PRIVATE,
        "100.64.0.0/10": _SHARED,
        "127.0.0.0/8": _LOOPBACK,
        "168.63.129.16/32": _CLOUD,  # Azure's, reached from its machines alone
        "169.254.0.0/16": _LINK_LOCAL,
        "172.16.0.0/12": _PRIVATE,
        "192.0.0.0/24": _RESERVED,
        "192.0.2.0/24": _EXAMPLES,
        "192.88.99.0/24": _RESERVED,
        "192.168.0.0/16": _PRIVATE,
        "198.18.0.0/15": _EXAMPLES,
        "198.51.100.0/24": _EXAMPLES,
        "203.0.113.0/24": _EXAMPLES,
        "224.0.0.0/4": _MULTICAST,
        "240.0.0.0/4": _RESERVED,
    }
)
_IPV6 = _networks(
    {
        "::/128": _UNSPECIFIED,
        "::1/128": _LOOPBACK,
        "::/96": _EMBEDDED,
        "::ffff:0:0/96": _EMBEDDED,
        "::ffff:0:0:0/96": _EMBEDDED,
        "64:ff9b::/96": _EMBEDDED,  # NAT64
        "64:ff9b:1::/48": _EMBEDDED,
        "2001::/32": _EMBEDDED,  # Teredo
        "2001::/23": _RESERVED,
        "2001:db8::/32": _EXAMPLES,
        "2002::/16": _EMBEDDED,  # 6to4
        "3fff::/20": _EXAMPLES,
        "fc00::/7": _PRIVATE,
        "fe80::/10": _LINK_LOCAL,
        "fec0::/10": _PRIVATE,
        "ff00::/8": _MULTICAST,
    }
)


def what_else(address: Address) -> Said | None:
    """What the address is, where it is not a public one: None for one that anybody on the Internet means by it. IPv6
    addresses that carry an IPv4 one are never public, whichever they carry."""
    for network, what in _IPV4 if address.version == 4 else _IPV6:
        if address in network:
            return what
    if address.version == 4:
        return None
    if address not in _UNIVERSAL:
        return _RESERVED
    if (int(address) >> 32) & 0xFDFFFFFF == 0x5EFE:  # ISATAP: the last 32 bits are the IPv4 address
        return _EMBEDDED
    return None


def is_public(address: Address) -> bool:
    return what_else(address) is None
