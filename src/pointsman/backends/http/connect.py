"""Opening a connection: every address of a host in turn and soon in parallel (RFC 8305), errors in plain words."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable, Coroutine
from itertools import chain, zip_longest
from typing import Any

from pointsman.backends.http.connection import Connection
from pointsman.backends.http.origin import Origin
from pointsman.ports.backend import BackendFailure

HEAD_START = 0.25
"""Seconds that an address has before the next one is tried beside it."""

_WORDS = {
    errno.ECONNREFUSED: "connection refused at {}",
    errno.ECONNRESET: "connection reset by {} while connecting",
    errno.EHOSTUNREACH: "no route to {}",
    errno.ENETUNREACH: "no network leads to {}",
    errno.ETIMEDOUT: "no answer from {} to the attempt to connect",
    errno.ENOENT: "no socket at {}",
    errno.EACCES: "not permitted to connect to {}",
    errno.EPERM: "not permitted to connect to {}",
    errno.EMFILE: "too many open files to connect to {}",
    errno.ENFILE: "too many open files to connect to {}",
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
        message = f"no connection to {origin.name} within {seconds:g} s" if late else _plain(error, origin)
    raise BackendFailure("connect", message)


async def _connect(origin: Origin, factory: Callable[[], Connection], tls: ssl.SSLContext | None) -> Connection:
    loop = asyncio.get_running_loop()
    if origin.socket is not None:
        return (await loop.create_unix_connection(factory, origin.socket))[1]
    name = origin.host if tls is not None else None

    async def attempt(address: str) -> Connection:
        return (await loop.create_connection(factory, address, origin.port, ssl=tls, server_hostname=name))[1]

    addresses = await _addresses(origin.host, origin.port)
    if len(addresses) == 1:
        return await attempt(addresses[0])
    return await _race([attempt(address) for address in addresses])


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


def _plain(error: Exception, origin: Origin) -> str:
    place = origin.name
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"certificate of {place} not accepted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS handshake with {place} failed: {error.reason or error}"
    if isinstance(error, socket.gaierror):
        return f'host name "{origin.host}" does not resolve ({error.strerror})'
    words = _WORDS.get(error.errno or 0) if isinstance(error, OSError) else None
    return words.format(place) if words else f"cannot connect to {place}: {error}"
