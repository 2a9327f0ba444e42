"""SQL, cut into tokens: enough to tell code from strings, names and comments.

Our own and not sqlglot's tokenizer: that one has to know the dialect before it reads `a` or [a], refuses a quote or comment
that is never closed (measured with 30.30), and would be a dependency for some 40 lines. It is a third faster on one
statement, but reads the whole text; here what is read is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal, NamedTuple

import re2

from pointsman.extractors.scan import DIGIT_BYTES, WORD_BYTES
from pointsman.extractors.sql_aside import ASIDE
from pointsman.extractors.sql_plain import plain
from pointsman.extractors.width import narrow

Kind = Literal["word", "string", "name", "number", "mark"]


class Token(NamedTuple):
    """`text` of a word is upper case; of a quoted name it is the bare name; of a string all of it, quotes and case too."""

    kind: Kind
    text: str
    start: int
    end: int


_LETTER = r"[\x{80}-\x{1fff}\x{2070}-\x{2fff}\x{3040}-\x{fdff}\x{10000}-\x{10ffff}]"  # no punctuation of Chinese

# Each piece eats what it opened to the end of the text where it is never closed: so nothing is read twice.
_TOKEN: Any = re2.compile(  # no groups: what it is, its first byte tells, in half the time
    r"(?s)\s+|--[^\n]*|/\*!?(?:[^*]|\*+[^*/])*(?:\*+/)?"  # nothing
    r"|[eEnNxXbB]'(?:[^'\\]|\\.|'')*'|'(?:[^'\\]|\\.|'')*'?"  # a string
    r"|\"(?:[^\"]|\"\")*\"?|`(?:[^`]|``)*`?|\[[^\]\[\n]{1,128}\]"  # a name in quotes
    r"|[0-9]+(?:\.[0-9]+)?"
    r"|::|#[ \t][^\n]*"
    rf"|(?:@{{1,2}}|#{{1,2}}|[$:])?(?:[A-Za-z_]|{_LETTER})(?:[0-9A-Za-z_$#]|{_LETTER})*"  # a word
    r"|<=|>=|<>|!=|\|\||\$\$|."  # a mark
)
_ASCII: Any = re2.compile(r"[\x00-\x7f]*")
_WORD: Any = re2.compile(_LETTER)
_LETTERS = WORD_BYTES - DIGIT_BYTES
_MOST_TOKENS = 4000
_MYSQL_CODE: Any = re2.compile(r"/\*!([0-9]{0,6})")


def tokens(data: bytes, start: int = 0, end: int | None = None, limit: int = _MOST_TOKENS) -> Iterator[Token]:
    """What stands from there to `end`, without blanks and comments; at most `limit` pieces are read."""
    for match in islice(_TOKEN.finditer(data, start, end), limit):
        begin, finish = match.span()
        first = data[begin]
        text = data[begin:finish]
        if (
            first in _LETTERS
            or first > 127
            or (first in b"@#$:" and finish - begin > 1 and text[:2] not in (b"::", b"$$", b"# ", b"#\t"))
        ):
            if text[-1] == 0x27 or (text[1:2] == b"'"):
                yield Token("string", text.decode("utf-8", "replace"), begin, finish)
            elif first > 127 and not _WORD.match(text):
                yield Token("mark", text.decode("utf-8", "replace"), begin, finish)
            else:
                word = text.decode("utf-8", "replace")
                if first < 128 and len(word) < len(text):
                    yield from _apart(word, begin, finish)
                else:
                    yield Token("word", word.upper(), begin, finish)
        elif first in b" \n\t\r\f\v" or text[:2] in (b"--", b"/*", b"# ", b"#\t"):
            continue
        elif first in DIGIT_BYTES:
            yield Token("number", text.decode(), begin, finish)
        elif first == 0x27:
            yield Token("string", text.decode("utf-8", "replace"), begin, finish)
        elif first in b'"`' or (first == 0x5B and finish - begin > 1):
            yield Token("name", text[1:-1].decode("utf-8", "replace"), begin, finish)
        else:
            yield Token("mark", text.decode("utf-8", "replace"), begin, finish)


def _apart(word: str, begin: int, finish: int) -> Iterator[Token]:
    """A Latin word and the Chinese that nobody put a blank before (users会怎样); user表 is one name."""
    name = _ASCII.match(word).group()
    if not ASIDE.match(word[len(name) :]):
        yield Token("word", word.upper(), begin, finish)
        return
    yield Token("word", name.upper(), begin, begin + len(name))
    yield Token("word", word[len(name) :].upper(), begin + len(name), finish)


def opened(statement: str) -> bytes:
    """The statement in plain characters (`narrow`, `plain`), with what MySQL runs although it stands in a comment
    (/*!50000 DROP TABLE t */) laid open."""
    data = plain(narrow(statement).encode("utf-8", "replace"))
    if b"/*!" not in data:
        return data
    parts = []
    at = 0
    for match in _MYSQL_CODE.finditer(data):
        if match.start() < at:
            continue
        close = data.find(b"*/", match.end())
        parts += [data[at : match.start()], b" ", data[match.end() : close if close >= 0 else len(data)], b" "]
        at = close + 2 if close >= 0 else len(data)
        if close < 0:
            break
    return b"".join([*parts, data[at:]])


def alone_on_line(data: bytes, token: Token) -> bool:
    """Nothing else stands on its line, which is not the first: GO."""
    _, newline, blanks = data[max(0, token.start - 64) : token.start].rpartition(b"\n")
    tail = data[token.end : token.end + 64].partition(b"\n")[0].strip(b"; \r\t")
    return bool(newline) and not blanks.strip() and (not tail or tail.isdigit())
