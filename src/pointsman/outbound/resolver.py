"""Names → addresses, on threads of their own."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from pointsman.domain.hosts import Address

Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
"""The addresses of a name, in the order in which they are to be tried. Raises OSError."""

_THREADS = 4


class Resolver:
    """The system's own resolver. It has its own few threads: look-ups of names that somebody else chose, and of which no
    server answers, hold up each other and not those of the gateway's engines."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="outbound-names")

    async def __call__(self, host: str, port: int) -> list[Address]:
        if host == "localhost" or host.endswith(".localhost"):  # whatever the resolver knows of it (RFC 6761)
            return [ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1")]
        loop = asyncio.get_running_loop()
        try:
            looking_up = loop.run_in_executor(
                self._threads, lambda: socket.getaddrinfo(host.encode("ascii"), port, type=socket.SOCK_STREAM)
            )
        except RuntimeError:
            raise OSError("closed") from None
        found = await looking_up
        return list(dict.fromkeys(ipaddress.ip_address(place[0]) for _, _, _, _, place in found))

    def close(self) -> None:
        """What is being looked up is found; after that no name resolves."""
        self._threads.shutdown(wait=False)
