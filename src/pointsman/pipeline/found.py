"""Parameters that the text itself shows, without any model: by the extractors, and by the values that a schema lists."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from pointsman.domain.action import ActionSpec
from pointsman.domain.extract import KINDS, Extract
from pointsman.domain.wording import Tongue
from pointsman.extractors import extract
from pointsman.periods.fold import fold

EXTRACT = "x-extract"
"""In a parameter's schema: the kind of value (domain/extract.py) that it takes from the text."""
WORDS = "x-words"
"""In a parameter's schema: value → words that mean it."""
_BY_FORMAT = {"email": "email", "uri": "url"}
_PLAIN = ("email", "url", "phone", "id_card", "bank_card", "sql", "code", "maths", "file")


def found_in(spec: ActionSpec, text: str, today: datetime.date) -> dict[str, Any]:
    """Values for parameters, where the text shows exactly one that it can be. What it shows twice is left for a question."""
    found: dict[str, Any] = {}
    for name, schema in spec.properties.items():
        kind = schema.get(EXTRACT) or _BY_FORMAT.get(str(schema.get("format")))
        if kind in KINDS:
            values = _values(str(kind), schema, text, today)
        elif schema.get(WORDS) or ("enum" in schema and "default" not in schema):
            values = _listed(schema, text)
        else:
            continue
        if len(values) == 1:
            found[name] = values[0]
    return found


def options_of(schema: Mapping[str, Any], tongue: Tongue) -> list[str]:
    """What a parameter can be, as people of that language say it; nothing where it can be anything."""
    words: Mapping[str, Any] = schema.get(WORDS) or {}
    shown = []
    for option in schema.get("enum") or list(words):
        own = [str(word) for word in words.get(str(option), ()) if str(word).isascii() is (tongue == "en")]
        shown.append(own[0] if own else str(option))
    return shown


def option_of(told: str, schema: Mapping[str, Any]) -> str:
    """The option that those words are; what they are themselves where they are none."""
    words: Mapping[str, Any] = schema.get(WORDS) or {}
    for option, several in words.items():
        if fold(told) in (fold(str(word)) for word in several):
            return str(option)
    return told


def _values(kind: str, schema: Mapping[str, Any], text: str, today: datetime.date) -> list[Any]:
    values: list[Any] = []
    for find in extract(kind, text, today=today):
        value = text[find.start : find.end].strip() if kind in _PLAIN else _value(find, schema)
        if value not in values:
            values.append(value)
    return values


def _value(find: Extract, schema: Mapping[str, Any]) -> Any:
    """In the type that the schema wants: an amount without its currency, a period as days of ISO 8601."""
    value = find.value
    if not isinstance(value, Mapping) or schema.get("type") == "object":
        return value
    if "amount" in value:
        return value["amount"]
    return "/".join(str(part) for part in value.values())


def _listed(schema: Mapping[str, Any], text: str) -> list[Any]:
    folded = fold(text)
    words: Mapping[Any, Any] = schema.get(WORDS) or {}
    options = schema.get("enum") or list(words)
    return [
        option
        for option in options
        if any(_stands(fold(str(word)), folded) for word in (option, *words.get(str(option), ())))
    ]


def _stands(word: str, folded: str) -> bool:
    """Whether the word stands in the text; one in Latin letters as a whole word."""
    at = folded.find(word)
    while at >= 0 and word:
        end = at + len(word)
        before = at > 0 and folded[at - 1].isascii() and folded[at - 1].isalnum() and word[0].isascii()
        after = end < len(folded) and folded[end].isascii() and folded[end].isalnum() and word[-1].isascii()
        if not before and not after:
            return True
        at = folded.find(word, at + 1)
    return False
