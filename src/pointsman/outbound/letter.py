"""A letter → the bytes that a mail server takes (RFC 5322, MIME): ASCII alone, lines of bounded length, one header each."""

from __future__ import annotations

import datetime
import email.policy
import mimetypes
import re
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import getaddresses, parseaddr

from pointsman.domain.said import Said, said
from pointsman.ports.mail import Letter

_POLICY = email.policy.SMTP.clone(max_line_length=78, raise_on_defect=False)
_SUBJECT = 200  # characters
_NAME = 120  # characters of a file's name
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\x80-\x9f\u2028\u2029]+")
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN = re.compile(
    r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*"
)
_VALID = Said(
    'finance@example.com, or "Finance <finance@example.com>"', "finance@example.com 或“财务 <finance@example.com>”"
)


def read_address(text: str) -> Address:
    """An address with the name before it. A domain in other letters comes in its ASCII form. ValueError says what is wrong,
    in both languages."""
    if _CONTROLS.search(text):
        raise _wrong(text, Said("it holds a control character", "含有控制字符"))
    if len(getaddresses([text])) > 1:
        raise _wrong(text, Said("it is one address, or is more than one meant?", "只能写一个地址，是否写了多个？"))
    name, plain = parseaddr(text)
    local, at, domain = plain.rpartition("@")
    if not at or (name == "" and plain != text.strip(" <>")):
        raise _wrong(text, Said("it is no e-mail address", "不是电子邮件地址"))
    if not _LOCAL.fullmatch(local) or len(local) > 64:
        raise _wrong(text, Said("what stands before @ is not plain ASCII", "@ 之前的部分不是普通的 ASCII 字符"))
    try:
        ascii_domain = domain.encode("idna").decode("ascii").lower()
    except UnicodeError:
        ascii_domain = ""
    if not _DOMAIN.fullmatch(ascii_domain):
        raise _wrong(text, Said("what stands behind @ is no host name", "@ 之后的部分不是主机名"))
    return Address(display_name=name, username=local, domain=ascii_domain)


def encoded(letter: Letter) -> bytes:
    """With CRLF. Chinese in names, subjects and names of files is encoded as RFC 2047 and RFC 2231 have it."""
    message = EmailMessage(policy=_POLICY)
    sender = read_address(letter.sender)
    message["Message-ID"] = f"<{letter.message_id}>"
    message["Date"] = datetime.datetime.fromtimestamp(letter.date, datetime.UTC)
    message["From"] = sender
    message["To"] = [read_address(address) for address in letter.to]
    if letter.cc:
        message["Cc"] = [read_address(address) for address in letter.cc]
    message["Subject"] = one_line(letter.subject, _SUBJECT)
    message["Auto-Submitted"] = "auto-generated"
    text = letter.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    message.set_content(text if text.endswith("\n") else text + "\n", charset="utf-8", cte="base64")
    for file in letter.files:
        kind, _, subtype = _media_type(file.media_type, file.name).partition("/")
        name = one_line(file.name, _NAME)
        message.add_attachment(file.content, maintype=kind, subtype=subtype, filename=name)
    return message.as_bytes()


def one_line(text: str, most: int) -> str:
    """Fit for a header: no controls, no half characters, not too long."""
    plain = _CONTROLS.sub(" ", text).encode("utf-8", "replace").decode().strip()
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _media_type(given: str, name: str) -> str:
    found = given if re.fullmatch(r"[a-z]+/[A-Za-z0-9.+-]+", given) else None
    kind = found or mimetypes.guess_type(name)[0] or "application/octet-stream"
    return kind if not kind.startswith(("message/", "multipart/")) else "application/octet-stream"


def _wrong(text: str, what: Said) -> ValueError:
    plain = "".join(c if c.isprintable() else "�" for c in text[:100])
    en, zh = '"{it}": {what} (valid: {valid})', "“{it}”：{what}（合法取值：{valid}）"
    return ValueError(said(en, zh, it=plain, what=what, valid=_VALID))
