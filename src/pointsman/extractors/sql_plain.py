"""SQL as a database may come to read it: blanks of all kinds are blanks, and no keyword is split.

What is changed keeps its length in bytes, so places stay.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import re2

from pointsman.extractors.scan import MOST_LOOKS

_UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_BLANK = "\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NEW_LINE = "\u2028\u2029"
_ESCAPES = (b"\\\\n", b"\\\\r", b"\\\\t", b"\\n", b"\\r", b"\\t")  # as strings of JSON and of programs have them
ODD = rf"\\[nrt]|[A-Za-z]/\*|[{_UNSEEN}{_BLANK}{_NEW_LINE}]"
_ODD: Any = re2.compile(ODD)
_SEAM = rf"(?:/\*[^*'\"`\n]*\*+/|[{_UNSEEN}])+"  # a quote in it may belong to a string around it
_SPLIT: Any = re2.compile(rf"[A-Za-z]+(?:{_SEAM}[A-Za-z]+)+")
_PIECE: Any = re2.compile(rf"([A-Za-z]+)({_SEAM})?")
_MOST_PIECES = 2000  # of words that are in pieces
_KEYWORDS = frozenset(
    (
        b"SELECT", b"INSERT", b"INTO", b"UPDATE", b"SET", b"DELETE", b"FROM", b"WHERE", b"DROP", b"TRUNCATE", b"ALTER",
        b"CREATE", b"TABLE", b"DATABASE", b"GRANT", b"REVOKE", b"MERGE", b"EXEC", b"EXECUTE", b"UNION",
    )
)  # fmt: skip
_BEGINNINGS = {each[:length] for each in _KEYWORDS for length in range(1, len(each) + 1)}


def plain(data: bytes) -> bytes:
    """As many bytes. A keyword that a comment or an invisible character splits (DR/**/OP) is whole and in capitals, for
    nobody means prose by it; it stands where it began, blanks behind it."""
    if not _ODD.search(data):
        return data
    data = _joined(data)
    for escape in _ESCAPES:
        data = data.replace(escape, b" " * (len(escape) - 1) + (b"\n" if escape[-1:] == b"n" else b" "))
    if not data.isascii():
        for character in _UNSEEN + _BLANK:
            wide = character.encode()
            data = data.replace(wide, b" " * len(wide))
        for character in _NEW_LINE:
            data = data.replace(character.encode(), b"  \n")
    return data


def _joined(data: bytes) -> bytes:
    out = []
    at = 0
    left = _MOST_PIECES
    for match in islice(_SPLIT.finditer(data), MOST_LOOKS):
        pieces = [piece.groups(b"") for piece in islice(_PIECE.finditer(match.group()), left)]
        out += [data[at : match.start()], *_spelled(pieces)]
        at = match.start() + sum(len(word) + len(seam) for word, seam in pieces)
        left -= len(pieces)
        if left <= 0:
            break
    return b"".join([*out, data[at:]]) if out else data


def _spelled(pieces: list[tuple[bytes, bytes]]) -> list[bytes]:
    """Letters and the seams behind them, with those joined that spell a keyword."""
    out: list[bytes] = []
    index = 0
    while index < len(pieces):
        word, seams, taken = b"", 0, 0
        for ahead in range(index, len(pieces)):
            word += pieces[ahead][0].upper()
            seams += len(pieces[ahead][1])
            if word not in _BEGINNINGS:
                break
            if word in _KEYWORDS and ahead > index:
                taken, joined = ahead + 1 - index, word + b" " * seams
        if taken:
            out.append(joined)
            index += taken
        else:
            out += pieces[index]
            index += 1
    return out
