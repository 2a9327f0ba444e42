"""One call to a URL that somebody else named: judged, connected to what was judged, bounded."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Sequence

from pointsman.domain.hosts import Address, AllowedHosts
from pointsman.domain.said import said
from pointsman.outbound.connect import connect, in_words
from pointsman.outbound.destination import Destination, read_url
from pointsman.outbound.judge import judge
from pointsman.outbound.request_head import request_head
from pointsman.outbound.resolver import Resolve, Resolver
from pointsman.outbound.response import Response
from pointsman.ports.outbound import Answer, FailureKind, Headers, NotAnswered

_LOOK_UP = 2.0
"""Seconds that a check waits for a name to resolve; after that, the call itself has to judge."""


class HttpOutbound:
    """`ports.Outbound` over HTTP/1.1, a connection for each call. `setting` is where in the config the owner lists
    `allowed`, for messages. `tls` replaces the default context (the system's authorities, or those that OpenSSL's
    SSL_CERT_FILE names), `resolve` the system's resolver. For use in one event loop."""

    def __init__(
        self,
        allowed: AllowedHosts,
        setting: str,
        *,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._allowed = allowed
        self._setting = setting
        self._tls = tls
        self._resolver = Resolver()
        self._resolve: Resolve = resolve or self._resolver

    def close(self) -> None:
        """Calls under way go on, except that names do not resolve any more."""
        self._resolver.close()

    async def check(self, url: str) -> None:
        destination = read_url(url)
        try:
            async with asyncio.timeout(_LOOK_UP):
                addresses = await self._addresses(destination)
        except OSError:
            addresses = []
        judge(destination, addresses, self._allowed, self._setting)

    async def ask(
        self,
        method: str,
        url: str,
        headers: Headers = (),
        body: bytes = b"",
        *,
        seconds: float,
        most: int,
        enough: Callable[[bytes], bool] | None = None,
    ) -> Answer:
        destination = read_url(url)
        request = request_head(method, destination, headers, len(body)) + body
        response = Response(destination.name, most, enough)
        sent = False
        problem: OSError | None = None
        try:
            async with asyncio.timeout(seconds) as limit:
                addresses = await self._judged(destination)
                tls = await self._context() if destination.tls else None
                reader, writer = await connect(destination, addresses, tls)
                try:
                    sent = True
                    writer.write(request)
                    await response.read(reader)
                finally:
                    writer.transport.abort()
        except OSError as error:  # also TimeoutError and what TLS has to say
            problem = error
        late = limit.expired()
        answer = response.answer("too_late" if late else "broken")
        if answer is not None:
            return answer
        if late:
            en, zh = "no answer from {name} within {seconds:g} s", "{name} 没有在 {seconds:g} 秒内应答"
            raise NotAnswered("timeout", said(en, zh, name=destination.name, seconds=seconds), sent=sent)
        if problem is None:
            en, zh = "{name} closed the connection before it answered", "{name} 在应答之前关闭了连接"
            raise NotAnswered("reset", said(en, zh, name=destination.name), sent=sent)
        kind: FailureKind = "tls" if isinstance(problem, ssl.SSLError) else "reset"
        raise NotAnswered(kind, in_words(problem, destination.name), sent=sent)

    async def _judged(self, destination: Destination) -> Sequence[Address]:
        try:
            addresses = await self._addresses(destination)
            why = None if addresses else said("no address", "没有地址")
        except TimeoutError:
            raise
        except OSError as error:
            addresses, why = [], said("{it}", "“{it}”", it=error.strerror or error)
        if why is not None:
            en, zh = 'host name "{host}" does not resolve ({why})', "无法解析主机名“{host}”（{why}）"
            raise NotAnswered("resolve", said(en, zh, host=destination.host, why=why), sent=False)
        judge(destination, addresses, self._allowed, self._setting)
        return addresses

    async def _addresses(self, destination: Destination) -> Sequence[Address]:
        if isinstance(destination.host, str):
            return await self._resolve(destination.host, destination.port)
        return [destination.host]

    async def _context(self) -> ssl.SSLContext:
        if self._tls is None:  # reading all authorities takes some 30 ms
            self._tls = await asyncio.to_thread(ssl.create_default_context)
        return self._tls
