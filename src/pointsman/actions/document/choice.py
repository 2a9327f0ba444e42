"""`1-3,7`: which pages somebody wants."""

from __future__ import annotations

import re

_ONE = re.compile(r"\s*(\d{1,7})\s*(?:[-–—~～至到]\s*(\d{1,7})\s*)?")
MOST = 100
"""Ranges of one choice."""


def chosen(text: str) -> list[tuple[int, int]] | None:
    """Ranges, both ends included, in order and apart; none for an empty text. None where it reads as nothing."""
    ranges = []
    parts = [part for part in re.split(r"[,，、;；]", text) if part.strip()]
    for part in parts[: MOST + 1]:
        found = _ONE.fullmatch(part)
        if found is None:
            return None
        first, last = int(found[1]), int(found[2] or found[1])
        if not 1 <= first <= last:
            return None
        ranges.append((first, last))
    return None if len(ranges) > MOST else _apart(sorted(ranges))


def _apart(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for first, last in ranges:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


def is_in(number: int, ranges: list[tuple[int, int]]) -> bool:
    """Whether that page is wanted; without ranges, every page is."""
    return not ranges or any(first <= number <= last for first, last in ranges)
