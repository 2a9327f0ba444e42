"""Plain data → typed config, with every problem found, not only the first."""

from __future__ import annotations

import re
import types
import typing
from typing import Any, get_args, get_origin

import msgspec

from pointsman.domain.errors import Problem, did_you_mean

_PLACE = re.compile(r" - at `\$(.*)`$")


def convert(data: Any, kind: Any, path: str, problems: list[Problem]) -> Any:
    """Build `kind` from `data`. What is wrong is appended to `problems` with its path; then the result is None."""
    metas = _metas(kind)
    kind = _bare(kind)
    if isinstance(data, (list, dict)) and any(meta.min_length and len(data) < meta.min_length for meta in metas):
        problems.append(Problem(path, "must not be empty"))
        return None
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(data, kind, path, problems)
    origin, args = get_origin(kind), get_args(kind)
    if origin is list and _holds_struct(args[0]):
        if not isinstance(data, list):
            problems.append(Problem(path, f"must be a list, not {_name(data)}"))
            return None
        return [convert(item, args[0], f"{path}[{index}]", problems) for index, item in enumerate(data)]
    if origin is dict and _holds_struct(args[1]):
        if not isinstance(data, dict):
            problems.append(Problem(path, f"must be a mapping of name to settings, not {_name(data)}"))
            return None
        for key in data:
            if not isinstance(key, str) or not key:
                problems.append(Problem(f"{path}.{key}", "names must be text; put it in quotes"))
        return {str(key): convert(value, args[1], f"{path}.{key}", problems) for key, value in data.items()}
    return _value(data, kind, path, problems)


def _struct(data: Any, kind: type[msgspec.Struct], path: str, problems: list[Problem]) -> Any:
    if data is None:
        data = {}  # `server:` with nothing under it
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    if not isinstance(data, dict):
        problems.append(Problem(path, f"must be a mapping, not {_name(data)}", valid=", ".join(fields)))
        return None
    before = len(problems)
    hints = typing.get_type_hints(kind, include_extras=True)
    for key in data:
        if key not in fields:
            hint = did_you_mean(str(key), list(fields))
            problems.append(Problem(_join(path, key), f"unknown key{hint}", valid=", ".join(fields)))
    values = {}
    for name, field in fields.items():
        if name in data:
            values[name] = convert(data[name], hints[name], _join(path, name), problems)
        elif field.required:
            problems.append(Problem(_join(path, name), "is missing"))
    return kind(**values) if len(problems) == before else None


def _value(data: Any, kind: Any, path: str, problems: list[Problem]) -> Any:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        message = str(error)
        place = _PLACE.search(message)
        below = place.group(1) if place else ""
        text = _PLACE.sub("", message)
        valid = _choices(kind)
        if valid and isinstance(data, str):
            text = f"{data!r} is not one of them{did_you_mean(data, valid)}"
        elif "matching regex" in text:
            meta = next((m for m in _metas(kind) if m.pattern), None)
            text = f"{data!r} is not {meta.description}" if meta and meta.description else text
        else:
            text = text[0].lower() + text[1:].replace("`", "")
            if not isinstance(data, (dict, list)):
                text += f" ({data!r})"
        problems.append(Problem(path + below, text, valid=", ".join(valid) or None))
        return None


def _bare(kind: Any) -> Any:
    """Annotated[Struct or container of Structs, …] → without the annotation, so that the walk goes inside."""
    if get_origin(kind) is typing.Annotated and _holds_struct(get_args(kind)[0]):
        return get_args(kind)[0]
    return kind


def _holds_struct(kind: Any) -> bool:
    if get_origin(kind) is typing.Annotated:
        kind = get_args(kind)[0]
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return True
    return get_origin(kind) in (list, dict) and any(_holds_struct(arg) for arg in get_args(kind))


def _flat(kind: Any) -> list[Any]:
    if get_origin(kind) is typing.Annotated:
        return [kind, *_flat(get_args(kind)[0])]
    if get_origin(kind) in (typing.Union, types.UnionType):
        return [kind, *(part for arg in get_args(kind) for part in _flat(arg))]
    return [kind]


def _choices(kind: Any) -> list[str]:
    return [str(c) for part in _flat(kind) if get_origin(part) is typing.Literal for c in get_args(part)]


def _metas(kind: Any) -> list[Any]:
    return [
        meta
        for part in _flat(kind)
        if get_origin(part) is typing.Annotated
        for meta in get_args(part)[1:]
        if isinstance(meta, msgspec.Meta)
    ]


def _join(path: str, key: Any) -> str:
    return f"{path}.{key}" if path else str(key)


def _name(data: Any) -> str:
    names: dict[type, str] = {type(None): "nothing", str: "text", bool: "a yes/no", list: "a list", dict: "a mapping"}
    return names.get(type(data), "a number")
