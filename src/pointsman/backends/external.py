"""Whether an address lies outside this network, judged by its text alone: nothing is looked up."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address

from pointsman.backends.http import parse_origin

LOCAL_SUFFIXES = (".localhost", ".local", ".lan", ".internal", ".home.arpa")
"""Names that only a local network resolves: RFC 6761, 6762, 8375, ICANN's `.internal`, and the customary `.lan`."""


def is_external(base_url: str) -> bool:
    """True where requests to `base_url` would leave this network; what cannot be judged counts as external.

    Local are: Unix sockets, loopback, private and link-local addresses (also IPv4 inside IPv6), names of one label, and
    names under LOCAL_SUFFIXES. 100.64.0.0/10 (carriers, Tailscale) is external: whose it is cannot be told."""
    try:
        origin = parse_origin(base_url)
    except ValueError:
        return True
    if origin.socket is not None:
        return False
    host = origin.host.rstrip(".").lower()
    address = _address(host)
    if address is not None:
        return not (address.is_private or address.is_loopback or address.is_link_local)
    return "." in host and not host.endswith(LOCAL_SUFFIXES)


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """The address that a host stands for, in every spelling that a resolver takes (`0x7f000001`); None for a name."""
    try:
        address = ip_address(host)
    except ValueError:
        try:
            return IPv4Address(socket.inet_aton(host))
        except OSError:
            return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
