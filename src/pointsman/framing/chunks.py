"""What was retrieved, cut into the chunks that it was put together from, with the ids that they have there.

Products write chunks one after the other in many ways: tags (`<source id="1">`), JSON objects, headed lines (`[1] …`,
`ID: 0`, `Document 2:`, `来源：a.pdf`), rules (`------`), or nothing but empty lines. The first of these that a text is
made in counts. Retrieved text is not to be trusted, and may look like several chunks: it is text of that message all
the same. Pure; linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pointsman.framing.headed import headed
from pointsman.framing.objects import objects
from pointsman.framing.piece import Piece
from pointsman.framing.tagged import tagged

MOST = 100_000
"""Characters of all that was retrieved with one question; what comes after them is not looked at."""
MOST_CHUNKS = 500
LONGEST_ID = 64

_RULE = re.compile(r"[ \t]{0,8}(?:-{3,200}|={3,200}|\*{3,200}|_{3,200}|—{3,200}|#{3,200})[ \t]{0,8}\r?")
_ID = re.compile(r"[\w][\w .()（）《》【】@/:#+\-]*")
_SENTENCE = re.compile(r"[:：.] |\s{2}|[。，！？；]")
_OPEN = re.compile(r"(?:[:：]|^#{1,6} .*)$")


class Chunk(msgspec.Struct, frozen=True):
    """`id` is the one that the product gave it, its file's name, or else its number; no two of a request are the same.
    `cut`: there was more, which is not in here nor behind it."""

    id: str
    text: str
    cut: bool = False


def chunks_of(contexts: Iterable[str]) -> tuple[Chunk, ...]:
    """The chunks of all these texts, in order; those without any word are left out."""
    pieces: list[Piece] = []
    left = MOST
    cut = False
    for context in contexts:
        if left <= 0:
            cut = True
            break
        cut = len(context) > left
        pieces += [piece for piece in _pieces(context[:left]) if _says(piece.text)]
        left -= len(context)
    cut = cut or len(pieces) > MOST_CHUNKS
    return _named(pieces[:MOST_CHUNKS], cut)


def _pieces(context: str) -> Sequence[Piece]:
    for way in (objects, tagged, headed):
        found = way(context)
        if found:
            return found
    ruled = _by_rules(context)
    if len(ruled) < 2:
        return [Piece(text) for text in _paragraphs(context)]
    pieces: list[Piece] = []
    for text in ruled:
        pieces += objects(text) or tagged(text) or headed(text) or [Piece(text)]
    return pieces


def _by_rules(context: str) -> list[str]:
    texts: list[list[str]] = [[]]
    for line in context.split("\n"):
        if _RULE.fullmatch(line):
            texts.append([])
        else:
            texts[-1].append(line)
    return [text for lines in texts if (text := "\n".join(lines).strip())]


def _paragraphs(context: str) -> Iterator[str]:
    """What empty lines part. A heading belongs to what is below it, and so does a line that ends with a colon."""
    held: list[str] = []
    open_end = False
    for line in (*context.split("\n"), ""):
        if line.strip():
            held.append(line)
            open_end = _OPEN.search(line.strip()) is not None
        elif held and not open_end:
            yield "\n".join(held).strip()
            held = []
    if held:
        yield "\n".join(held).strip()


def _says(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _named(pieces: Sequence[Piece], cut: bool) -> tuple[Chunk, ...]:
    given = [_id(piece.id) or _id(piece.name) for piece in pieces]
    taken = {name for name in given if name}
    used: set[str] = set()
    chunks = []
    for number, (piece, name) in enumerate(zip(pieces, given, strict=True), 1):
        wanted = name or str(number)
        own = wanted
        again = 1
        while own in used or (not name and own in taken):
            again += 1
            own = f"{wanted}#{again}"
        used.add(own)
        chunks.append(Chunk(own, piece.text, cut and number == len(pieces)))
    return tuple(chunks)


def _id(given: str | None) -> str | None:
    """One that can be shown as it is: a number, a key, a file's name. A sentence is none."""
    if given is None:
        return None
    plain = " ".join(given.split())
    if not plain or len(plain) > LONGEST_ID or not _ID.fullmatch(plain) or _SENTENCE.search(plain):
        return None
    return plain if plain.count(" ") <= 3 or "." in plain[-6:] else None
