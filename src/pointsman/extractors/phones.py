"""Telephone numbers: mainland mobiles and landlines, 400 and 800 lines, and others with their + and country code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.scan import DIGIT_BYTES, WORD_BYTES, Find, byte_at, looks

_MOBILE = (
    r"1(?:3[0-9]|4[014-9]|5[0-35-9]|6[2567]|7[0-8]|8[0-9]|9[0-35-9])"  # prefixes that the three carriers and 广电 have
    r"(?:[0-9]{8}|[ -][0-9]{4}[ -][0-9]{4})"
)
_PATTERN: Any = re2.compile(
    rf"(?:\(?(?:\+|\b00)86\)?[ -]?|\b86[ -])?({_MOBILE})"  # 1: a mobile
    r"|(\(0(?:10|2[0-9]|[3-9][0-9]{2})\) ?[1-9][0-9]{2,3}[ -]?[0-9]{4}|\b0(?:10|2[0-9])[1-9][0-9]{7}|\b0(?:10|2[0-9]"
    r"|[3-9][0-9]{2})[ -][1-9][0-9]{6,7}"  # 2: a landline
    r"|\b0(?:10|2[0-9]|[3-9][0-9]{2})[ -][1-9][0-9]{3}[ -][0-9]{4})(?:-[0-9]{1,5})?"
    r"|(\b[48]00-[0-9]{3}-?[0-9]{4}|\b[48]00-[0-9]{4}-?[0-9]{3}|\b[48]00 [0-9]{3} [0-9]{4}"
    r"|\b[48]00 [0-9]{4} [0-9]{3}|\b400[0-9]{7})"  # 3
    r"|(\+[1-9][0-9]{0,3}(?:[ .-]?\(?[0-9]{1,5}\)?){2,6}|\+[1-9][0-9]{7,14})"  # 4: international
)
_MARKS = bytes(set(range(256)) - set(b"0123456789"))


def find(data: bytes) -> Iterator[Find]:
    for match in looks(_PATTERN, data):
        start, end = match.span()
        if data[start : start + 1] == b"(" and b")" not in data[start:end]:
            start += 1
        if not _alone(data, start, end):
            continue
        mobile = match.start(1)
        if mobile >= 0:
            yield Find(start, end, data[mobile:end].translate(None, _MARKS).decode())
            continue
        digits = match.group().translate(None, _MARKS).decode()
        if match.start(4) >= 0:
            shortest, longest = (11, 14) if digits.startswith("86") else (8, 15)
            if not shortest <= len(digits) <= longest or match.group().count(b"(") != match.group().count(b")"):
                continue
            digits = "+" + digits
        elif match.start(2) >= 0:  # without the extension
            end = match.end(2)
            digits = match.group(2).translate(None, _MARKS).decode()
        yield Find(start, end, digits)


def _alone(data: bytes, start: int, end: int) -> bool:
    """Not a piece of a longer number or name."""
    previous, following = byte_at(data, start - 1), byte_at(data, end)
    if previous in WORD_BYTES or following in WORD_BYTES or previous == 0x2B:  # +
        return False
    if previous and previous in b"-./":
        earlier = byte_at(data, start - 2)
        if earlier in WORD_BYTES and not (previous == 0x2F and earlier in DIGIT_BYTES):
            return False  # but 13812345678/13912345678
    if following in b"-." and following and byte_at(data, end + 1) in DIGIT_BYTES:
        return False
    return following != 64  # 13812345678@139.com


def may_hold(data: bytes) -> bool:
    return _HOLDS.search(data) is not None


_HOLDS: Any = re2.compile(r"[0-9０-９]{2}")
