"""A mail server on loopback: aiosmtpd, with TLS, logins and every way of saying no; and one that follows a script."""

from __future__ import annotations

import asyncio
import contextlib
import email
import email.policy
import ssl
from collections.abc import AsyncIterator
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

ITS_OWN_WARNINGS = pytest.mark.filterwarnings("ignore::DeprecationWarning:aiosmtpd", "ignore::UserWarning:aiosmtpd")
USER, PASSWORD = b"reports@example.com", b"correct horse"


class Box:
    """What came, and what is to be answered: `says` maps an address, or `data`, to a status line; one that is there is
    given as often as `times` says, then no more. `logins` are those that tried."""

    def __init__(self) -> None:
        self.port = 0
        self.letters: list[bytes] = []
        self.recipients: list[list[str]] = []
        self.senders: list[str] = []
        self.encrypted: list[bool] = []
        self.logins: list[bytes] = []
        self.says: dict[str, str] = {}
        self.times: dict[str, int] = {}
        self.wait: asyncio.Event | None = None
        self.arrived = asyncio.Event()

    @property
    def messages(self) -> list[EmailMessage]:
        return [email.message_from_bytes(letter, policy=email.policy.default) for letter in self.letters]  # type: ignore[misc]

    def _said(self, what: str) -> str | None:
        if what not in self.says or self.times.get(what, 1) <= 0:
            return None
        self.times[what] = self.times.get(what, 1 << 30) - 1
        return self.says[what]

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any) -> str:
        if (no := self._said(address)) is not None:
            return no
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if self.wait is not None:
            self.arrived.set()
            await self.wait.wait()
        if (no := self._said("data")) is not None:
            return no
        assert isinstance(envelope.content, bytes)
        self.letters.append(envelope.content)
        self.recipients.append(list(envelope.rcpt_tos))
        self.senders.append(envelope.mail_from or "")
        self.encrypted.append(session.ssl is not None or server.transport.get_extra_info("sslcontext") is not None)
        return "250 taken"

    def authenticate(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        self.logins.append(data.login)
        good = (data.login, data.password) == (USER, PASSWORD)
        return AuthResult(success=good, handled=good)


@contextlib.asynccontextmanager
async def mail_server(
    *, starttls: ssl.SSLContext | None = None, tls: ssl.SSLContext | None = None, login: bool = False
) -> AsyncIterator[Box]:
    """Listens on a free port of 127.0.0.1."""
    box = Box()
    loop = asyncio.get_running_loop()

    serving: list[SMTP] = []

    def protocol() -> SMTP:
        one = SMTP(
            box,
            hostname="mail.example.com",
            loop=loop,
            tls_context=starttls,
            require_starttls=starttls is not None,
            authenticator=box.authenticate,
            auth_required=login,
            auth_require_tls=False,
            enable_SMTPUTF8=False,
        )
        serving.append(one)
        return one

    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=tls)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        if box.wait is not None:
            box.wait.set()
        server.close()
        await asyncio.sleep(0.05)  # for those that are about to leave
        for one in serving:
            if one.transport is not None:
                one.transport.abort()
        await asyncio.sleep(0)
        await server.wait_closed()


@contextlib.asynccontextmanager
async def scripted(*lines: bytes, drip: float = 0.0) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A server that says these lines, one for each that it hears (the first one at once), and then closes. `b"..."` reads
    a letter to its end and says nothing, `b"close"` closes, `b"hang"` never says anything again. What it heard comes in the
    list. With `drip` it takes so many seconds for each byte."""
    heard: list[bytes] = []
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())  # type: ignore[arg-type]
        try:
            for number, line in enumerate(lines):
                if number:
                    said = await reader.readline()
                    heard.append(said)
                    if not said:
                        return
                    if line.startswith(b"..."):
                        while said not in (b".\r\n", b""):
                            said = await reader.readline()
                            heard.append(said)
                        line = line[3:]
                if line == b"hang":
                    await reader.read()
                    return
                if line == b"close":
                    return
                for at in range(len(line)) if drip else ():
                    writer.write(line[at : at + 1])
                    await asyncio.sleep(drip)
                writer.write((b"" if drip else line) + b"\r\n")
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], heard
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
