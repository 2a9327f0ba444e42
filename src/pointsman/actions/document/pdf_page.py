"""What PDFium says of one page: characters in the order of the page, where they stand, and the lines drawn around them."""

from __future__ import annotations

from ctypes import byref, c_double
from typing import Any

import msgspec
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from pointsman.actions.document.pdf_rulings import Rulings, rulings_of

_MOST_CHARACTERS = 200_000  # of one page
_END_OF_LINE = {10, 13}
_SOFT_HYPHENS = {0x02, 0xAD, 0xFFFE}


class Line(msgspec.Struct, gc=False):
    """Characters from `start` to `end`, the span and the height at which they stand, and the size of the first, in points; y
    grows upwards. `hyphen`: it ends in the middle of a word."""

    start: int
    end: int
    text: str
    left: float
    right: float
    base: float
    size: float
    hyphen: bool = False


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where a character is: its ink, and the line that it stands on."""

    left: float
    right: float
    base: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """Within its line, whatever its shape."""
        return (self.left + self.right) / 2, self.base + self.height / 4


class Content(msgspec.Struct):
    """`places` are of those characters that may be in a table. `picture`: no text, but something is drawn."""

    lines: list[Line]
    characters: list[str]
    places: dict[int, Place]
    rulings: Rulings
    picture: bool


def page_of(page: pdfium.PdfPage, tables: bool) -> Content:
    turn = Turn(page)
    textpage = page.get_textpage()
    try:
        count = min(textpage.count_chars(), _MOST_CHARACTERS)
        handle = textpage.raw
        codes = [raw.FPDFText_GetUnicode(handle, n) for n in range(count)]
        lines = _lines(handle, codes, turn)
        rulings = rulings_of(page, turn) if tables and lines else Rulings([], [])
        places: dict[int, Place] = {}
        for line in lines:
            if rulings.touch(line.left, line.base, line.right, line.base + line.size / 2):
                for n in range(line.start, line.end):
                    places[n] = _place(handle, n, turn)
        characters = [_character(code) for code in codes]
        return Content(lines, characters, places, rulings, not lines and _draws(page))
    finally:
        textpage.close()


class Turn:
    """A page that is shown turned, as it is shown."""

    def __init__(self, page: pdfium.PdfPage) -> None:
        self._quarters = page.get_rotation() // 90

    def box(self, left: float, bottom: float, right: float, top: float) -> tuple[float, float, float, float]:
        match self._quarters:
            case 1:
                return bottom, -right, top, -left
            case 2:
                return -right, -top, -left, -bottom
            case 3:
                return -top, left, -bottom, right
        return left, bottom, right, top


def _place(handle: Any, n: int, turn: Turn) -> Place:
    left, right, bottom, top, x, y = (c_double() for _ in range(6))
    raw.FPDFText_GetCharBox(handle, n, byref(left), byref(right), byref(bottom), byref(top))
    raw.FPDFText_GetCharOrigin(handle, n, byref(x), byref(y))
    ink = turn.box(left.value, bottom.value, right.value, top.value)
    base = turn.box(x.value, y.value, x.value, y.value)[1]
    return Place(ink[0], ink[2], base, float(raw.FPDFText_GetFontSize(handle, n)))


def _character(code: int) -> str:
    return "" if code in _SOFT_HYPHENS else chr(code) if code < 0x110000 else ""


def _lines(handle: Any, codes: list[int], turn: Turn) -> list[Line]:
    lines, start = [], 0
    for end in [n for n, code in enumerate(codes) if code in _END_OF_LINE] + [len(codes)]:
        line = _line(handle, codes, start, end, turn)
        if line is not None:
            lines.append(line)
        start = end + 1
    return lines


def _line(handle: Any, codes: list[int], start: int, end: int, turn: Turn) -> Line | None:
    some = codes[start:end]
    text = "".join(map(_character, some))
    if not text.strip() or max(some) <= 32:
        return None
    hyphen = some[-1] in _SOFT_HYPHENS
    first = start + next(n for n, code in enumerate(some) if code > 32)
    last = end - 1 - next(n for n, code in enumerate(reversed(some)) if code > 32)
    a, b = _place(handle, first, turn), _place(handle, last, turn)
    return Line(start, end, _paired(text), min(a.left, b.left), max(a.right, b.right), a.base, a.height, hyphen)


def _paired(text: str) -> str:
    """Halves of characters beyond the first 65,536 as the characters they are."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _draws(page: pdfium.PdfPage) -> bool:
    return bool(raw.FPDFPage_CountObjects(page.raw) > 0)
