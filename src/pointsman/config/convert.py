"""Plain data → typed config, with every problem found, not only the first."""

from __future__ import annotations

import re
import types
import typing
from typing import Any, get_args, get_origin

import msgspec

from pointsman.config.others_words import type_says
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, in_zh, said

_PLACE = re.compile(r" - at `\$(.*)`$")
_BOUND = re.compile(r" [<>]=? ")
_A_LIST = said("a list", "列表")
_A_MAPPING = said("a mapping", "映射")
_A_NUMBER = said("a number", "数字")
_NOTHING = said("nothing", "空值")
_WORDS: dict[Any, str] = {
    str: said("a text", "文本"),
    bool: said("true or false", " true 或 false"),
    int: said("a whole number", "整数"),
    float: _A_NUMBER,
}
_NAMES: dict[type, str] = {
    type(None): _NOTHING,
    str: said("text", "文本"),
    bool: said("a yes/no", "布尔值"),
    list: _A_LIST,
    dict: _A_MAPPING,
}


def convert(data: Any, kind: Any, path: str, problems: list[Problem]) -> Any:
    """Build `kind` from `data`. What is wrong is appended to `problems` with its path; then the result is None."""
    metas = _metas(kind)
    plain = bare(kind)
    if isinstance(data, (list, dict)) and any(meta.min_length and len(data) < meta.min_length for meta in metas):
        problems.append(Problem(path, said("must not be empty", "不能为空")))
        return None
    if get_origin(plain) in (typing.Union, types.UnionType):
        member = _member(data, plain)
        return _value(data, kind, path, problems) if member is None else convert(data, member, path, problems)
    if isinstance(plain, type) and issubclass(plain, msgspec.Struct):
        return _struct(data, plain, path, problems)
    origin, args = get_origin(plain), get_args(plain)
    if origin is list and isinstance(data, list):
        return [convert(item, args[0], f"{path}[{index}]", problems) for index, item in enumerate(data)]
    if origin is dict and isinstance(data, dict):
        for key in data:
            if not isinstance(key, str) or not key:
                message = said("names must be text; put it in quotes", "名字必须是文本，请加引号")
                problems.append(Problem(f"{path}.{key}", message))
        return {str(key): convert(value, args[1], f"{path}.{key}", problems) for key, value in data.items()}
    if origin in (list, dict) and _holds_struct(plain):
        wanted = _A_LIST if origin is list else said("a mapping of name to settings", "从名字到设置的映射")
        problems.append(Problem(path, _must_be(wanted, data)))
        return None
    return _value(data, kind, path, problems)


def convert_sound(
    data: dict[Any, Any], kind: type[msgspec.Struct], path: str, problems: list[Problem]
) -> tuple[dict[str, Any], set[str]]:
    """The fields of `kind` that `data` gives soundly, and those that it gives wrongly or lacks, both by the names of
    attributes. What is wrong is appended to `problems`, unknown keys too."""
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key in data:
        if key not in fields:
            hint = did_you_mean(str(key), list(fields))
            message = said("unknown key{hint}", "不认识的键{hint}", hint=hint)
            problems.append(Problem(_join(path, key), message, valid=", ".join(fields)))
    hints = typing.get_type_hints(kind, include_extras=True)
    sound: dict[str, Any] = {}
    wrong: set[str] = set()
    for name, field in fields.items():
        if name in data:
            before = len(problems)
            value = convert(data[name], hints[field.name], _join(path, name), problems)
            if len(problems) == before:
                sound[field.name] = value
            else:
                wrong.add(field.name)
        elif field.required:
            problems.append(Problem(_join(path, name), said("is missing", "缺少这一项")))
            wrong.add(field.name)
    return sound, wrong


def _struct(data: Any, kind: type[msgspec.Struct], path: str, problems: list[Problem]) -> Any:
    if data is None:
        data = {}  # `server:` with nothing under it
    if not isinstance(data, dict):
        valid = ", ".join(field.encode_name for field in msgspec.structs.fields(kind))
        problems.append(Problem(path, _must_be(_A_MAPPING, data), valid=valid))
        return None
    before = len(problems)
    sound, _ = convert_sound(data, kind, path, problems)
    return kind(**sound) if len(problems) == before else None


