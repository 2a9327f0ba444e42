"""SQL statements: where they stand, what they would destroy (`sql_risk.py`), whose dialect they are (`sql_dialect.py`).

A statement is told from prose by its grammar up to the point where prose would have to break it: the list behind SELECT is
made of expressions and not of a row of words, behind FROM, INTO or TABLE stands a name and no article, SET is followed by
`name =`, and what follows the name is a clause, a mark or the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import re2

from pointsman.extractors.scan import Find, byte_at, looks
from pointsman.extractors.sql_comments import Comments
from pointsman.extractors.sql_dialect import Dialect, dialect
from pointsman.extractors.sql_end import end_of
from pointsman.extractors.sql_places import behind_name
from pointsman.extractors.sql_plain import ODD, plain
from pointsman.extractors.sql_risk import destructive
from pointsman.extractors.sql_shape import begins, has_body, main_verb
from pointsman.extractors.sql_short import short_end
from pointsman.extractors.sql_tokens import Token, tokens
from pointsman.extractors.width import has_wide_letters

__all__ = ["Dialect", "destructive", "dialect", "find", "may_hold"]

_GAP = r"(?:\s|/\*[^*]*\*/|--[^\n]*\n)+"
_OBJECT = (
    r"(?:table|database|schema|view|index|user|role|procedure|proc|function|trigger|sequence|type|event|tablespace"
    r"|login|extension|domain|"
    r"constraint|synonym|package|policy|column|system|session)\b"
)
_NAMED = r"[^\s(]+"
# What must follow a verb at the least: it makes prose with `create`, `with` and `update` in it cost nothing.
_BEGINS = (
    rf"(?i)\b(?:(select)\b|(update){_GAP}|(?:insert{_GAP}(?:[a-z_]+{_GAP}){{0,2}}?|replace{_GAP})into\b"
    rf"|delete{_GAP}(?:{_NAMED}{_GAP}){{0,2}}?from\b"
    rf"|(?:create|alter|drop){_GAP}(?:[a-z]+{_GAP}){{0,4}}?{_OBJECT}|truncate{_GAP}|(?:grant|revoke){_GAP}[a-z]"
    rf"|merge{_GAP}|pragma{_GAP}[a-z]|exec(?:ute)?(?:{_GAP}|\()"
    rf"|with{_GAP}(?:recursive{_GAP})?{_NAMED}(?:{_GAP})?(?:\([^()]*\)(?:{_GAP})?)?as\b)"
)
_HEAD: Any = re2.compile(_BEGINS)
_MAY: Any = re2.compile(f"{_BEGINS}|{ODD}|[Ａ-Ｚａ-ｚ]")
_NO_LIST: Any = re2.compile(
    r"(?i)\s+(?:the|an?|your|my|our|one|which|from|this|that|these|those|any|some|every|each)\s+([a-z]+)"
)
_VALUE: Any = re2.compile(r"\s+(?:[0-9']|@@|[A-Za-z_]+\()")
_GO: Any = re2.compile(r"(?i)[ \t\r;]*(?:--[^\n]*)?\n\s*go(?:[ \t]+[0-9]{1,4})?[ \t]*;?[ \t\r]*(?:\n|$)")
_BUDGET = 2400  # tokens read in one text, whatever it begins
_BYTES = 4 << 16  # and bytes, for a token may be long
_MOST = 2000  # tokens of one statement
_FIRST = 240  # tokens that must be enough to know a statement
_WINDOW = 4096  # and bytes


def find(data: bytes) -> Iterator[Find]:
    """The value: {"verb"}, in small letters; of WITH that of its main statement. Narrowed by it. A GO on the line
    behind a statement belongs to it: it tells whose it is."""
    raw, data = data, plain(data)
    comments = Comments(data)
    last = 0
    tokens_left, bytes_left = _BUDGET, _BYTES
    low = data.lower()
    for match in looks(_HEAD, data):
        start = match.start()
        if start < last or (start and data[start - 1] in b"-@#$") or comments.hold(start, last):
            continue
        select, update = match.groups()
        if select and not _may_select(data, low, start, match.end()):
            continue
        if update and low.find(b"set", start, start + 1000) < 0:
            continue
        if tokens_left <= 0 or bytes_left <= 0:
            return
        read = _up_to_semicolon(tokens(data, start, min(start + _WINDOW, len(data)), _FIRST))
        whole = bool(read) and read[-1].text == ";" and not has_body(read)
        ended = len(read) >= _FIRST or whole
        tokens_left -= len(read)
        bytes_left -= read[-1].end - start if ended else _WINDOW
        if not (begins(data, read) or _was_split(raw, data, read)):
            continue
        if not whole and (read[-1].end - start > _WINDOW // 2 or len(read) * 2 > _FIRST or has_body(read)):
            read = list(tokens(data, start, None, min(max(tokens_left, _FIRST), _MOST)))
            tokens_left -= len(read)
            bytes_left -= read[-1].end - start
        end = short_end(data, read)
        last = _with_go(data, end_of(data, read) if end is None else end)
        verb = main_verb(read)
        yield Find(start, last, {"verb": verb}, verb)


def _was_split(raw: bytes, data: bytes, read: list[Token]) -> bool:
    """The verb stood in pieces: whatever follows it, prose is not meant."""
    return (
        bool(read)
        and raw[read[0].start : read[0].end].upper() != data[read[0].start : read[0].end].upper()
        and behind_name(read, 1) > 1
    )


def _may_select(data: bytes, low: bytes, start: int, end: int) -> bool:
    """Behind SELECT stands no article with its noun, and somewhere a FROM; without one it has a value at once."""
    prose = _NO_LIST.match(data, end)
    if prose and prose.group(1).lower() not in (b"from", b"as", b"into"):
        return False
    return (
        low.find(b"from", start, start + _WINDOW) >= 0
        or low.find(b"into", start, start + _WINDOW) >= 0
        or _VALUE.match(data, end) is not None
    )


def _up_to_semicolon(read: Iterable[Token]) -> list[Token]:
    first = []
    for token in read:
        first.append(token)
        if token.kind == "mark" and token.text == ";":
            break
    return first


def _with_go(data: bytes, end: int) -> int:
    go = _GO.match(data, end)
    return end + len(go.group().rstrip()) if go else end


def may_hold(data: bytes) -> bool:
    """Full-width letters are not read here, so they may spell anything."""
    match = _MAY.search(data)
    if match is None:
        return False
    odd = data[match.start()] == 0x5C or data[match.start()] > 127 or byte_at(data, match.start() + 1) == 0x2F
    return not odd or _HEAD.search(plain(data)) is not None or has_wide_letters(data)
