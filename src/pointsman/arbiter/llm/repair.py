"""One repair of JSON that was meant to be an object: what is unambiguous, and nothing else. Pure."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\r?\n?(.*?)(?:```|\Z)", re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
MOST = 100_000
"""Characters; what is longer is no answer to what was asked."""


def object_in(text: str) -> dict[str, Any] | None:
    """The object that `text` is, or the only one that it holds: in a code fence, in words around it, with commas before a
    closing bracket. None where there is none, or more than one."""
    if len(text) > MOST:
        return None
    read = _read(text.strip())
    if read is not None:
        return read
    fenced = _FENCE.findall(text)
    if len(fenced) == 1 and (read := _read(_without_commas(fenced[0].strip()))) is not None:
        return read
    spans = _objects(text)
    return _read(_without_commas(spans[0])) if len(spans) == 1 else None


def _read(text: str) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def _objects(text: str) -> list[str]:
    """The outermost `{…}` of a text, brackets in strings aside; the last one only if it is closed."""
    found = []
    depth, begin, quoted, escaped = 0, 0, False, False
    for place, character in enumerate(text):
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = depth > 0
        elif character == "{":
            begin = place if depth == 0 else begin
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if depth == 0:
                found.append(text[begin : place + 1])
    return found


def _without_commas(text: str) -> str:
    """Commas that stand before a closing bracket are dropped, strings aside."""
    kept: list[str] = []
    quoted, escaped = False, False
    for character in text:
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "}]":
            at = len(kept) - 1
            while at >= 0 and kept[at].isspace():
                at -= 1
            if at >= 0 and kept[at] == "," and _is_value(kept[:at]):
                del kept[at]
        kept.append(character)
    return "".join(kept)


def _is_value(before: list[str]) -> bool:
    """Whether what stands before a comma ends a value."""
    last = next((character for character in reversed(before) if not character.isspace()), "[")
    return last not in "[{,:"


def as_number(value: Any, types: tuple[str, ...]) -> Any:
    """A number that was written as text (`"3"`), where a number is wanted and text is not; else the value as it is."""
    if not isinstance(value, str) or "string" in types or not _NUMBER.fullmatch(value.strip()):
        return value
    text = value.strip()
    if "integer" in types or "number" in types:
        number = float(text)
        if number.is_integer() and abs(number) < 2**53:
            return int(number)
        return number if "number" in types and math.isfinite(number) else value
    return value