def _value(data: Any, kind: Any, path: str, problems: list[Problem]) -> Any:
    try:
        return msgspec.convert(data, kind)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        below = place.group(1) if place else ""
        theirs = _PLACE.sub("", str(error))
        choices, form = _choices(kind), _form(kind)
        several = len(_members(kind)) > 1
        valid: str | None = ", ".join(choices) or None
        if several:  # the choices are one of several ways
            valid = next(filter(None, map(_described, _metas(kind))), None) or valid
        scalar = not isinstance(data, (dict, list))
        if choices and (isinstance(data, str) or (scalar and not several)):
            message = said(
                "{shown} is not one of them{hint}",
                "{shown} 不是可用的值{hint}",
                shown=_shown(data),
                hint=did_you_mean(str(data), choices),
            )
        elif form and scalar:
            message = said("{shown} is not {form}", "{shown} 不是{form}", shown=_shown(data), form=form)
        elif several and not (scalar and _BOUND.search(theirs)):
            message = _must_be(_words(kind), data)
        else:
            about = said(" ({shown})", "（{shown}）", shown=_shown(data)) if scalar else ""
            english = theirs[0].lower() + theirs[1:].replace("`", "").replace(" | null", "")
            message = Said(f"{english}{about}", f"{type_says(theirs)}{in_zh(about)}")
            valid = valid or form
        problems.append(Problem(path + below, message, valid=valid))
        return None


def _must_be(wanted: str, data: Any) -> Said:
    return said("must be {wanted}, not {found}", "必须是{wanted}，而不是{found}", wanted=wanted, found=_name(data))


def _shown(data: Any) -> str:
    if data is None or isinstance(data, bool):
        return {None: _NOTHING, True: "true", False: "false"}[data]
    return repr(data)


def _member(data: Any, union: Any) -> Any:
    """The member of a union that a list or a mapping is meant to be; None for other data, and where there is none."""
    for member in _members(union):
        plain = bare(member)
        if isinstance(data, dict) and (
            get_origin(plain) is dict or (isinstance(plain, type) and issubclass(plain, msgspec.Struct))
        ):
            return member
        if isinstance(data, list) and get_origin(plain) is list:
            return member
    return None


def bare(kind: Any) -> Any:
    """A type without what is annotated on it."""
    while get_origin(kind) is typing.Annotated:
        kind = get_args(kind)[0]
    return kind


def _holds_struct(kind: Any) -> bool:
    kind = bare(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return True
    return get_origin(kind) in (list, dict, typing.Union, types.UnionType) and any(map(_holds_struct, get_args(kind)))


def _flat(kind: Any) -> list[Any]:
    if get_origin(kind) is typing.Annotated:
        return [kind, *_flat(get_args(kind)[0])]
    if get_origin(kind) in (typing.Union, types.UnionType):
        return [kind, *(part for arg in get_args(kind) for part in _flat(arg))]
    return [kind]


def _members(kind: Any) -> list[Any]:
    """The types of a union, also of one inside another, none aside; of any other type itself."""
    plain = bare(kind)
    if get_origin(plain) in (typing.Union, types.UnionType):
        return [member for arg in get_args(plain) for member in _members(arg)]
    return [] if plain is type(None) else [kind]


def _choices(kind: Any) -> list[str]:
    return [str(c) for part in _flat(kind) if get_origin(part) is typing.Literal for c in get_args(part)]


def _form(kind: Any) -> str | None:
    """How a text of this type is written, where it has a form: "a size: 512KB, 32MB"."""
    return next((_described(meta) for meta in _metas(kind) if meta.pattern and meta.description), None)


def _described(meta: msgspec.Meta) -> str | None:
    """What is annotated on a type, with its Chinese, which stands in `extra`."""
    zh = (meta.extra or {}).get("zh")
    return Said(meta.description, zh) if meta.description and zh else meta.description


def _words(kind: Any) -> str:
    """A type in words: "a text or a list of texts"."""
    plain = bare(kind)
    origin, args = get_origin(plain), get_args(plain)
    if origin in (typing.Union, types.UnionType):
        return _either([_words(member) for member in _members(kind)])
    if origin is typing.Literal:
        return _either([repr(choice) for choice in args])
    if origin is list:
        inner = _words(args[0])
        return Said(f"a list of {inner.removeprefix('a ')}s", f"{in_zh(inner)}列表")
    return _WORDS.get(plain, _A_MAPPING)


def _either(words: list[str]) -> Said:
    return Said(" or ".join(words), "或".join(map(in_zh, words)))


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
    return _NAMES.get(type(data), _A_NUMBER)
