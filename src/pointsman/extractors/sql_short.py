"""DROP, TRUNCATE and PRAGMA: so short that prose may have all their words, so they are looked at more closely."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.extractors.sql_places import (
    behind_name,
    ends,
    follows_prose,
    in_capitals,
    is_mark,
    token_at,
    word_at,
    word_before,
)
from pointsman.extractors.sql_tokens import Token
from pointsman.extractors.sql_words import ABOUT, AFTER_DROP, NO_ROWS, NO_TABLES, OBJECTS, SEATS, TALK

_MORE_OBJECTS = ("CONSTRAINT", "SYNONYM", "PACKAGE", "POLICY", "COLUMN")
_PLAIN_OBJECTS = (
    "TABLE", "DATABASE", "VIEW", "SCHEMA", "INDEX", "TRIGGER", "PROCEDURE", "FUNCTION", "SEQUENCE", "USER",
)  # fmt: skip
_NOUN = frozenset(
    """
    THE A AN THIS THAT MY OUR YOUR ITS THEIR EACH LOOT BOSS MONSTER ITEM LEAF DESK
    """.split()  # noqa: SIM905
)
"""Behind them it is a thing: the drop table of a game."""
_SAID = ("STATEMENT", "COMMAND", "QUERY")
_ASKS = frozenset(("RIGHT", "CORRECT", "OK", "OKAY", "VALID", "SAFE", "ALLOWED", "WRONG", "DANGEROUS"))
_RUNS = frozenset(("RUN", "RUNNING", "EXECUTE", "EXECUTING", "SQL", "QUERY", "STATEMENT", "COMMAND"))
_BEFORE_ASKED = frozenset(("IS", "DOES", "WOULD", "WILL"))
_TAIL = frozenset(
    """
    CASCADE RESTRICT CONSTRAINTS PURGE RESTART CONTINUE IDENTITY DROP REUSE STORAGE
    """.split()  # noqa: SIM905
)
_PRAGMAS = frozenset(("ENCODING", "OPTIMIZE", "SYNCHRONOUS", "THREADS", "STATS", "FULLFSYNC", "KEY", "REKEY"))
"""Those of SQLite without a _ in them."""
_SIGNS = ("-", "+")


def begins_drop(data: bytes, read: Sequence[Token]) -> bool:
    index = 1
    while word_at(read, index) in ("TEMPORARY", "MATERIALIZED", "FOREIGN", "PUBLIC"):
        index += 1
    if word_at(read, index) not in OBJECTS and word_at(read, index) not in _MORE_OBJECTS:
        return False
    index += 1
    if word_at(read, index) == "CONCURRENTLY":
        index += 1
    exists = word_at(read, index) == "IF" and word_at(read, index + 1) == "EXISTS"
    index += 2 * exists
    behind = behind_name(read, index)
    if behind == index and word_at(read, index) != "string":
        return False
    behind = max(behind, index + 1)
    if word_at(read, 1) == "TABLE" and _is_talk(data, read, index, behind):
        return False
    if exists or in_capitals(data, read[0]) or "_" in read[behind - 1].text:
        return True
    if word_at(read, 1) == "TABLE":
        return _is_table(data, read, index, behind)
    return word_at(read, 1) in _PLAIN_OBJECTS and ends(data, read, behind, AFTER_DROP)


def begins_truncate(data: bytes, read: Sequence[Token]) -> bool:
    table = word_at(read, 1) == "TABLE"
    index = 2 if table else 1
    behind = behind_name(read, index)
    if behind == index:
        return False
    if table:
        if _is_talk(data, read, index, behind):
            return False
        return in_capitals(data, read[0]) or _is_table(data, read, index, behind)
    name = read[index]
    if word_at(read, behind) in (";", "CASCADE", "RESTART") or "_" in name.text or _is_quoted(data, name):
        return True
    if name.kind == "word" and (not name.text[0].isascii() or name.text in NO_ROWS):
        return False  # TRUNCATE 有什么区别, truncate text
    if in_capitals(data, read[0]) and ends(data, read, behind, AFTER_DROP):
        return True
    asked = word_at(read, behind) in _ASKS
    if follows_prose(data, read[0]):
        word = word_before(data, read[0])
        return (asked and word in _BEFORE_ASKED) or (word in _RUNS and ends(data, read, behind, AFTER_DROP))
    return asked or ends(data, read, behind, AFTER_DROP)


def _is_quoted(data: bytes, name: Token) -> bool:
    """As a name and not as a text."""
    return name.kind == "name" and data[name.start : name.start + 1] != b'"'


def _is_talk(data: bytes, read: Sequence[Token], index: int, behind: int) -> bool:
    """The DROP TABLE statement …"""
    name = read[index]
    return (
        name.kind == "word"
        and name.text in TALK
        and not in_capitals(data, name)
        and word_at(read, behind) not in (";", ".")
    )


def _is_table(data: bytes, read: Sequence[Token], index: int, behind: int) -> bool:
    """The name behind DROP TABLE or TRUNCATE TABLE in small letters is one, and no word about tables to sit at or about the
    command. What words follow it does not matter: drop table customers right now."""
    if word_at(read, behind) == ";" or read[index].kind == "name":
        return True
    name = read[index].text
    if name in NO_TABLES or (name in SEATS and word_at(read, behind) in ABOUT):
        return False
    return word_before(data, read[0]) not in _NOUN or word_at(read, behind) in _SAID


def begins_pragma(data: bytes, read: Sequence[Token]) -> bool:
    """Of SQLite, not of compilers."""
    behind = behind_name(read, 1, False)
    if behind == 1:
        return False
    name = read[behind - 1].text
    following = word_at(read, behind)
    if "_" in name:
        return following in ("=", "(") or ends(data, read, behind, frozenset()) or in_capitals(data, read[0])
    return name in _PRAGMAS and (following in ("", "=", "(", ";") or in_capitals(data, read[0]))


def short_end(data: bytes, read: Sequence[Token]) -> int | None:
    """Where DROP TABLE, TRUNCATE or PRAGMA ends: behind what such a statement can have; None for other statements."""
    verb = read[0].text
    if verb == "PRAGMA":
        return _end_of_pragma(read)
    if verb != "TRUNCATE" and not (verb == "DROP" and word_at(read, 1) == "TABLE"):
        return None
    index = 1 + (word_at(read, 1) == "TABLE")
    index += 2 * (word_at(read, index) == "IF")
    behind = behind_name(read, index)
    if behind == index or word_at(read, behind) == "WITH":
        return None
    while word_at(read, behind) == "," and _goes_on(read, behind + 1):
        behind = behind_name(read, behind + 1)
    while word_at(read, behind) in _TAIL:
        behind += 1
    return read[behind].end if word_at(read, behind) == ";" else read[behind - 1].end


def _goes_on(read: Sequence[Token], index: int) -> bool:
    """A second name, and not the rest of a sentence: drop table a, then b."""
    behind = behind_name(read, index)
    following = token_at(read, behind)
    if behind == index or read[index].text in TALK or read[index].text in _TAIL:
        return False
    if following is not None and following.kind == "word":
        return following.text in AFTER_DROP or following.text == "PURGE" or not following.text[0].isascii()
    return True


def _end_of_pragma(read: Sequence[Token]) -> int:
    behind = behind_name(read, 1, False)
    if word_at(read, behind) == "=":
        behind += 1 + (word_at(read, behind + 1) in _SIGNS)
        behind += token_at(read, behind) is not None
    elif word_at(read, behind) == "(":
        close = next((n for n in range(behind, min(len(read), behind + 12)) if is_mark(read[n], ")")), behind - 1)
        behind = close + 1
    behind = min(behind, len(read))
    return read[behind].end if word_at(read, behind) == ";" else read[behind - 1].end
