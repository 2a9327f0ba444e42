"""Keys of well-known forms, and passwords given in clear."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.scan import WORD_BYTES, Find, byte_at, looks

_KEY: Any = re2.compile(
    r"sk-[A-Za-z0-9_-]{16,}|sk_(?:live|test)_[A-Za-z0-9]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{30,40}|hf_[A-Za-z0-9]{20,}"
    r"|glpat-[A-Za-z0-9_-]{16,}"
    r"|npm_[A-Za-z0-9]{36}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|(-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----)"
)
_END: Any = re2.compile(r"-----END (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----")
_PASSWORD: Any = re2.compile(
    r"(?i)(密码|密碼|口令|password|passwd|passphrase|passcode|pwd|\bpass)[\"'`]?"
    r"(\s?(?:就?是|为|為|(?:更?改|修改|设置?|重置|换)[成为]了?)\s?[:：]?|\s?[:：=]{1,2}"
    r"|\s(?:for [a-z0-9 _'-]{1,40}? )?(?:is|was|to)\b\s?:?|\s)?\s?"
    r"([\"'`“]?)([!-~]{4,64})"
    r"|(?:\b|_)(?:api[_-]?key|secret[_-]?key|access[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|secret"
    r"|token|密钥|令牌)[\"'`]?"
    r"\s?(?:[:：=]|是|为)\s?[\"'`“]?([A-Za-z0-9+/_=.-]{16,})"
    r"|://[^\s:/@]{1,64}:([^\s:/@]{3,64})@"
)
_CLIENT: Any = re2.compile(r"\b(?:mysql|mariadb)[a-z-]*(?:\.exe)?[ \t]")
_GLUED: Any = re2.compile(r"[ \t]-p(?:\"([^\n\"]{3,64})\"|'([^\n']{3,64})'|([!#-%(-:=?-_a-~]{3,64}))")
_COMMAND_END: Any = re2.compile(r"\n|[;|]|&&")
_PORTS: Any = re2.compile(r"[0-9.]*:[0-9]+|ort\b|[$<\[{%]")
_LONGEST_COMMAND = 400
_PLACEHOLDER: Any = re2.compile(
    r"(?i)x{4}|\*{3}|\.{3}|your|placeholder|change[_-]?me|<|>|\$\{|\{\{|%\(|redacted|example[_-](?:key|token)|dummy"
    r"|api[_-]?key|\bpassword\b|token_here|_here\b"
)
_CODE: Any = re2.compile(
    r"[()\[\]{}]|^[$%]|\b(?:os|process|env|self|this|config|settings|request|req|user|args|input)\.|::|->|=>|==|^/|^--"
)
_WORDS = frozenset(
    """
    wrong incorrect required invalid missing null none nil true false string str text varchar yes field reset
    forgot forgotten input password passwd changed expired correct empty weak strong secret hidden hashed
    encrypted optional protected needed policy manager length rules login username email
    """.split()  # noqa: SIM905
)
_QUERY: Any = re2.compile(r"[&;][A-Za-z_][A-Za-z0-9_]*=")
_JSON: Any = re2.compile(r"[\"`][,}\]:]|,[\"`]|[\"`]$|,[A-Za-z_]{2,}[:=]")
_TRAILING = b".,;:)]}>\"'`"


def find(data: bytes) -> Iterator[Find]:
    """The key, the whole PEM block, or of a password the password alone, in the order of the text."""
    found = [*_keys(data), *_passwords(data), *_command_lines(data)]
    found.sort(key=lambda f: (f.start, -f.end))
    end = 0
    for find_ in found:
        if find_.start >= end:
            yield find_
            end = find_.end


def _keys(data: bytes) -> Iterator[Find]:
    last = 0
    unclosed = False
    for match in looks(_KEY, data):
        start, end = match.span()
        if start < last:
            continue
        if match.group(1):
            close = None if unclosed else _END.search(data, end)
            unclosed = close is None
            last = close.end() if close else end
            yield Find(start, last, data[start:last].decode())
            continue
        key = match.group()
        if (
            byte_at(data, start - 1) in WORD_BYTES
            or byte_at(data, start - 1) == 0x2D
            or byte_at(data, end) in WORD_BYTES
        ):
            continue
        if _is_random(key[4:]):
            yield Find(start, end, key.decode())


def _is_random(key: bytes) -> bool:
    """It has a digit and many different characters, and says of itself no other thing."""
    return any(48 <= c <= 57 for c in key) and len(set(key)) >= 8 and not _PLACEHOLDER.search(key)


def _passwords(data: bytes) -> Iterator[Find]:
    for match in looks(_PASSWORD, data):
        if match.start(4) >= 0:
            start, name = match.start(4), match.group(1)
            linker = (match.group(2) or b"").strip().lower()
            word = _token(match.group(4), match.group(3), linker == b"=")
            glued = match.end(1) == start and name.isascii()  # passwords, passing
            if not glued and _is_password(word, linker, name):
                yield Find(start, start + len(word), word.decode())
        elif match.start(5) >= 0:
            start = match.start(5)
            word = match.group(5).rstrip(b".")
            if _is_random(word) and not word.isdigit() and not _CODE.search(word):
                yield Find(start, start + len(word), word.decode())
        else:
            word = match.group(6)
            if (
                not _PLACEHOLDER.search(word)
                and not _CODE.search(word)
                and word.lower() not in (b"pass", b"pw", b"pwd")
            ):
                yield Find(match.start(6), match.end(6), word.decode())


def _command_lines(data: bytes) -> Iterator[Find]:
    """Behind -p of MySQL's clients, which takes its password without a blank; -P is the port."""
    last = 0
    for client in looks(_CLIENT, data):
        if client.start() < last:
            continue
        place = client.end() - 1
        last = min(place + _LONGEST_COMMAND, len(data))
        end = _COMMAND_END.search(data, place, last)
        last = end.start() if end else last
        while match := _GLUED.search(data, place, last):
            kind = match.lastindex or 3
            start, word = match.start(kind), match.group(kind)
            if kind == 3:
                word = word.rstrip(_TRAILING)
            if len(word) > 2 and not _PLACEHOLDER.search(word) and not _PORTS.match(word):
                yield Find(start, start + len(word), word.decode())
                break
            place = match.end()


