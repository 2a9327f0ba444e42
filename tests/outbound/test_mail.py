"""Letters and a real mail server: what it gets, what each of its answers means, and when nobody knows."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from certificates import Authority
from mail_server import ITS_OWN_WARNINGS, PASSWORD, USER, mail_server, scripted
from pointsman.domain.said import Said
from pointsman.outbound.letter import encoded, read_address
from pointsman.outbound.mail import MailServer, SmtpMailer
from pointsman.ports.mail import Enclosure, Letter, NotSent, Sent

pytestmark = ITS_OWN_WARNINGS
TO = ("finance@example.com", "ann@example.com")
LETTER = Letter(
    message_id="delivery_1.1@example.com",
    date=1_800_000_000.0,
    sender="报表 <reports@example.com>",
    to=("财务部 <finance@example.com>",),
    cc=("ann@example.com",),
    subject="订单报表（上周）",
    text="你好：\n.\n..两点\n报表见附件。",
    files=(Enclosure("订单报表_2026-11-16.pdf", "application/pdf", b"%PDF-1.7\n" + bytes(range(256)) * 300),),
)
HELLO = (b"220 hello", b"250 scripted", b"250 sender", b"250 first", b"250 second")


class Before:
    """Counts how often it was called."""

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self) -> None:
        self.calls += 1


async def send(port: int, before: Before | None = None, letter: Letter = LETTER, **server: Any) -> Sent:
    given: dict[str, Any] = {"host": "127.0.0.1", "port": port, "tls": "off", "seconds": 10.0, **server}
    mailer = SmtpMailer(MailServer(**given))
    try:
        return await mailer.send(letter, TO, before or Before())
    finally:
        mailer.close()


async def failure(port: int, before: Before | None = None, **server: Any) -> NotSent:
    with pytest.raises(NotSent) as caught:
        await send(port, before, **server)
    error = caught.value
    assert isinstance(error.message, Said)
    for told in (str(error.message), error.message.zh):  # whoever may see the job need not know the network
        assert "127.0.0.1" not in told and str(port) not in told and "example.com" not in told
    return error


async def test_a_server_gets_the_letter_whole():
    async with mail_server() as box:
        before = Before()
        assert await send(box.port, before) == Sent(TO)
    assert before.calls == 1 and box.recipients == [list(TO)] and box.senders == ["reports@example.com"]
    [message] = box.messages
    assert message["Message-ID"] == "<delivery_1.1@example.com>"
    assert message["Subject"] == "订单报表（上周）"
    assert (message["From"], message["To"]) == ("报表 <reports@example.com>", "财务部 <finance@example.com>")
    assert message["Cc"] == "ann@example.com" and message["Date"] == "Fri, 15 Jan 2027 08:00:00 +0000"
    assert message["Auto-Submitted"] == "auto-generated"
    body = message.get_body()
    assert body is not None and body.get_content().replace("\r\n", "\n") == LETTER.text + "\n"
    [file] = message.iter_attachments()
    assert file.get_filename() == "订单报表_2026-11-16.pdf" and file.get_content_type() == "application/pdf"
    assert file.get_content() == LETTER.files[0].content


async def test_what_goes_out_is_ascii_in_lines_of_bounded_length():
    data = encoded(LETTER)
    assert data.isascii() and max(map(len, data.split(b"\r\n"))) <= 998
    assert b"\n" not in data.replace(b"\r\n", b"")


@pytest.mark.parametrize(
    "evil",
    [
        "Weekly\r\nBcc: eve@example.com",
        "Weekly\nBcc: eve@example.com",
        "Weekly\rBcc: eve@example.com",
        "Weekly\u2028Bcc: eve@example.com",
        "Weekly\x85Bcc: eve@example.com",
        "Weekly\r\n\r\n<html>",
        "周报" * 60 + "\r\n Bcc: eve@example.com",
        "half \ud800 of a character\x00",
    ],
)
async def test_no_text_makes_up_a_header(evil: str):
    letter = Letter(
        message_id="a@b.example",
        date=0.0,
        sender="r@example.com",
        to=("finance@example.com",),
        subject=evil,
        text="x" + evil.replace("\ud800", ""),
        files=(Enclosure(evil + ".pdf", "application/pdf\r\nBcc: eve@example.com", b"x"),),
    )
    async with mail_server() as box:
        await send(box.port, letter=letter)
    [message] = box.messages
    assert message["Bcc"] is None and sorted(message.keys()) == sorted(
        ["Message-ID", "Date", "From", "To", "Subject", "Auto-Submitted", "MIME-Version", "Content-Type"]
    )
    assert "\n" not in message["Subject"] and len(message["Subject"]) <= 200
    [file] = message.iter_attachments()
    assert sorted(file.keys()) == sorted(
        ["Content-Type", "Content-Transfer-Encoding", "Content-Disposition", "MIME-Version"]
    )


@pytest.mark.parametrize(
    "text",
    ["", "finance", "a@b, c@d", "a@b\r\nBcc: x@y", "财务@example.com", "a@-b", "a@", "@b", "a..b@c", "张三 a@b.com x"],
)
def test_what_is_no_address_is_refused_in_both_languages(text: str):
    with pytest.raises(ValueError) as caught:
        read_address(text)
    assert isinstance(caught.value.args[0], Said)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("finance@example.com", "finance@example.com"),
        ("财务部 <finance@example.com>", "finance@example.com"),
        ('"Smith, Ann" <ann@example.com>', "ann@example.com"),
        ("ann@例子.com", "ann@xn--fsqu00a.com"),
        ("root@localhost", "root@localhost"),
    ],
)
def test_addresses(text: str, plain: str):
    assert read_address(text).addr_spec == plain


@pytest.mark.parametrize("kind", ["starttls", "tls"])
async def test_tls_and_login(tmp_path: Path, kind: str):
    authority = Authority(tmp_path)
    context = authority.server("127.0.0.1")
    ways = {"starttls": context} if kind == "starttls" else {"tls": context}
    async with mail_server(login=True, **ways) as box:
        more = {"tls": kind, "ca_file": str(authority.file)}
        login = {"user": USER.decode(), "password": PASSWORD.decode()}
        assert await send(box.port, **more, **login) == Sent(TO)
        assert box.encrypted == [True] and box.logins == [USER]
        wrong = await failure(box.port, **more, user="x@example.com", password="guess")
        assert (wrong.kind, wrong.again, wrong.status) == ("login", False, 535)
        assert "guess" not in str(wrong) + wrong.detail
        nobody = await failure(box.port, **more)  # 530: it wants one
        assert (nobody.kind, nobody.again, nobody.status) == ("refused", False, 530)
        strange = await failure(box.port, tls=kind)  # by the system's authorities
        assert (strange.kind, strange.again, strange.uncertain) == ("tls", True, False)
        assert "certificate" in str(strange) and "证书" in strange.message.zh
    assert len(box.letters) == 1


async def test_a_server_of_another_name_is_not_believed(tmp_path: Path):
    authority = Authority(tmp_path)
    async with mail_server(starttls=authority.server("other.example")) as box:
        error = await failure(box.port, tls="starttls", ca_file=str(authority.file))
    assert error.kind == "tls" and box.letters == []


async def test_no_plain_text_where_encryption_is_wanted():
    async with mail_server() as box:
        error = await failure(box.port, tls="starttls", user="u", password="secret")
    assert (error.kind, error.again) == ("refused", False) and "not offered" in str(error)
    assert box.logins == [] and box.letters == []


async def test_words_before_encryption_count_for_nothing(tmp_path: Path):
    """A server, or who sits before it, that says more than it was asked for."""
    async with scripted(b"220 hello", b"250-x\r\n250 STARTTLS", b"220 go\r\n250 injected", b"hang") as (port, heard):
        error = await failure(port, tls="starttls", seconds=0.8)
    assert error.kind in ("tls", "timeout", "broken") and not error.uncertain
    assert not any(line.upper().startswith((b"MAIL", b"AUTH")) for line in heard)


@pytest.mark.parametrize(
    ("says", "kind", "again"),
    [
        ({"data": "451 try later"}, "busy", True),
        ({"data": "554 no, because of 5.7.1"}, "refused", False),
        ({"data": "421 closing"}, "busy", True),
        ({"data": "552 too large"}, "refused", False),
    ],
)
async def test_what_a_server_says_of_the_letter(says: dict[str, str], kind: str, again: bool):
    async with mail_server() as box:
        box.says = says
        error = await failure(box.port)
    assert (error.kind, error.again, error.uncertain) == (kind, again, False)
    assert str(error.status) in str(error) and str(error.status) in error.message.zh
    assert box.letters == []


async def test_some_recipients_are_taken_and_others_not():
    async with mail_server() as box:
        box.says = {"ann@example.com": "550 no such user"}
        assert await send(box.port) == Sent(TO[:1], never=((TO[1], 550),))
        box.says = {"ann@example.com": "450 grey"}
        assert await send(box.port) == Sent(TO[:1], later=((TO[1], 450),))
        box.says = dict.fromkeys(TO, "550 no")
        before = Before()
        assert await send(box.port, before) == Sent((), never=((TO[0], 550), (TO[1], 550)))
        assert before.calls == 0
    assert box.recipients == [[TO[0]], [TO[0]]]


@pytest.mark.parametrize(
    ("lines", "kind", "again", "called"),
    [
        ((b"554 no mail here",), "refused", False, 0),
        ((b"421 too many",), "busy", True, 0),
        ((b"close",), "broken", True, 0),
        ((b"220 hello", b"close"), "broken", True, 0),
        ((b"220 hello", b"250 x", b"550 not from there"), "refused", False, 0),
        ((b"220 hello", b"250 x", b"451 later"), "busy", True, 0),
        ((b"220 hello", b"250 x", b"250 ok", b"421 enough"), "busy", True, 0),
        ((*HELLO, b"451 no data now"), "busy", True, 1),
        ((*HELLO, b"354 go", b"close"), "broken", True, 1),  # in the middle of the letter: it cannot have it
        ((b"http/1.1 400 bad request",), "refused", False, 0),
    ],
)
async def test_what_is_sure_not_to_have_gone_out(lines: tuple[bytes, ...], kind: str, again: bool, called: int):
    before = Before()
    big = Letter(
        message_id="a@b.example",
        date=0.0,
        sender="r@example.com",
        to=TO,
        files=(Enclosure("big.bin", "application/octet-stream", bytes(8 << 20)),),
    )
    async with scripted(*lines) as (port, _):
        with pytest.raises(NotSent) as caught:
            await send(port, before, big)
    error = caught.value
    assert (error.again, error.uncertain, before.calls) == (again, False, called)
    assert error.kind in (kind, "broken")


@pytest.mark.parametrize("lines", [(b"...close",), (b"...hang",), (b"...nonsense",)])
async def test_nobody_knows_where_the_answer_to_the_whole_letter_does_not_come(lines: tuple[bytes, ...]):
    before = Before()
    async with scripted(*HELLO, b"354 go", *lines) as (port, heard):
        error = await failure(port, before, seconds=0.8)
        assert b".\r\n" in heard
    assert error.uncertain and before.calls == 1


@pytest.mark.parametrize("lines", [(b"hang",), (b"220 hello", b"hang"), (*HELLO, b"hang"), (*HELLO[:2], b"hang")])
async def test_a_server_that_hangs_is_left_in_time(lines: tuple[bytes, ...]):
    async with scripted(*lines) as (port, _):
        error = await failure(port, seconds=0.5)
    assert (error.kind, error.again, error.uncertain) == ("timeout", True, False)


async def test_one_that_drips_is_left_in_time():
    async with scripted(b"220 " + b"x" * 100, drip=0.1) as (port, _):
        error = await failure(port, seconds=0.5)
    assert error.kind == "timeout"


async def test_nobody_listens():
    async with mail_server() as box:
        port = box.port
    error = await failure(port)
    assert (error.kind, error.again, error.uncertain) == ("connect", True, False)


async def test_a_name_that_does_not_resolve():
    async def resolve(host: str, port: int) -> list[Any]:
        raise OSError("no such host")

    mailer = SmtpMailer(MailServer(host="mail.invalid", port=25, tls="off"), resolve=resolve)
    with pytest.raises(NotSent) as caught:
        await mailer.send(LETTER, TO, Before())
    mailer.close()
    assert (caught.value.kind, caught.value.again) == ("resolve", True)


async def test_a_call_off_closes_the_connection_and_leaves_no_thread_at_work():
    async with scripted(*HELLO, b"354 go", b"...hang") as (port, heard):
        mailer = SmtpMailer(MailServer(host="127.0.0.1", port=port, tls="off", seconds=60.0))
        sending = asyncio.create_task(mailer.send(LETTER, TO, Before()))
        async with asyncio.timeout(10):
            while b".\r\n" not in heard:
                await asyncio.sleep(0.01)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        mailer.close()
        async with asyncio.timeout(10):
            while any(thread.name.startswith("outbound-mail") for thread in threading.enumerate()):
                await asyncio.sleep(0.01)


async def test_a_letter_whose_preparation_fails_does_not_go_out():
    async def refuse() -> None:
        raise LookupError("the store is gone")

    async with mail_server() as box:
        mailer = SmtpMailer(MailServer(host="127.0.0.1", port=box.port, tls="off"))
        with pytest.raises(LookupError):
            await mailer.send(LETTER, TO, refuse)
        mailer.close()
        assert box.letters == []
