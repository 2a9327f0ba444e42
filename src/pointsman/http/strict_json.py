"""JSON as the rules and the engine must both read it.

A decoder that takes the last of two equal keys, beside one that takes the first, would let a prompt pass that no rule
saw. So a body with a duplicate key, bad UTF-8, a lone surrogate or a number out of range is refused, and what is relayed
is what was read.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from pointsman.domain.errors import PointsmanError

_any = msgspec.json.Decoder()
_raw = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Body(msgspec.Struct, frozen=True):
    """`tree` is the parsed object; `fields` its top-level members, each value's bytes as they came."""

    tree: dict[str, Any]
    fields: dict[str, msgspec.Raw]


def parse_body(data: bytes) -> Body:
    """Raises PointsmanError (400) that says what is wrong and where."""
    try:
        tree = _any.decode(data)
    except msgspec.DecodeError as error:
        raise PointsmanError(_explain(data, error), code="invalid_json") from None
    except RecursionError:
        raise PointsmanError("the body is nested too deeply", code="invalid_json") from None
    if not isinstance(tree, dict):
        raise PointsmanError("the body must be a JSON object", code="invalid_json")
    if not _surely_unique(data, tree):
        _refuse_duplicates(data)
    return Body(tree, _raw.decode(data))


def _surely_unique(data: bytes, tree: Any) -> bool:
    """A cheap proof that no key is given twice. Where no colon follows white space, every key of the text ends in a
    quote and a colon; keys of the text and tree are equally many only if none was dropped. False proves nothing."""
    if b" :" in data or b"\t:" in data or b"\n:" in data or b"\r:" in data:
        return False
    return data.count(b'":') == _keys(tree)


def _keys(tree: Any) -> int:
    if isinstance(tree, dict):
        return len(tree) + sum(_keys(value) for value in tree.values() if isinstance(value, (dict, list)))
    if isinstance(tree, list):
        return sum(_keys(value) for value in tree if isinstance(value, (dict, list)))
    return 0


class _Duplicate(Exception):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Duplicate(key)
            seen.add(key)
    return members


_checker = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)


def _refuse_duplicates(data: bytes) -> None:
    try:
        _checker.decode(data.decode())
    except _Duplicate as error:
        key = str(error)[:100]
        raise PointsmanError(
            f'the key "{key}" is given twice in one object; give it once', code="duplicate_key", param=key
        ) from None
    except (ValueError, RecursionError):
        raise PointsmanError("the body is not valid JSON", code="invalid_json") from None


def _explain(data: bytes, error: msgspec.DecodeError) -> str:
    if not data.strip():
        return "the body is empty; send a JSON object"
    try:
        text = data.decode()
    except UnicodeDecodeError as bad:
        return f"the body is not valid UTF-8 (byte {bad.start})"
    try:
        json.loads(text)
    except json.JSONDecodeError as bad:
        return f"the body is not valid JSON: {bad.msg} (line {bad.lineno}, column {bad.colno})"
    except (ValueError, RecursionError):
        pass
    message = str(error)
    if "surrogate" in message or "truncated" in message or "escape" in message:
        return "the body holds half of a surrogate pair (a lone \\uD800–\\uDFFF escape), which is no character"
    return f"the body is not valid JSON: {message}"
