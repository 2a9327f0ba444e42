"""One conversation with a mail server, step by step, in a thread (RFC 5321, 3207, 4954)."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
from collections.abc import Sequence

from pointsman.ports.mail import Sent

_PIECE = 64 << 10
_WORDS = 200  # characters of a server's words


class Refused(Exception):
    """The server said no to one step (`at`), with that status; 0: it does not offer what is needed. `words` are its own."""

    def __init__(self, at: str, code: int, words: bytes | str) -> None:
        text = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
        self.at = at
        self.code = code
        self.words = "".join(c if c.isprintable() else " " for c in f"{code} {text}")[:_WORDS]
        super().__init__(self.words)


class MailSession:
    """Methods raise Refused, OSError and SMTPException. `ended`: the last byte of the letter was on its way, so that the
    server may have taken it whatever happens after; before that it must not (RFC 5321, 4.1.1.4). `taken`: it said so.
    `abort` may be called from another thread: it ends whatever is waiting here. `close` leaves nothing open."""

    def __init__(self, host: str, seconds: float) -> None:
        self.ended = False
        self.taken = False
        self._host = host
        self._seconds = seconds
        self._smtp = smtplib.SMTP(local_hostname=_own_name(), timeout=seconds)
        self._sock: socket.socket | None = None
        self._aborted = False

    def take(self, sock: socket.socket) -> None:
        """That connection is the session's from here on."""
        self._sock = sock
        sock.settimeout(self._seconds)

    def begin(self, tls: ssl.SSLContext | None) -> None:
        if tls is not None:
            self._encrypt(tls)
        smtp = self._smtp
        smtp.sock, smtp.file = self._sock, None
        code, words = smtp.getreply()
        if code != 220:
            raise Refused("greeting", code, words)
        self._hello()

    def start_tls(self, tls: ssl.SSLContext) -> None:
        smtp = self._smtp
        if not smtp.has_extn("starttls"):
            raise Refused("tls", 0, "no STARTTLS")
        code, words = smtp.docmd("STARTTLS")
        if code != 220:
            raise Refused("tls", code, words)
        self._encrypt(tls)
        smtp.sock, smtp.file = self._sock, None  # what came before in the plain is forgotten
        smtp.ehlo_resp, smtp.helo_resp, smtp.esmtp_features, smtp.does_esmtp = None, None, {}, False
        self._hello()

    def login(self, user: str, password: str) -> None:
        try:
            self._smtp.login(user, password)
        except smtplib.SMTPAuthenticationError as error:
            raise Refused("login", error.smtp_code, error.smtp_error) from None
        except (smtplib.SMTPNotSupportedError, smtplib.SMTPHeloError) as error:
            raise Refused("login", 0, str(error)) from None
        except smtplib.SMTPServerDisconnected:
            raise
        except smtplib.SMTPException as error:  # no way to log in that both know
            raise Refused("login", 0, str(error)) from None

    def address(self, sender: str, recipients: Sequence[str], size: int) -> Sent:
        """Sender and recipients; of these some may be refused."""
        smtp = self._smtp
        options = [f"size={size}"] if smtp.has_extn("size") else []
        code, words = smtp.mail(sender, options)
        if code != 250:
            raise Refused("sender", code, words)
        taken: list[str] = []
        later: list[tuple[str, int]] = []
        never: list[tuple[str, int]] = []
        for recipient in recipients:
            code, words = smtp.rcpt(recipient)
            if code in (250, 251):
                taken.append(recipient)
            elif code == 421:
                raise Refused("recipients", code, words)
            else:
                (later if 400 <= code < 500 else never).append((recipient, code))
        return Sent(tuple(taken), tuple(later), tuple(never))

    def hand_over(self, data: bytes) -> None:
        """The letter itself."""
        smtp = self._smtp
        code, words = smtp.docmd("DATA")
        if code != 354:
            raise Refused("letter", code, words)
        data = re.sub(rb"(?m)^\.", b"..", data)
        if not data.endswith(b"\r\n"):
            data += b"\r\n"
        for at in range(0, len(data), _PIECE):
            smtp.send(data[at : at + _PIECE])
        self.ended = True
        smtp.send(b".\r\n")
        code, words = smtp.getreply()
        if code < 200:
            raise smtplib.SMTPServerDisconnected("no answer that can be read")
        if code >= 300:
            raise Refused("letter", code, words)
        self.taken = True
        with contextlib.suppress(OSError, smtplib.SMTPException):
            smtp.docmd("QUIT")

    def abort(self) -> None:
        """Ends the connection, where there is one; it is to be closed still."""
        self._aborted = True
        if self._sock is not None:
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._sock, socket.SHUT_RDWR)  # TLS has no say in it

    def close(self) -> None:
        """Once nothing is at work here any more."""
        self._smtp.close()
        if self._sock is not None:
            self._sock.close()

    def _encrypt(self, tls: ssl.SSLContext) -> None:
        assert self._sock is not None
        wrapped = tls.wrap_socket(self._sock, server_hostname=self._host, do_handshake_on_connect=False)
        self.take(wrapped)
        if self._aborted:
            raise ConnectionAbortedError
        wrapped.do_handshake()

    def _hello(self) -> None:
        try:
            self._smtp.ehlo_or_helo_if_needed()
        except smtplib.SMTPHeloError as error:
            raise Refused("hello", error.smtp_code, error.smtp_error) from None


def _own_name() -> str:
    """What the greeting calls this machine: its name where that may stand there, else an address literal."""
    name = socket.gethostname()
    return name if re.fullmatch(r"[A-Za-z0-9.-]{1,100}", name) else "[127.0.0.1]"
