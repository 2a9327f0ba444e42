"""One cell of the row-by-row export, as a program that opens the file may have it."""

from __future__ import annotations

import datetime
import decimal
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pointsman.actions.report.document import in_language, word
from pointsman.actions.report.figures import plain_text
from pointsman.actions.report.source import Kind
from pointsman.domain.report import ReportSpec
from pointsman.domain.wording import Tongue

# what makes a spreadsheet take a text for a formula: OWASP's list, full-width twins included
RISKY = frozenset("=+-@\t\r\n＝＋－＠")
_SPACES = frozenset(character for character in map(chr, range(0x3001)) if character.isspace())
_LOOK = RISKY | _SPACES
_PLAIN = frozenset((int, float, bool, type(None)))
_NUMBER = re.compile(r"-\d+(\.\d+)?", re.ASCII)


def safe_text(text: str) -> str:
    """`text`, with an apostrophe before it where a spreadsheet would run it. Negative numbers stay numbers."""
    start = text[:1]
    if start in RISKY and start and not _NUMBER.fullmatch(text):
        return f"'{text}"
    if start.isspace() and text.lstrip()[:1] in RISKY and text.lstrip():
        return f"'{text}"
    return text


def local(value: datetime.datetime, zone: datetime.tzinfo) -> datetime.datetime:
    """Without a zone, as the clock on the wall shows it."""
    return value.astimezone(zone).replace(tzinfo=None) if value.tzinfo else value


def csv_row(row: Iterable[Any], zone: datetime.tzinfo) -> list[Any]:
    """What the csv module is to write for a row. Most cells are seen to be harmless at a glance."""
    return [
        value if (of := value.__class__) in _PLAIN or (of is str and value[:1] not in _LOOK) else _csv_cell(value, zone)
        for value in row
    ]


def _csv_cell(value: Any, zone: datetime.tzinfo) -> Any:
    if isinstance(value, str):
        return safe_text(value)
    if isinstance(value, decimal.Decimal):
        return f"{value:f}"
    if isinstance(value, datetime.datetime):
        return plain_text(local(value, zone))
    return safe_text(plain_text(value))


def sheet_cell(value: Any, kind: Kind, zone: datetime.tzinfo) -> Any:
    """None, a bool, a float or int that a sheet can hold, a date, a datetime from 1900 on, or text."""
    if isinstance(value, str):
        if kind in ("date", "moment"):  # SQLite keeps dates as text
            value = _moment(value, kind)
        if isinstance(value, str):
            return value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 10**15 else str(value)  # a sheet keeps 15 digits
    if isinstance(value, float):
        return value if value - value == 0 else None  # neither NaN nor infinite
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            return None
        return float(value) if len(value.as_tuple().digits) <= 15 else f"{value:f}"
    if isinstance(value, datetime.datetime):
        moment = local(value, zone)
        return moment if moment.year >= 1900 else plain_text(moment)
    if isinstance(value, datetime.date):
        return value if value.year >= 1900 else value.isoformat()
    return plain_text(value)


def _moment(text: str, kind: Kind) -> Any:
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        return text
    return found.date() if kind == "date" and found.time() == datetime.time() else found


def detail_titles(spec: ReportSpec, names: Sequence[str], language: Tongue) -> list[str]:
    """Heads of the columns: the title of the dimension or the summed measure that is made of it, else its own name."""
    titles = {spec.time_column: word("date", language)}
    for measure in spec.measures:
        if measure.aggregate == "sum" and measure.column is not None:
            titles.setdefault(measure.column, in_language(measure.titles, language))
    for dimension in spec.dimensions:
        titles.setdefault(dimension.column, in_language(dimension.titles, language))
    return [titles.get(name, name) for name in names]
