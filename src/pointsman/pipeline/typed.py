"""A text of a message as the value that a JSON Schema wants of it: a number, a truth, a day, one of a few options."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from pointsman.extractors.numerals import DIGITS, ZH, number_of
from pointsman.extractors.width import narrow
from pointsman.periods import find_periods

Schema = Mapping[str, Any]
_DEEP = 8
"""Alternatives within alternatives that are looked at."""
_LONGEST = 200
"""Characters of what may be a number or a day."""
_SIGN = {"负": "-", "-": "-", "−": "-", "–": "-", "minus": "-", "+": "", "": ""}
_MEASURES = "个位名人件份台只条张本次天年月周套支辆间层页行项包盒瓶箱块元"
_NUMBER = re.compile(
    rf"(?P<sign>负|minus\s|[-−–+])?\s*(?:(?P<plain>{DIGITS})|(?P<zh>{ZH}))\s*(?P<scale>万亿|亿|万|thousand|million|billion|k)?"
    rf"\s*(?P<measure>[{_MEASURES}])?",
    re.IGNORECASE,
)
_EXACT = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_YES = frozenset(("true", "yes", "y", "on", "1", "是", "是的", "对", "要", "需要", "开", "真", "好", "好的"))
_NO = frozenset(("false", "no", "n", "off", "0", "否", "不", "不是", "不要", "不用", "不需要", "关", "假"))
_NO_OPTION = object()
_NOTHING = frozenset(("", "null", "none", "无", "没有"))
_DAY = (
    re.compile(r"(?P<y>\d{4})\s*[-/.年]\s*(?P<m>\d{1,2})\s*[-/.月]\s*(?P<d>\d{1,2})\s*[日号]?"),
    re.compile(r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"),
)


def typed(value: Any, schema: Schema, today: datetime.date | None = None) -> Any:
    """A text as its schema wants it, where it reads so; whatever else as it is: what is wrong with it is said by the check
    of parameters. `today` is what days are counted from that are named by their distance (明天, next Friday); without it
    none is read."""
    if not isinstance(value, str):
        return value
    wanted = list(_alternatives(schema, _DEEP))
    plain = narrow(value).strip()
    option = _option(value, plain, [option for one in wanted for option in _options(one)])
    if option is not _NO_OPTION:
        return option
    wanted = [one for one in wanted if not _options(one)]
    types = {kind for one in wanted for kind in _types(one)}
    if "null" in types and "string" not in types and plain.lower() in _NOTHING:
        return None
    if len(plain) <= _LONGEST:
        for one in wanted:
            for kind in _types(one):
                found = _as(kind, value, plain, one, today)
                if found is not None:
                    return found
    return value


def _alternatives(schema: Schema, deep: int) -> Iterator[Schema]:
    """The schema, and those of which a value has to meet one."""
    yield schema
    if deep:
        for key in ("anyOf", "oneOf", "allOf"):
            for one in schema.get(key) or ():
                if isinstance(one, Mapping):
                    yield from _alternatives(one, deep - 1)


def _types(schema: Schema) -> Sequence[str]:
    """Where several are allowed, a text stays a text."""
    kinds = schema.get("type")
    found = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else [kinds] if kinds else []
    return sorted(found, key="string".__ne__)


def _options(schema: Schema) -> list[Any]:
    options = schema.get("enum")
    found = list(options) if isinstance(options, list) else []
    return [*found, schema["const"]] if "const" in schema else found


def _as(kind: str, value: str, plain: str, schema: Schema, today: datetime.date | None) -> Any:
    """None where it does not read as that."""
    match kind:
        case "integer":
            number = _number(plain)
            return number if isinstance(number, int) else None
        case "number":
            return _number(plain)
        case "boolean":
            word = plain.lower()
            return True if word in _YES else False if word in _NO else None
        case "array" if isinstance(schema.get("items"), Mapping):
            return [typed(value, schema["items"], today)]
        case "string" if schema.get("format") == "date":
            return _day(plain, today) or value
        case "string" if schema.get("format") == "date-time":
            return _moment(plain) or value
        case "string":
            return value
    return None


def _number(plain: str) -> int | float | None:
    """All of the text is the number, a measure word perhaps behind it. 1,200; 三十五; 1.5万; 3个; 1e-3."""
    if _EXACT.fullmatch(plain):
        exact = Decimal(plain)
        if exact == exact.to_integral_value() and exact.adjusted() <= 18:
            return int(exact)
        return float(exact)
    found = _NUMBER.fullmatch(plain)
    if found is None:
        return None
    number = number_of(found["plain"] or found["zh"], found["scale"] or "")
    if number is None:
        return None
    return -number if _SIGN[(found["sign"] or "").strip().lower()] else number


def _option(value: str, plain: str, options: list[Any]) -> Any:
    """The one that it is, or is but for its spelling: letters, width, blanks around it; _NO_OPTION where it is none."""
    if value in options:
        return value
    word = plain.casefold()
    for option in options:
        if isinstance(option, str):
            same = narrow(option).strip().casefold() == word
        elif isinstance(option, bool):
            same = word in (_YES if option else _NO)
        elif option is None:
            same = word in _NOTHING
        else:
            same = isinstance(option, int | float) and _number(plain) == option
        if same:
            return option
    return _NO_OPTION


def _day(plain: str, today: datetime.date | None) -> str | None:
    """As ISO 8601 has it. One day alone: of 上周 nobody knows which."""
    for pattern in _DAY:
        if found := pattern.fullmatch(plain):
            try:
                return datetime.date(int(found["y"]), int(found["m"]), int(found["d"])).isoformat()
            except ValueError:
                return None
    if today is None:
        return None
    periods = find_periods(plain, today, prefer="future")
    if len(periods) == 1:
        [period] = periods
        if (
            period.grain == "day"
            and period.end - period.start == datetime.timedelta(1)
            and period.text.strip() == plain
        ):
            return period.start.isoformat()
    return None


def _moment(plain: str) -> str | None:
    """With its zone, as RFC 3339 wants it."""
    try:
        moment = datetime.datetime.fromisoformat(plain)
    except ValueError:
        return None
    return None if moment.tzinfo is None else moment.isoformat()