def _token(raw: bytes, quote: bytes, in_query: bool) -> bytes:
    """Up to the closing quote; else up to the blank, without the marks that close a sentence or a piece of JSON. In a
    query (`pwd=x&user=y`) an ampersand ends it too."""
    if quote in (b'"', b"'", b"`") and quote in raw:
        return raw[: raw.index(quote)]
    if in_query and (query := _QUERY.search(raw)):
        raw = raw[: query.start()]
    if json := _JSON.search(raw):
        raw = raw[: json.start()]
    return raw.rstrip(_TRAILING)


def _is_password(word: bytes, linker: bytes, name: bytes) -> bool:
    """The looser the words before it, the more it must look like one: behind = or : letters are enough, behind `is` they are
    not (my password is wrong)."""
    if len(word) < 4 or _PLACEHOLDER.search(word) or _CODE.search(word) or (len(set(word)) < 2 and not word.isdigit()):
        return False
    text = word.decode()
    if text.lower().strip("?!") in _WORDS or text[-1] == "?":
        return False
    digit = any(c.isdigit() for c in text)
    letter = any(c.isalpha() for c in text)
    mark = any(not c.isalnum() and c not in "'-_" for c in text[:-1])
    if linker[-1:] in (b"=", b":") or linker.endswith("：".encode()):
        return digit or mark or (len(text) >= (4 if linker[:1] == b"=" else 6) and "_" not in text and "." not in text)
    if linker in (b"", b"to", b"was"):
        return digit and len(text) >= 6 and (letter or not name.isascii())
    if linker == b"is" or linker.endswith(b" is"):
        return digit or (mark and letter and len(text) >= 6)
    return digit or mark or len(text) >= 6


_MAY: Any = re2.compile(
    r"(?i)sk[-_]|gh[pousr]_|github_pat_|a[ks]ia|xox[abeprs]-|aiza|hf_|glpat-|npm_|eyj|-----begin|密码|密碼|口令|pass|pwd"
    r"|key|secret|token|密钥|令牌|://|mysql|mariadb"
)


def may_hold(data: bytes) -> bool:
    return _MAY.search(data) is not None
