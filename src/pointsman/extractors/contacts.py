"""Addresses of the web: URLs and e-mail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.scan import HAN, WORD_BYTES, Find, byte_at, looks

_URL: Any = re2.compile(
    rf"(?i)(?:\b(?:https?|ftps?|sftp|wss?)://"
    rf"|\bwww\.)[^\s<>\"'`|\\^{{}}{HAN}\x{{3000}}-\x{{303f}}\x{{ff00}}-\x{{ffef}}\x{{2018}}-\x{{201f}}\x{{2026}}]+"
)
_HOST: Any = re2.compile(
    r"(?i)(?:[a-z]+://)?(?:[^/@\s]{1,200}@)?(?:localhost|\[[0-9a-f:.]+\]"
    r"|[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)(?::[0-9]{1,5})?(?:[/?#].*)?"
)
_CLOSING = frozenset(b".,;:!?'\")]}>*_~")
_PAIRS = {0x29: b"(", 0x5D: b"["}

_EMAIL: Any = re2.compile(r"[A-Za-z0-9_][A-Za-z0-9._%+\-]*@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,24}")
_FILES = frozenset((b"png", b"jpg", b"jpeg", b"gif", b"svg", b"webp", b"js", b"css", b"html", b"py", b"txt", b"pdf"))


def find_urls(data: bytes) -> Iterator[Find]:
    """http, https, ftp and ws addresses, and what begins with www.; without the punctuation that closes the sentence."""
    for match in looks(_URL, data):
        url = _trimmed(match.group())
        host = url.split(b"://", 1)[-1]
        if not host or not _HOST.fullmatch(url) or (host[:4].lower() == b"www." and host.count(b".") < 2):
            continue
        if (
            b"." not in host.split(b"/", 1)[0]
            and b":" not in host
            and not host.lower().startswith(b"localhost")
            and b"/" not in host
        ):
            continue
        yield Find(match.start(), match.start() + len(url), url.decode())


def _trimmed(url: bytes) -> bytes:
    opened = {close: url.count(opening) - url.count(bytes((close,))) for close, opening in _PAIRS.items()}
    end = len(url)
    while end and url[end - 1] in _CLOSING:
        close = url[end - 1]
        if close in opened:
            if opened[close] >= 0:
                break  # its bracket was opened within the address
            opened[close] += 1
        end -= 1
    return url[:end]


def find_emails(data: bytes) -> Iterator[Find]:
    for match in looks(_EMAIL, data):
        start, end = match.span()
        address = match.group()
        local, _, domain = address.partition(b"@")
        if b".." in address or local.endswith(b".") or domain.rsplit(b".", 1)[1].lower() in _FILES:
            continue
        if (
            byte_at(data, end) in WORD_BYTES
            or data[end : end + 1] in (b"@", b"-")
            or data[start - 1 : start] in (b"/", b"@")
        ):
            continue
        if data[end : end + 1] == b":" and (local == b"git" or byte_at(data, end + 1) in WORD_BYTES):
            continue  # git@host:path
        if (
            data[start - 1 : start] == b":"
            and data.rfind(b"://", max(0, start - 80), start) >= 0
            and b" " not in data[data.rfind(b"://", max(0, start - 80), start) : start]
        ):
            continue  # a password in an address
        yield Find(start, end, address.decode())


_MAY_URL: Any = re2.compile(r"(?i)://|www\.")


def may_hold_url(data: bytes) -> bool:
    return _MAY_URL.search(data) is not None


def may_hold_email(data: bytes) -> bool:
    return b"@" in data or "＠".encode() in data
