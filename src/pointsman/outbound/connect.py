"""A connection to one of the addresses that were judged, to nothing else, and what went wrong in plain words."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Sequence

from pointsman.domain.hosts import Address
from pointsman.domain.said import Said, said
from pointsman.outbound.destination import Destination
from pointsman.ports.outbound import FailureKind, NotAnswered

EACH = 5.0
"""Seconds for one address, where there is another to try."""
_WORDS = {
    errno.ECONNREFUSED: ("connection refused at {name}", "{name} 拒绝连接"),
    errno.ECONNRESET: ("{name} reset the connection", "{name} 重置了连接"),
    errno.EPIPE: ("{name} closed the connection", "{name} 关闭了连接"),
    errno.EHOSTUNREACH: ("no route to {name}", "没有到 {name} 的路由"),
    errno.ENETUNREACH: ("no network leads to {name}", "没有通往 {name} 的网络"),
    errno.ETIMEDOUT: ("no answer from {name} to the attempt to connect", "连接 {name} 没有得到回应"),
}


async def connect(
    destination: Destination, addresses: Sequence[Address], tls: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """In their order, one after the other. No name is looked up here, and no proxy of the environment plays a part. The
    certificate must be of the destination's name. Raises NotAnswered ("connect", "tls") for the first address."""
    problem: Exception | None = None
    for number, address in enumerate(addresses, 1):
        try:
            async with asyncio.timeout(EACH if number < len(addresses) else None):
                return await asyncio.open_connection(
                    str(address),
                    destination.port,
                    flags=socket.AI_NUMERICHOST,
                    ssl=tls,
                    server_hostname=destination.server_name if tls else None,
                )
        except (OSError, ssl.CertificateError) as error:
            problem = problem or error
    kind: FailureKind = "tls" if isinstance(problem, ssl.SSLError | ssl.CertificateError) else "connect"
    raise NotAnswered(kind, in_words(problem, destination.name), sent=False)


def in_words(error: Exception | None, name: str) -> Said:
    """What happened to a connection to `name`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        en, zh = "certificate of {name} not accepted: {why}", "{name} 的证书不被接受：“{why}”"
        return said(en, zh, name=name, why=error.verify_message)
    if isinstance(error, ssl.SSLError):
        en, zh = "TLS with {name} failed: {why}", "与 {name} 的 TLS 通信失败：“{why}”"
        return said(en, zh, name=name, why=error.reason or error)
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, TimeoutError):
        number = errno.ETIMEDOUT
    if number in _WORDS:
        return said(*_WORDS[number], name=name)
    return said("no connection to {name}: {why}", "无法连接 {name}：“{why}”", name=name, why=error)
