"""Where a statement ends."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.extractors.scan import byte_at
from pointsman.extractors.sql_shape import has_body
from pointsman.extractors.sql_tokens import Token
from pointsman.extractors.sql_words import KEYWORDS, REQUESTS, VALUES

_STATEMENTS = frozenset(
    (
        "SELECT",
        "INSERT",
        "UPDATE",
        "DELETE",
        "CREATE",
        "ALTER",
        "DROP",
        "TRUNCATE",
        "GRANT",
        "REVOKE",
        "MERGE",
        "EXEC",
        "EXECUTE",
        "PRAGMA",
    )
)
_STOPS = frozenset("？。，！；：、“”（）《》?!")


def end_of(data: bytes, read: Sequence[Token]) -> int:
    """Where the statement ends: at its `;` (which belongs to it), before a fence or a blank line that prose follows, before
    the quotation mark that it stands in, and before words that cannot continue it."""
    depth, words, last = 0, 0, read[0].end
    opening = data[read[0].start - 1 : read[0].start]
    body = has_body(read)
    blocks = 0
    listing = read[0].text in ("SELECT", "WITH")
    asked = False  # behind WHERE or LIMIT, where no alias can stand
    for index, token in enumerate(read[1:], 1):
        previous = read[index - 1]
        gap = data[previous.end : token.start]
        if token.kind == "mark":
            words = 0
            if token.text == "(":
                depth += 1
            elif token.text == ")":
                depth -= 1
                if depth < 0:
                    return last
            elif token.text == ";":
                if not body or not blocks:
                    return token.end
            elif (
                (token.text in _STOPS and token.text != "?")
                or (token.text == "?" and not (previous.kind == "mark" or previous.text in KEYWORDS - VALUES))
                or (token.text == "." and (byte_at(data, token.end) in b" \n\r" or token.end == len(data)))
            ):
                return last
        elif token.kind in ("name", "string"):
            quote = data[token.start : token.start + 1]
            if (quote == opening and quote in (b'"', b"'", b"`")) or data.startswith(b"```", token.start):
                return last
            words = 0
        elif token.kind == "word":
            if body:
                blocks += token.text in ("BEGIN", "CASE", "IF", "LOOP")
                blocks -= token.text == "END"
            if (
                b"\n" in gap
                and depth == 0
                and token.text in _STATEMENTS
                and not body
                and previous.text not in KEYWORDS
                and previous.text not in (")", ",", "=")
                and read[0].text != "WITH"
            ):
                return last
            if b"\n" in gap and token.text == "GO":
                return last
            if (
                depth == 0
                and asked
                and not body
                and _breaks(previous, token, read[index + 1] if index + 1 < len(read) else None)
            ):
                return last
            asked = token.text in ("WHERE", "LIMIT") or (
                asked and token.text not in ("SELECT", "FROM", "JOIN", "ORDER", "GROUP", "RETURNING", "WINDOW")
            )
            if token.text[0].isascii():
                words = 0 if token.text in KEYWORDS else words + 1
                if depth == 0 and words > 1 and token.text in REQUESTS and read[0].text not in ("CREATE", "ALTER"):
                    return last
                if depth == 0 and words > 2 and not body and read[0].text not in ("CREATE", "ALTER", "GRANT"):
                    due = read[index - 3].text in KEYWORDS or read[index - 3].kind == "mark"
                    return read[index - 2].end if due else read[index - 3].end  # users returns nothing
                if b"\n\n" in gap and depth == 0 and words and not body:
                    return last
            elif not _continues(previous, listing, depth):
                return last
            if token.text == "FROM" and depth == 0:
                listing = False
        last = token.end
    return last


def _breaks(previous: Token, token: Token, following: Token | None) -> bool:
    """No condition goes on like this: a value and a word (id = 1 please), or an IS that no IS NULL is."""
    value = (
        previous.kind in ("number", "string")
        or (previous.kind == "word" and previous.text not in KEYWORDS)
        or previous.text == ")"
        or previous.text in VALUES
    )
    if token.text == "IS":
        return (
            value
            and following is not None
            and following.text not in ("NOT", "NULL", "TRUE", "FALSE", "DISTINCT", "UNKNOWN", "JSON")
        )
    return value and token.text not in KEYWORDS


def _continues(previous: Token, listing: bool, depth: int) -> bool:
    """A word in Chinese is a name of the statement where one is due."""
    if depth or previous.kind == "mark":
        return previous.text != ")" or listing
    return previous.kind == "word" and ((previous.text in KEYWORDS and previous.text not in VALUES) or listing)
