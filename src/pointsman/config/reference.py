"""docs/config.md, made from the schema: `python -m pointsman.config.reference > docs/config.md`."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import msgspec

from pointsman.config.overlay import ALSO, ENVIRONMENT
from pointsman.config.schema import Config
from pointsman.config.section import Section

_HEAD = """\
# Every key of pointsman.yaml

Made from the schema in `src/pointsman/config/schema.py` by `python -m pointsman.config.reference`; do not edit by hand.

A setting is looked for in the flags of the command, then in the environment, then in the file, then in the defaults
below. The file is the one of `-c`, else of `POINTSMAN_CONFIG`, else `./pointsman.yaml`, else none. `${NAME}` inside a
text is replaced by that environment variable, which must be there; what it gives is a text, and no message shows it.
Unknown keys, keys given twice and values out of range are errors that name the file and line, the variable or the flag,
and what is valid: `pointsman check` shows all of them at once, with those of rules, actions and reports. YAML is read by
the rules of version 1.2: `off`, `on`, `yes` and `no` are words.

A dot leads into a mapping, `[]` into each member of a list, and `<name>` stands for a name of your own.
"""

_NAMES: dict[Any, str] = {str: "text", int: "whole number", float: "number", bool: "true or false", Any: "anything"}


class Entry(msgspec.Struct, frozen=True):
    """One key as the page shows it. `path` is dotted; `section` is None for a key that holds a value. `forms` are the
    mappings that it may hold among other things, each with its own path."""

    path: str
    kind: str
    default: str
    description: str
    section: type[Section] | None = None
    forms: tuple[tuple[str, type[Section]], ...] = ()


def render() -> str:
    """The whole page, Markdown."""
    parts = [_HEAD]
    for top in entries(Config, ""):
        parts.append(f"## `{top.path}`\n")
        parts += _section(top) if top.section else [_table([top])]
    parts.append(_environment())
    return "\n".join(parts)


def entries(section: type[Section], prefix: str) -> Iterator[Entry]:
    """The keys of one mapping, in the order of the schema, not those of the mappings below."""
    hints = typing.get_type_hints(section, include_extras=True)
    for field in msgspec.structs.fields(section):
        hint = hints[field.name]
        path = f"{prefix}{field.encode_name}"
        below, ending = _below(hint)
        described = [meta.description for meta in _metas(hint) if meta.description]
        description = described[-1] if described else ""
        if not description and below is not None:
            description = _first_sentence(below.__doc__ or "")
        forms = tuple((path + end, form) for form, end in map(_below, _union(hint)) if form is not None)
        yield Entry(path + ending, _kind(hint), _default(field, below), description, below, forms)


def _section(entry: Entry) -> Iterator[str]:
    """The text and the table of a mapping, then those of the mappings below it."""
    assert entry.section is not None
    yield f"{_paragraph(entry.section.__doc__ or '')}\n"
    rows = list(entries(entry.section, f"{entry.path}."))
    yield _table(rows)
    for row in rows:
        forms = [msgspec.structs.replace(row, path=path, section=form) for path, form in row.forms]
        for below in forms or [row]:
            if below.section is not None:
                yield f"### `{below.path}`\n"
                yield from _section(below)


def _table(rows: list[Entry]) -> str:
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    lines += [f"| `{row.path}` | {row.kind} | {row.default} | {row.description} |" for row in rows]
    return "\n".join(lines) + "\n"


def _environment() -> str:
    names = [
        f"{section}_{field.name}" for section, kind in ENVIRONMENT.items() for field in msgspec.structs.fields(kind)
    ]
    lines = [f"- `POINTSMAN_{name.upper()}`" for name in names]
    lines += [f"- `{name}`: {meaning}" for name, meaning in ALSO.items()]
    listed = "\n".join(lines)
    return f"""\
## Environment

{listed}

