"""Opening a connection: every address of a host in turn and soon in parallel (RFC 8305), errors in plain words."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Callable, Coroutine
from itertools import chain, zip_longest
from typing import Any

from pointsman.backends.http.connection import Connection
from pointsman.backends.http.origin import Origin
from pointsman.domain.said import Said, said
from pointsman.ports.backend import BackendFailure

HEAD_START = 0.25
"""Seconds that an address has before the next one is tried beside it."""

ASKED = 3
"""Seconds of silence after which the other side's kernel is asked whether it is there."""
SILENT = 6

_FORBIDDEN = ("not permitted to connect to {place}", "没有权限连接 {place}")
_TOO_MANY = ("too many open files to connect to {place}", "打开的文件太多，无法连接 {place}")
_WORDS = {
    errno.ECONNREFUSED: ("connection refused at {place}", "{place} 拒绝连接"),
    errno.ECONNRESET: ("connection reset by {place} while connecting", "连接 {place} 时被对方重置"),
    errno.EHOSTUNREACH: ("no route to {place}", "没有到 {place} 的路由"),
    errno.ENETUNREACH: ("no network leads to {place}", "没有通往 {place} 的网络"),
    errno.ETIMEDOUT: ("no answer from {place} to the attempt to connect", "连接 {place} 没有得到回应"),
    errno.ENOENT: ("no socket at {place}", "{place} 处没有套接字"),
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EMFILE: _TOO_MANY,
    errno.ENFILE: _TOO_MANY,
}


async def connect(
    origin: Origin, factory: Callable[[], Connection], tls: ssl.SSLContext | None, seconds: float
) -> Connection:
    """A connection to `origin`, TLS included, within `seconds`; proxies named in the environment play no part.
    BackendFailure("connect") names the place and the cause."""
    try:
        async with asyncio.timeout(seconds) as limit:
            return await _connect(origin, factory, tls)
    except (OSError, ssl.CertificateError) as error:
        late = limit.expired()
        too_late = said(
            "no connection to {name} within {seconds:g} s",
            "没有在 {seconds:g} 秒内连接到 {name}",
            name=origin.name,
            seconds=seconds,
        )
        message = too_late if late else _plain(error, origin)
    raise BackendFailure("connect", message)


async def _connect(origin: Origin, factory: Callable[[], Connection], tls: ssl.SSLContext | None) -> Connection:
    loop = asyncio.get_running_loop()
    if origin.socket is not None:
        return (await loop.create_unix_connection(factory, origin.socket))[1]
    name = origin.host if tls is not None else None

    async def attempt(address: str) -> Connection:
        opened = await loop.create_connection(factory, address, origin.port, ssl=tls, server_hostname=name)
        _notice_silence(opened[0])
        return opened[1]

    addresses = await _addresses(origin.host, origin.port)
    if len(addresses) == 1:
        return await attempt(addresses[0])
    return await _race([attempt(address) for address in addresses])


def _notice_silence(transport: asyncio.BaseTransport) -> None:
    """A machine that is off, or cut off, says nothing: its connections end once its kernel has not confirmed anything for
    `SILENT` seconds, however long an engine may think. Linux; elsewhere as the system has it."""
    sock = transport.get_extra_info("socket")
    if sock is None or not hasattr(socket, "TCP_USER_TIMEOUT"):
        return
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, ASKED)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, SILENT * 1000)


async def _addresses(host: str, port: int) -> list[str]:
    """The host's addresses in the resolver's order, families in turn. `localhost` is both loopbacks, whatever the hosts
    file forgot (RFC 6761)."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    first = [_literal(address) for family, _, _, _, address in found if family == found[0][0]]
    other = [_literal(address) for family, _, _, _, address in found if family != found[0][0]]
    addresses = [address for address in chain.from_iterable(zip_longest(first, other)) if address is not None]
    if host == "localhost":
        addresses += ["127.0.0.1", "::1"]
    return list(dict.fromkeys(addresses))


def _literal(address: tuple[Any, ...]) -> str:
    """The numeric host of a socket address, with the zone of a link-local one."""
    host = str(address[0])
    return f"{host}%{address[3]}" if len(address) == 4 and address[3] and "%" not in host else host


async def _race(attempts: list[Coroutine[Any, Any, Connection]]) -> Connection:
    """The first attempt that succeeds; the others are dropped. All failed: the first one's error."""
    waiting = attempts[::-1]
    running: set[asyncio.Task[Connection]] = set()
    problem: BaseException | None = None
    try:
        while waiting or running:
            if waiting:
                running.add(asyncio.create_task(waiting.pop()))
            done, _ = await asyncio.wait(
                running, timeout=HEAD_START if waiting else None, return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                running.discard(task)
                if (error := task.exception()) is None:
                    return task.result()
                problem = problem or error
        raise problem or OSError("no address")
    finally:
        for coroutine in waiting:
            coroutine.close()
        for task in running:
            task.cancel()
            task.add_done_callback(_drop)


def _drop(task: asyncio.Task[Connection]) -> None:
    if not task.cancelled() and task.exception() is None:
        task.result().abort()


def _plain(error: Exception, origin: Origin) -> Said:
    place = origin.name
    if isinstance(error, ssl.SSLCertVerificationError):
        en, zh = "certificate of {place} not accepted: {why}", "{place} 的证书不被接受：“{why}”"
        return said(en, zh, place=place, why=error.verify_message)
    if isinstance(error, ssl.SSLError):
        en, zh = "TLS handshake with {place} failed: {why}", "与 {place} 的 TLS 握手失败：“{why}”"
        return said(en, zh, place=place, why=error.reason or error)
    if isinstance(error, socket.gaierror):
        en, zh = 'host name "{host}" does not resolve ({why})', "无法解析主机名“{host}”（“{why}”）"
        return said(en, zh, host=origin.host, why=error.strerror)
    words = _WORDS.get(error.errno or 0) if isinstance(error, OSError) else None
    if words:
        return said(*words, place=place)
    return said("cannot connect to {place}: {why}", "无法连接 {place}：“{why}”", place=place, why=error)
