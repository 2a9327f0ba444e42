"""The way into the grammar: most texts name no period, and are told so without it."""

from __future__ import annotations

import datetime
import re

import msgspec

from pointsman.domain.report import Period
from pointsman.periods.frame import Frame, Prefer
from pointsman.periods.sieve import languages

Date = datetime.date

_LONGEST = 2000  # characters that are searched
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


def find_periods(text: str, today: Date, *, prefer: Prefer = "past", fiscal_start: int = 1) -> tuple[Period, ...]:
    """The periods of `text` as of `today`, in the order of the text, each with its words and offsets in `text`. One
    period is what was meant; none is nothing said; several are for the person to choose from (two were named, or one
    has two readings: 03/04/2024). Without a year the latest that has begun is meant, with `prefer` future the nearest
    that has not ended; fiscal years begin in month `fiscal_start`. A question about a term (Q1 是什么意思) names none."""
    original = text[:_LONGEST]
    if _INVISIBLE.search(original):
        return _found_between(original, today, prefer, fiscal_start)
    chinese, english = languages(original)
    if not (chinese or english):
        return ()
    from pointsman.periods.read import read_periods

    original = original.encode("utf-8", "replace").decode()  # half a surrogate pair becomes a question mark
    return read_periods(original, Frame(today, prefer == "future", fiscal_start), chinese=chinese, english=english)


def _found_between(text: str, today: Date, prefer: Prefer, fiscal_start: int) -> tuple[Period, ...]:
    """The same where characters that show nothing stand in the text: they count for nothing, and places stay the text's."""
    places = [place for place, character in enumerate(text) if not _INVISIBLE.match(character)]
    plain = "".join([text[place] for place in places])
    found = find_periods(plain, today, prefer=prefer, fiscal_start=fiscal_start)
    moved = []
    for period in found:
        start, end = places[period.span[0]], places[period.span[1] - 1] + 1
        moved.append(msgspec.structs.replace(period, span=(start, end), text=text[start:end]))
    return tuple(moved)
