"""按地区和门店, by region and store: the dimensions that the rows of a report are put together by."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.planning.words import Remaining

_LEADS = ("按照", "按", "分", "各", "每个", "grouped by", "group by", "by", "per", "each")
_LINKS = ("以及", "和", "与", "及", "、", ",", "，", "and", "&")


def take_grouping(remaining: Remaining, words: Mapping[str, str]) -> tuple[str, ...]:
    """Strikes every lead with the dimensions after it. `words` are those of the dimensions, folded, and whose they are.
    Returns the dimensions in the order of the text."""
    found: list[str] = []
    for lead in _LEADS:
        for _, start, end in remaining.places(lead):
            at = end
            while (next_one := _dimension_at(remaining, _skip(remaining.left, at, first=at == end), words)) is not None:
                name, at = next_one
                if name not in found:
                    found.append(name)
            if at > end:
                remaining.strike(start, at)
    return tuple(found)


def _dimension_at(remaining: Remaining, at: int, words: Mapping[str, str]) -> tuple[str, int] | None:
    for word in sorted(words, key=len, reverse=True):
        if word and remaining.stands_at(word, at):
            return words[word], at + len(word)
    return None


def _skip(text: str, at: int, *, first: bool) -> int:
    """Past spaces, and between two dimensions past what joins them."""
    at += len(text[at:]) - len(text[at:].lstrip(" "))
    if first:
        return at
    link = next((link for link in _LINKS if text.startswith(link, at)), "")
    at += len(link)
    return at + len(text[at:]) - len(text[at:].lstrip(" "))
