"""What stands at a place among the tokens of SQL."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.extractors.sql_aside import ASIDE
from pointsman.extractors.sql_tokens import Token
from pointsman.extractors.sql_words import ARTICLES, CLAUSES, KEYWORDS

_LATIN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def is_mark(token: Token | None, text: str) -> bool:
    return token is not None and token.kind == "mark" and token.text == text


def token_at(read: Sequence[Token], index: int) -> Token | None:
    return read[index] if index < len(read) else None


def word_at(read: Sequence[Token], index: int) -> str:
    """The word or mark there; "" past the end, for a name or a string "name" and "string" in small letters."""
    if index >= len(read):
        return ""
    token = read[index]
    return token.text if token.kind in ("word", "mark", "number") else token.kind


def is_aside(token: Token) -> bool:
    """Chinese about SQL and no name: 和, 有什么区别."""
    return token.kind == "word" and not token.text[0].isascii() and ASIDE.match(token.text) is not None


def behind_name(read: Sequence[Token], index: int, strict: bool = True) -> int:
    """Behind the name that begins there (a.b.[c], a..c); `index` itself where none does. `strict`: no article, unless
    nothing that it could belong to follows (FROM a JOIN b)."""
    token = token_at(read, index)
    if token is None or token.kind not in ("name", "word") or (token.kind == "word" and token.text in CLAUSES):
        return index
    if is_aside(token):
        return index
    if strict and token.kind == "word" and token.text in ARTICLES:
        following = token_at(read, index + 1)
        if token.text != "A" or (following is not None and following.kind == "word" and following.text not in CLAUSES):
            return index
    index += 1
    while (
        is_mark(token_at(read, index), ".")
        and index + 1 < len(read)
        and (read[index + 1].kind in ("word", "name") or read[index + 1].text in ("*", "."))
    ):
        index += 2 + (
            read[index + 1].text == "." and index + 2 < len(read) and read[index + 2].kind in ("word", "name")
        )
    return index


def ends(data: bytes, read: Sequence[Token], index: int, clauses: frozenset[str]) -> bool:
    """Behind a name: the end, a mark, a clause, another line, or words of the other script."""
    token = token_at(read, index)
    if token is None or token.kind in ("string", "name"):
        return True
    if token.kind == "mark":
        return True
    if token.kind == "word" and token.text in clauses:
        return True
    if token.kind == "word" and not token.text[0].isascii():
        return True
    return b"\n" in data[read[index - 1].end : token.start]


def in_capitals(data: bytes, token: Token) -> bool:
    return data[token.start : token.end].isupper()


def is_alias(data: bytes, read: Sequence[Token], index: int) -> bool:
    return (
        index + 1 < len(read)
        and read[index].kind == "word"
        and word_at(read, index + 1)
        in CLAUSES - {"FOR", "TO", "AND", "OR", "WITH", "ON", "AS", "IN", "FROM", "INTO", "USE"}
    )


def is_plain_word(token: Token | None) -> bool:
    """A word in Latin letters that means nothing in SQL."""
    return token is not None and token.kind == "word" and token.text[0].isascii() and token.text not in KEYWORDS


def follows_prose(data: bytes, token: Token) -> bool:
    """In small letters behind a word of English: I will delete from memory."""
    if in_capitals(data, token):
        return False
    line = data[max(0, token.start - 24) : token.start].rpartition(b"\n")[2].rstrip(b" ")
    return line[-1:].isalpha() and line[-1] < 128


def word_before(data: bytes, token: Token) -> str:
    """The Latin word before it on its line, in capitals; "" where none is."""
    line = data[max(0, token.start - 24) : token.start].rpartition(b"\n")[2].rstrip(b" ")
    word = line[len(line.rstrip(_LATIN)) :]
    return word.decode().upper()
