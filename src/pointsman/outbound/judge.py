"""Where a call may go. Pure: the addresses of a name come in as they were found."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.domain.hosts import Address, AllowedHosts
from pointsman.domain.said import Said, said
from pointsman.outbound.addresses import what_else
from pointsman.outbound.destination import Destination
from pointsman.ports.outbound import Refused

OTHER_PROTOCOLS = frozenset(
    (20, 21, 22, 23, 25, 53, 110, 119, 135, 139, 143, 179, 194, 389, 445, 465, 514, 515, 563, 587, 601, 636, 873, 993)
) | frozenset(
    (995, 2049, 3306, 3389, 4045, 5060, 5061, 5432, 6000, 6379, 6665, 6666, 6667, 6668, 6669, 6697, 9042, 11211, 27017)
)
"""Ports where something else than HTTP listens: mail, shells, databases, chats, some of which take a request's lines for
commands."""


def judge(destination: Destination, addresses: Sequence[Address], allowed: AllowedHosts, setting: str) -> None:
    """Raises Refused unless a connection to any of `addresses` is a call to the public Internet, or to what the owner
    listed under `setting`. One bad address among good ones is enough: whoever may connect to a name's good address may be
    led to its bad one the next time. The address behind a name is not told, for the caller may not know the network."""
    host, port = destination.host, destination.port
    if isinstance(host, str) and allowed.named(host, port):
        return
    unlisted = [address for address in addresses if not allowed.holds(address, port)]
    for address in unlisted:
        what = what_else(address)
        if what is not None:
            raise _refused(destination, what, setting)
    if unlisted and port in OTHER_PROTOCOLS:
        en, zh = (
            'URL: port {port} is not one for HTTP; the owner can allow it: {setting}: ["{name}"]',
            'URL：端口 {port} 不是 HTTP 使用的端口；管理员可以放行：{setting}: ["{name}"]',
        )
        raise Refused(said(en, zh, port=port, setting=setting, name=destination.name))


def _refused(destination: Destination, what: Said, setting: str) -> Refused:
    if isinstance(destination.host, str):
        en = 'URL: host "{host}" leads to {what}; public addresses are valid, or the owner allows it: {setting}: ["{host}"]'
        zh = 'URL：主机“{host}”指向{what}；只能是公网地址，或由管理员放行：{setting}: ["{host}"]'
    else:
        en = 'URL: {host} is {what}; public addresses are valid, or the owner allows it: {setting}: ["{host}"]'
        zh = 'URL：{host} 是{what}；只能是公网地址，或由管理员放行：{setting}: ["{host}"]'
    return Refused(said(en, zh, host=destination.host, what=what, setting=setting))
