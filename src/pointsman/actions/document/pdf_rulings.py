"""Lines that a page draws: the borders of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import byref, c_float, c_int
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import pypdfium2 as pdfium
import pypdfium2.raw as raw

if TYPE_CHECKING:
    from pointsman.actions.document.pdf_page import Turn

_MOST_OBJECTS = 20_000  # of one page; drawings have more, tables have not
_MOST_SEGMENTS = 4_000  # of one path
_MOST_LINES = 4_000
_DEPTH = 3  # of forms in forms
_THIN = 3.0  # points: a filled box of that breadth is a line
_SHORTEST = 6.0  # points
_STRAIGHT = 0.8

Matrix = tuple[float, float, float, float, float, float]
_AS_IT_IS: Matrix = (1, 0, 0, 1, 0, 0)


class Rule(msgspec.Struct, frozen=True, gc=False):
    """A line at `at`, from `low` to `high` along it; points."""

    at: float
    low: float
    high: float


class Rulings(msgspec.Struct):
    """Lines across (at some y) and lines down (at some x)."""

    across: list[Rule]
    down: list[Rule]

    def touch(self, left: float, bottom: float, right: float, top: float) -> bool:
        """Whether a box may be among them: it lies within what they span."""
        span = self.span
        if span is None:
            return False
        return left < span[2] and right > span[0] and bottom < span[3] and top > span[1]

    @property
    def span(self) -> tuple[float, float, float, float] | None:
        across, down = self.across, self.down
        if len(across) < 2:
            return None
        xs = [rule.low for rule in across] + [rule.high for rule in across] + [rule.at for rule in down]
        ys = [rule.low for rule in down] + [rule.high for rule in down] + [rule.at for rule in across]
        return min(xs), min(ys), max(xs), max(ys)


def rulings_of(page: pdfium.PdfPage, turn: Turn) -> Rulings:
    """Empty for a page that draws more than tables do."""
    found = Rulings([], [])
    handle = page.raw
    count = raw.FPDFPage_CountObjects(handle)
    if not 0 < count <= _MOST_OBJECTS:
        return found
    for n in range(count):
        _look(raw.FPDFPage_GetObject(handle, n), _AS_IT_IS, 0, turn, found)
        if len(found.across) + len(found.down) > _MOST_LINES:
            return Rulings([], [])
    return found


def _look(thing: Any, outer: Matrix, depth: int, turn: Turn, found: Rulings) -> None:
    kind = raw.FPDFPageObj_GetType(thing)
    if kind == raw.FPDF_PAGEOBJ_FORM and depth < _DEPTH:
        inner = _times(_matrix(thing), outer)
        for n in range(min(raw.FPDFFormObj_CountObjects(thing), _MOST_OBJECTS)):
            _look(raw.FPDFFormObj_GetObject(thing, n), inner, depth + 1, turn, found)
            if len(found.across) + len(found.down) > _MOST_LINES:
                return
    if kind != raw.FPDF_PAGEOBJ_PATH:
        return
    segments = raw.FPDFPath_CountSegments(thing)
    if not 2 <= segments <= _MOST_SEGMENTS:
        return
    fill, stroke = c_int(), c_int()
    raw.FPDFPath_GetDrawMode(thing, byref(fill), byref(stroke))
    if not fill.value and not stroke.value:
        return
    matrix = _times(_matrix(thing), outer)
    for points in _subpaths(thing, segments, matrix):
        if stroke.value:
            for (x0, y0), (x1, y1) in pairwise(points):
                _add(turn.box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), _STRAIGHT, found)
        else:
            xs, ys = [x for x, _ in points], [y for _, y in points]
            _add(turn.box(min(xs), min(ys), max(xs), max(ys)), _THIN, found)


def _add(box: tuple[float, float, float, float], thin: float, found: Rulings) -> None:
    left, bottom, right, top = box
    if top - bottom <= thin and right - left >= _SHORTEST:
        found.across.append(Rule((top + bottom) / 2, left, right))
    elif right - left <= thin and top - bottom >= _SHORTEST:
        found.down.append(Rule((left + right) / 2, bottom, top))


def _subpaths(path: Any, count: int, matrix: Matrix) -> Iterator[list[tuple[float, float]]]:
    """Straight lines in a row; a curve parts them."""
    a, b, c, d, e, f = matrix
    points: list[tuple[float, float]] = []
    x, y = c_float(), c_float()
    for n in range(count):
        segment = raw.FPDFPath_GetPathSegment(path, n)
        raw.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        kind = raw.FPDFPathSegment_GetType(segment)
        point = a * x.value + c * y.value + e, b * x.value + d * y.value + f
        if kind == raw.FPDF_SEGMENT_LINETO:
            points.append(point)
        else:
            if len(points) > 1:
                yield points
            points = [point]
        if raw.FPDFPathSegment_GetClose(segment) and len(points) > 1:
            points.append(points[0])
    if len(points) > 1:
        yield points


def _matrix(thing: Any) -> Matrix:
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(thing, byref(found)):
        return _AS_IT_IS
    return found.a, found.b, found.c, found.d, found.e, found.f


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m
