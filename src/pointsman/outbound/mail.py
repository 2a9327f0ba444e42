"""Letters over SMTP: a connection for each, closed when it takes too long or is called off."""

from __future__ import annotations

import asyncio
import smtplib
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeVar

import msgspec

from pointsman.domain.hosts import Address
from pointsman.domain.said import Said, said
from pointsman.outbound.connect import in_words
from pointsman.outbound.letter import encoded, read_address
from pointsman.outbound.mail_session import MailSession, Refused
from pointsman.outbound.resolver import Resolve, Resolver
from pointsman.ports.mail import Letter, MailFailure, NotSent, Sent

T = TypeVar("T")
Tls = Literal["starttls", "tls", "off"]
PORTS: dict[Tls, int] = {"starttls": 587, "tls": 465, "off": 25}
_THREADS = 8
_EACH = 10.0  # seconds for one address of a server


class MailServer(msgspec.Struct, frozen=True, kw_only=True):
    """Where letters go, as its owner wrote it. `ca_file` replaces the system's authorities; `seconds` bound one try."""

    host: str
    port: int
    tls: Tls = "starttls"
    user: str | None = None
    password: str | None = None
    ca_file: str | None = None
    seconds: float = 60.0

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.host}:{self.port}"


class SmtpMailer:
    """`ports.Mailer` over smtplib, which works in threads of this mailer's own; a try that is over closes its connection,
    whereupon its thread ends. For use in one event loop."""

    def __init__(self, server: MailServer, *, resolve: Resolve | None = None) -> None:
        self._server = server
        self._resolver = Resolver()
        self._resolve: Resolve = resolve or self._resolver
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="outbound-mail")
        self._tls: ssl.SSLContext | None = None

    def close(self) -> None:
        self._resolver.close()
        self._threads.shutdown(wait=False)

    async def send(self, letter: Letter, recipients: Sequence[str], before: Callable[[], Awaitable[None]]) -> Sent:
        server = self._server
        session = MailSession(server.host, server.seconds)
        sent: Sent | None = None
        try:
            async with asyncio.timeout(server.seconds) as limit:
                data = await self._off(session, lambda: encoded(letter))
                tls = None if server.tls == "off" else await self._off(session, self._context)
                session.take(await self._connected())
                sender = read_address(letter.sender).addr_spec
                sent = await self._off(session, lambda: self._agreed(session, tls, sender, recipients, len(data)))
                if sent.taken:
                    await before()
                    await self._off(session, lambda: session.hand_over(data))
                return sent
        except TimeoutError:
            if sent is not None and session.taken:
                return sent
            if not limit.expired():  # a read of the thread's own
                raise self._broke(TimeoutError(), session) from None
            en, zh = "the mail server was not done within {seconds:g} s", "邮件服务器在 {seconds:g} 秒内没有完成"
            message = said(en, zh, seconds=server.seconds)
            raise NotSent("timeout", message, again=True, uncertain=session.ended, detail=server.name) from None
        except Refused as refused:
            raise self._refusal(refused) from None
        except (OSError, smtplib.SMTPException, ValueError) as error:
            raise self._broke(error, session) from None
        finally:
            session.close()

    # Steps

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:  # reading all authorities takes some 30 ms
            self._tls = ssl.create_default_context(cafile=self._server.ca_file)
        return self._tls

    async def _connected(self) -> socket.socket:
        """To the first address that takes the connection. Raises NotSent."""
        try:
            addresses = await self._resolve(self._server.host, self._server.port)
        except OSError as error:
            raise NotSent("resolve", _NO_ADDRESS, again=True, detail=f"{self._server.name}: {error}") from None
        problem: OSError | None = None
        for address in addresses:
            try:
                return await self._connection(address)
            except OSError as error:
                problem = problem or error
        detail = f"{self._server.name}: {problem}"
        raise NotSent("connect", in_words(problem, _SERVER), again=True, detail=detail)

    async def _connection(self, address: Address) -> socket.socket:
        raw = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
        try:
            raw.setblocking(False)
            async with asyncio.timeout(_EACH):
                await asyncio.get_running_loop().sock_connect(raw, (str(address), self._server.port))
        except BaseException:
            raw.close()
            raise
        return raw

    def _agreed(
        self,
        session: MailSession,
        tls: ssl.SSLContext | None,
        sender: str,
        recipients: Sequence[str],
        size: int,
    ) -> Sent:
        """In a thread: all that comes before the letter itself."""
        server = self._server
        session.begin(tls if server.tls == "tls" else None)
        if server.tls == "starttls" and tls is not None:
            session.start_tls(tls)
        if server.user is not None:
            session.login(server.user, server.password or "")
        return session.address(sender, recipients, size)

    async def _off(self, session: MailSession, work: Callable[[], T]) -> T:
        """In a thread; who is cancelled closes the session, and waits for the thread to notice."""
        try:
            future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        except RuntimeError:  # closed meanwhile
            raise ConnectionAbortedError from None
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            session.abort()
            await asyncio.wait([future])
            future.exception()
            raise

    # What went wrong

    def _refusal(self, refused: Refused) -> NotSent:
        code = refused.code
        again = 400 <= code < 500
        what = _WHAT.get(refused.at, _WHAT["other"])
        en, zh = "the mail server refused {what} ({code})", "邮件服务器拒绝了{what}（{code}）"
        kind: MailFailure = "login" if refused.at == "login" else "busy" if again else "refused"
        return NotSent(
            kind, said(en, zh, what=what, code=code or Said("not offered", "不支持")), again=again, status=code or None,
            detail=f"{self._server.name}: {refused.words}",
        )  # fmt: skip

    def _broke(self, error: Exception, session: MailSession) -> NotSent:
        name = self._server.name
        if isinstance(error, ssl.SSLError) and not session.ended:
            why = _NO_TRUST if isinstance(error, ssl.SSLCertVerificationError) else _NO_TLS
            return NotSent("tls", why, again=True, detail=f"{name}: {error}")
        if isinstance(error, UnicodeError) or (isinstance(error, ValueError) and not session.ended):
            why = Said("the letter or the login cannot be written in ASCII", "邮件或登录信息无法用 ASCII 表示")
            return NotSent("letter", why, again=False, detail=f"{name}: {error}")
        if session.ended:
            why = Said(
                "the mail server had all of the letter, and its answer did not come",
                "邮件已全部交给邮件服务器，但没有收到它的应答",
            )
        else:
            why = Said("the mail server broke the connection off", "邮件服务器中断了连接")
        return NotSent("broken", why, again=True, uncertain=session.ended, detail=f"{name}: {error}")


_SERVER = Said("the mail server", "邮件服务器")
_NO_ADDRESS = Said("the mail server's name does not resolve", "无法解析邮件服务器的主机名")
_NO_TRUST = Said("the certificate of the mail server is not accepted", "邮件服务器的证书不被接受")
_NO_TLS = Said("TLS with the mail server failed", "与邮件服务器的 TLS 通信失败")
_WHAT = {
    "greeting": Said("the connection", "连接"),
    "hello": Said("the greeting", "问候"),
    "tls": Said("encryption", "加密"),
    "login": Said("the login", "登录"),
    "sender": Said("the sender", "发件人"),
    "recipients": Said("the recipients", "收件人"),
    "letter": Said("the letter", "这封邮件"),
    "other": Said("it", "请求"),
}
