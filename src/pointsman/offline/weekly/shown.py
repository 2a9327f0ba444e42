"""Figures as people read them."""

from __future__ import annotations

import re

from pointsman.domain.said import Said, Tongue, told
from pointsman.offline.replay.section import figure, number
from pointsman.store.figures import BOUNDS

_NOTHING = 0.0005
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def one_line(text: str | None, tongue: Tongue) -> str:
    """In that language; of others' texts nothing turns the line around or breaks it."""
    return _CONTROLS.sub("\ufffd", " ".join(told(text or "", tongue).split()))


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"


def share(count: float, of: float) -> str:
    return percent(count / of if of else None)


def between(low: float, high: float) -> str:
    """An interval of shares."""
    return f"{100 * low:.1f} – {100 * high:.1f}%"


def milliseconds(value: float | None) -> str:
    """An upper bound, as the log's sums tell it."""
    if value is None:
        return "–"
    prefix = ">" if value >= BOUNDS[-1] else "≤"
    return f"{prefix} {value:g} ms" if value < 1000 else f"{prefix} {value / 1000:g} s"


def busy(value: float) -> str:
    return "< 0.01" if 0 < value < 0.005 else f"{value:.2f}"


def seconds(value: float) -> str:
    return f"{figure(value)} s"


def large(value: float) -> str:
    """Whole numbers with separators, from a million on in millions."""
    return f"{value / 1e6:,.2f} M" if value >= 1e6 else number(round(value))


def grown(now: float, was: float) -> str | None:
    """As a share of what it was; None of nothing."""
    if not was:
        return None
    change = 100 * (now - was) / was
    if abs(change) < 0.05:
        return "±0"
    return f"{change:+,.0f}%" if abs(change) >= 10 else f"{round(change, 1) + 0.0:+.1f}%"


def points(now: float, was: float) -> str:
    """How many points of a hundred more."""
    change = round(100 * (now - was), 1)
    return f"{change:+.1f} pp" if change else "±0"


def signed(value: float) -> str:
    if abs(value) < _NOTHING:
        return "0"
    size = abs(value)
    return f"{value:+,.{0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3}f}"


def joined(texts: list[Said] | tuple[Said, ...]) -> Said:
    return Said(", ".join(texts), "、".join(text.zh for text in texts))