A text is taken as it stands, without quotes; a list is parted by commas, or in brackets: `[a, b]`; all else is written
as in the file. Any other name that begins with `POINTSMAN_` is an error.
"""


def _below(hint: Any) -> tuple[type[Section] | None, str]:
    """The section that a type holds, where it holds anything, and how a path goes there: itself, each of a list, each of a
    mapping."""
    hint = _bare(hint)
    if get_origin(hint) in (typing.Union, types.UnionType):
        several = [arg for arg in get_args(hint) if arg is not type(None)]
        return _below(several[0]) if len(several) == 1 else (None, "")
    if isinstance(hint, type) and issubclass(hint, Section):
        return hint, ""
    args = get_args(hint)
    if get_origin(hint) is list and _below(args[0])[0] is not None:
        return _below(args[0])[0], "[]"
    if get_origin(hint) is dict and _below(args[1])[0] is not None:
        return _below(args[1])[0], ".<name>"
    return None, ""


def _union(hint: Any) -> tuple[Any, ...]:
    """The members of a union of several types; of any other type none."""
    bare = _bare(hint)
    members = [arg for arg in get_args(bare) if arg is not type(None)]
    return tuple(members) if get_origin(bare) in (typing.Union, types.UnionType) and len(members) > 1 else ()


def _kind(hint: Any) -> str:
    """A type in words, with its bounds."""
    bare = _bare(hint)
    origin, args = get_origin(bare), get_args(bare)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_kind(arg) for arg in args if arg is not type(None))
    if origin is Literal:
        words = ", ".join(f"`{choice}`" for choice in args)
    elif origin is list:
        words = "list" if _below(bare)[0] is not None else f"list of {_kind(args[0])}"
    elif origin is dict or (isinstance(bare, type) and issubclass(bare, Section)):
        words = "mapping"
    else:
        words = _NAMES[bare]
    bounds = _bounds(_metas(hint))
    return f"{words}, {bounds}" if bounds else words


def _bounds(metas: list[msgspec.Meta]) -> str:
    said: list[str] = []
    for meta in metas:
        low, high = meta.ge if meta.ge is not None else meta.gt, meta.le
        if low is not None and high is not None:
            said.append(f"{low:,} to {high:,}" if meta.gt is None else f"above {low:,}, at most {high:,}")
        elif low is not None:
            said.append(f"at least {low:,}" if meta.gt is None else f"above {low:,}")
        if meta.pattern and meta.description:
            said.append(meta.description)
        if meta.min_length:
            said.append("not empty" if meta.min_length == 1 else f"at least {meta.min_length} characters")
    return ", ".join(said)


def _default(field: Any, below: type[Section] | None) -> str:
    if field.required:
        return "**required**"
    value = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    if value is None:
        return "none"
    if isinstance(value, Section):
        return "as below"
    if below is not None:
        names = ", ".join(f"`{name}`" for name in value)
        return f"{names}, as below" if names else "empty"
    if value in ([], {}):
        return "empty"
    return f"`{msgspec.json.encode(value).decode()}`" if not isinstance(value, str) else f"`{value}`"


def _bare(hint: Any) -> Any:
    while get_origin(hint) is typing.Annotated:
        hint = get_args(hint)[0]
    return hint


def _metas(hint: Any) -> list[msgspec.Meta]:
    """What is annotated on a type itself, or on the one member of a union with None."""
    if get_origin(hint) is typing.Annotated:
        first, *more = get_args(hint)
        return [*_metas(first), *(meta for meta in more if isinstance(meta, msgspec.Meta))]
    if get_origin(hint) in (typing.Union, types.UnionType):
        several = [arg for arg in get_args(hint) if arg is not type(None)]
        return _metas(several[0]) if len(several) == 1 else []
    return []


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def _first_sentence(text: str) -> str:
    sentence = _paragraph(text).split(". ")[0].rstrip(".").split(";")[0]
    return sentence[:1].lower() + sentence[1:]


if __name__ == "__main__":
    sys.stdout.write(render())
