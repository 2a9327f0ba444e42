"""The words for units, months, weekdays and years that English expressions are made of."""

from __future__ import annotations

from pointsman.periods.frame import Frame
from pointsman.periods.numerals import year_of

MONTHS = {name: n + 1 for n, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
WEEKDAYS = {name: n for n, name in enumerate("mon tue wed thu fri sat sun".split())}
MONTH_WORDS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
MONTH = rf"(?P<month>{MONTH_WORDS})\.?"
WEEKDAY = (
    r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tues|tue|wed|thurs|thu|fri|sat|sun)"
)
REL_YEAR = (
    r"this year|current year|last year|previous year|the year before last|next year|the year after next|the year before"
)
YEAR = rf"(?:(?P<year>(?:19|20)[0-9]{{2}})|(?:the )?(?P<rel>{REL_YEAR}))"
OF_YEAR = rf"(?:'s)?(?:,? ?(?:of |in )?{YEAR})?"
POSSESSIVE_YEAR = rf"(?:(?P<owner>{REL_YEAR})'s |(?P<before>(?:19|20)[0-9]{{2}})(?:'s)? )"
DAY_WORD = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"


def year_in(g: dict[str, str], frame: Frame) -> int | None:
    """The year that was said, if any."""
    for name in ("year", "short", "before"):
        if name in g:
            return year_of(g[name])
    word = g.get("rel") or g.get("owner")
    return frame.today.year + offset_of(word) if word else None


def offset_of(word: str) -> int:
    """this: 0; last, previous: -1; before last: -2; next, coming: 1; after next: 2."""
    if "before last" in word:
        return -2
    if "after next" in word:
        return 2
    if any(later in word for later in ("next", "coming", "following", "upcoming")):
        return 1
    return 0 if any(now in word for now in ("this", "current")) else -1
