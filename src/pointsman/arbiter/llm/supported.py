"""Of the values that a model filled in, those that the query says. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from pointsman.arbiter.llm.repair import as_number
from pointsman.domain.json_schema import validator_of
from pointsman.extractors.extract import extract
from pointsman.extractors.numerals import ZH, number_of

_DEEPEST = 8
_DIGITS = re.compile(r"-?\d+(?:[.,]\d+)*")
_NUMERALS = re.compile(ZH)
_NOT_SAID = object()


class Source:
    """A query, and what is known besides: `context` holds values that were read in the query by rule."""

    def __init__(self, text: str, context: Mapping[str, Any] | None = None) -> None:
        self._written = text
        known = list(_strings(context or {}))
        self._text = _folded("\n".join([text, *known]))
        self._numbers = {float(find.value) for find in extract("number", text) if _is_number(find.value)}
        for written in _NUMERALS.findall(text):
            if (value := number_of(written)) is not None:  # ordinals too: 前十名
                self._numbers.add(float(value))
        for written in _DIGITS.findall(unicodedata.normalize("NFKC", text)):
            for form in (written.replace(",", ""), written.lstrip("-").replace(",", "")):
                if form.count(".") <= 1:
                    self._numbers.add(float(form))

    def says(self, value: Any, schema: Mapping[str, Any]) -> bool:
        """Whether a string occurs in the query (case, width and white space do not count), a number stands in it, in
        figures or in words; a member of an enumeration, and true and false, need no such proof."""
        if value is None:
            return False
        if "enum" in schema or "const" in schema or isinstance(value, bool):
            return True
        if isinstance(value, int | float):
            return float(value) in self._numbers
        if isinstance(value, str):
            folded = _folded(value)
            return bool(folded) and folded in self._text
        return False

    def spelled(self, value: Any) -> Any:
        """A string in the case in which the query has it: models write names large."""
        if isinstance(value, str) and value not in self._written:
            found = re.search(re.escape(value), self._written, re.IGNORECASE)
            return found[0] if found else value
        return value


def supported(values: Mapping[str, Any], schema: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """The properties of an object schema that hold to their own schema and that the source says; of lists and objects, the
    parts. What is left out is as if the model had not named it."""
    properties = schema.get("properties", {})
    kept = {}
    for name, value in values.items():
        if name not in properties:
            continue
        told = _told(value, properties[name], source, 0)
        if told is not _NOT_SAID and validator_of({**_shared(schema), **properties[name]}).is_valid(told):
            kept[name] = told
    return kept


def _shared(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What references inside of a property may point to."""
    return {key: schema[key] for key in ("$defs", "definitions") if key in schema}


def _told(value: Any, schema: Any, source: Source, depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return _NOT_SAID
    if isinstance(value, list):
        items = schema.get("items", {})
        told = [part for each in value if (part := _told(each, items, source, depth + 1)) is not _NOT_SAID]
        return told or _NOT_SAID
    if isinstance(value, dict):
        inner = schema.get("properties", {})
        parts = {name: _told(each, inner.get(name, {}), source, depth + 1) for name, each in value.items()}
        said = {name: part for name, part in parts.items() if part is not _NOT_SAID}
        return said or _NOT_SAID
    value = as_number(value, _types(schema))
    if not source.says(value, schema):
        return _NOT_SAID
    return value if "enum" in schema or "const" in schema else source.spelled(value)


def _types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    found: list[str] = []
    for part in (schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if isinstance(part, Mapping):
            types = part.get("type", ())
            found += [types] if isinstance(types, str) else types
    return tuple(found)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and bool(re.fullmatch(r"-?\d+(\.\d+)?", value)))


def _folded(text: str) -> str:
    """One spelling, without white space: models put blanks between words and ideographs."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())
