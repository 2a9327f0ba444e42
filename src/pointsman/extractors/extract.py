"""One door to all finders: what of a kind a text holds, in characters of the text as it was written."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from itertools import islice

from pointsman.domain.characters import whole_characters
from pointsman.domain.extract import Extract
from pointsman.domain.simplified import simplified
from pointsman.extractors import cards, code, contacts, files, maths, money, numbers, phones, secrets, sql
from pointsman.extractors.scan import LONGEST, MOST_FINDS, Find
from pointsman.extractors.width import is_wide, narrow
from pointsman.periods import find_periods

_Finder = Callable[[bytes], Iterator[Find]]
_FINDERS: dict[str, tuple[_Finder, Callable[[bytes], bool]]] = {
    "number": (numbers.find, numbers.may_hold),
    "amount": (money.find_amounts, money.may_hold_amount),
    "percentage": (money.find_percentages, money.may_hold_percentage),
    "file": (files.find, files.may_hold),
    "code": (code.find, code.may_hold),
    "sql": (sql.find, sql.may_hold),
    "maths": (maths.find, maths.may_hold),
    "url": (contacts.find_urls, contacts.may_hold_url),
    "email": (contacts.find_emails, contacts.may_hold_email),
    "phone": (phones.find, phones.may_hold),
    "id_card": (cards.find_id_cards, cards.may_hold),
    "bank_card": (cards.find_bank_cards, cards.may_hold),
    "secret": (secrets.find, secrets.may_hold),
}
_AS_WRITTEN = frozenset(("file", "code", "url", "secret"))  # there a full-width character is no other spelling
_SPELT_OUT = frozenset(("number", "amount", "percentage"))  # in words too, and these in either script
_KEEPS_BLANKS = frozenset(("sql", "code", "maths"))  # there a character that shows nothing parts what it stands in
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_SOME_DAY = datetime.date(2025, 6, 18)  # of a year whose holidays are known, as those before it are


def extract(kind: str, text: str, *, today: datetime.date | None = None) -> tuple[Extract, ...]:
    """What of a kind (`KINDS`) the text holds, in order, not overlapping. The text as the user wrote it; at most its first
    64 KB are read and at most 256 finds given. `today` is what periods count from; without it they are found, but lie
    around a day of no meaning. Raises KeyError for another kind."""
    if kind == "period":
        return _periods(text, today or _SOME_DAY)
    if kind not in _KEEPS_BLANKS and not text.isascii() and _INVISIBLE.search(text, 0, LONGEST):
        return _between(kind, text[:LONGEST])
    finder, holds = _FINDERS[kind]
    if kind in _SPELT_OUT and not text.isascii():
        text = text[:LONGEST].translate(simplified())
    try:
        data = text[:LONGEST].encode()
    except UnicodeEncodeError:
        text = whole_characters(text[:LONGEST])
        data = text.encode()
    if not holds(data):
        return ()
    if kind not in _AS_WRITTEN and len(data) != len(text) and is_wide(data):
        data = narrow(text[:LONGEST]).encode()
    if len(data) > LONGEST:
        data = data[:LONGEST].decode("utf-8", "ignore").encode()
    return _placed(kind, data, finder(data))


def _between(kind: str, text: str) -> tuple[Extract, ...]:
    """Where characters that show nothing stand in the text: they count for nothing, and places stay the text's."""
    places = [place for place, character in enumerate(text) if not _INVISIBLE.match(character)]
    plain = "".join([text[place] for place in places])
    return tuple(
        Extract(find.kind, places[find.start], places[find.end - 1] + 1, find.value, find.of)
        for find in extract(kind, plain)
    )


def _placed(kind: str, data: bytes, finds: Iterator[Find]) -> tuple[Extract, ...]:
    """In characters; of finds that overlap the first stays."""
    placed = []
    ascii_only = data.isascii()
    at_byte = at_character = 0
    for start, end, value, of in islice(finds, MOST_FINDS):
        if start < at_byte or end <= start:
            continue
        if ascii_only:
            begin, finish = start, end
        else:
            begin = at_character + len(data[at_byte:start].decode())
            finish = begin + len(data[start:end].decode())
        placed.append(Extract(kind, begin, finish, value, of))
        at_byte, at_character = end, finish
    return tuple(placed)


def _periods(text: str, today: datetime.date) -> tuple[Extract, ...]:
    """Value: {"start", "end"}, days as ISO 8601 writes them, the end not included. Two readings of one span: the first."""
    placed: list[Extract] = []
    for period in find_periods(text, today):
        start, end = period.span
        if end > start and (not placed or start >= placed[-1].end):
            value = {"start": period.start.isoformat(), "end": period.end.isoformat()}
            placed.append(Extract("period", start, end, value, period.grain))
            if len(placed) == MOST_FINDS:
                break
    return tuple(placed)


def may_hold(kind: str, data: bytes) -> bool:
    """A cheap necessary condition on a text's UTF-8: False only where `extract` finds nothing. Raises KeyError."""
    if kind == "period":
        return bool(data)
    holds = _FINDERS[kind][1]
    if holds(data):
        return True
    if data.isascii():
        return False
    text = data.decode(errors="replace")
    if kind in _SPELT_OUT:
        text = text.translate(simplified())
    if kind not in _KEEPS_BLANKS:
        text = _INVISIBLE.sub("", text)
    plain = text.encode(errors="replace")
    return plain != data and holds(plain)
