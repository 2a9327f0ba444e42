"""The way into the grammar: most texts name no period, and are told so without it."""

from __future__ import annotations

import datetime

from pointsman.domain.report import Period
from pointsman.periods.frame import Frame, Prefer
from pointsman.periods.sieve import languages

Date = datetime.date

_LONGEST = 2000  # characters that are searched


def find_periods(text: str, today: Date, *, prefer: Prefer = "past", fiscal_start: int = 1) -> tuple[Period, ...]:
    """The periods of `text` as of `today`, in the order of the text, each with its words and offsets in `text`. One
    period is what was meant; none is nothing said; several are for the person to choose from (two were named, or one
    has two readings: 03/04/2024). Without a year the latest that has begun is meant, with `prefer` future the nearest
    that has not ended; fiscal years begin in month `fiscal_start`. A question about a term (Q1 是什么意思) names none."""
    original = text[:_LONGEST]
    chinese, english = languages(original)
    if not (chinese or english):
        return ()
    from pointsman.periods.read import read_periods

    original = original.encode("utf-8", "replace").decode()  # half a surrogate pair becomes a question mark
    return read_periods(original, Frame(today, prefer == "future", fiscal_start), chinese=chinese, english=english)
