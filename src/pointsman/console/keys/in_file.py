"""A key as an item of `auth.keys` in the config's text: put there, and taken out; every other byte stays."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import yaml

from pointsman.console.edits.splice import added, items_of, replaced
from pointsman.console.edits.writing import FileText
from pointsman.console.keys.book import KeyWish
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

LIST = "auth.keys"
NO_PLACE = Said(
    "the config has no list of keys, written line by line, to add it to", "配置里没有逐行书写的密钥列表可供添加"
)
_NOT_IN_LINES = Said(
    "the config does not have it on lines of its own under auth.keys", "配置的 auth.keys 下没有单独成行的这个密钥"
)


def item_of(wish: KeyWish, digest: str) -> str:
    """The item of the list, as YAML."""
    fields = {"name": wish.name, "hash": digest, "role": wish.role, "group": wish.group}
    lines = [f"{name}: {_quoted(value)}" for name, value in fields.items() if value]
    lines += {"admin": ["admin: true"], "read": ["console: read"]}.get(wish.may, [])
    return "\n".join(("- " if place == 0 else "  ") + line for place, line in enumerate(lines)) + "\n"


def with_key(file: FileText, item: str) -> str:
    """The text with the key at the end of the list. Raises PointsmanError where that cannot be."""
    must_be_writable(file)
    before = items_of(file.text, LIST)
    after = added(file.text, item, LIST) if before else _begun(file.text, item)
    if [each.text for each in items_of(after, LIST)] != [*(each.text for each in before), item]:
        raise PointsmanError(NO_PLACE)
    return after


def without_key(file: FileText, name: str) -> str:
    """The text without the key of that name; an empty list stands where it was the only one. Raises PointsmanError where
    that cannot be, but not for a file that may only be read."""
    data = yaml.safe_load(file.text)
    keys = _keys_in(data)
    if [key.get("name") if isinstance(key, dict) else None for key in keys].count(name) != 1:
        raise PointsmanError(_NOT_IN_LINES)
    items = items_of(file.text, LIST)
    at = next(place for place, key in enumerate(keys) if isinstance(key, dict) and key.get("name") == name)
    after = replaced(file.text, items[at], "")
    if len(items) == 1:
        after = _emptied(file.text, after)
    del keys[at]
    if yaml.safe_load(after) != data:
        raise PointsmanError(_NOT_IN_LINES)
    return after


def must_be_writable(file: FileText) -> None:
    """Raises PointsmanError where it may not be."""
    if not file.writable:
        raise PointsmanError(
            said("{file} may not be written by the gateway", "网关无权写入 {file}", file=file.path.name),
            code="read_only",
        )


def _keys_in(data: Any) -> list[Any]:
    auth = data.get("auth") if isinstance(data, dict) else None
    keys = auth.get("keys") if isinstance(auth, dict) else None
    return keys if isinstance(keys, list) else []


def _begun(text: str, item: str) -> str:
    """With a list of that one item, where there was none, or an empty one."""
    top: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    lines = (text if not text or text.endswith("\n") else text + "\n").splitlines(keepends=True)
    if top is not None and not isinstance(top, yaml.MappingNode):
        raise PointsmanError(NO_PLACE)
    auth = _entry(top, "auth")
    if auth is None:
        return "".join([*lines, "auth:\n  keys:\n", *_indented(item, 4)])
    if not isinstance(auth[1], yaml.MappingNode) or auth[1].flow_style:
        raise PointsmanError(NO_PLACE)
    indent, keys = auth[1].start_mark.column, _entry(auth[1], "keys")
    if keys is None:
        at = auth[0].end_mark.line + 1
        return "".join([*lines[:at], f"{' ' * indent}keys:\n", *_indented(item, indent + 2), *lines[at:]])
    value = keys[1]
    if value.value or value.start_mark.line != keys[0].end_mark.line:
        raise PointsmanError(NO_PLACE)
    at, line = value.start_mark.line, lines[value.start_mark.line]
    lines[at] = line[: value.start_mark.column].rstrip() + line[value.end_mark.column :]
    return "".join([*lines[: at + 1], *_indented(item, indent + 2), *lines[at + 1 :]])


def _indented(item: str, columns: int) -> list[str]:
    return [f"{' ' * columns}{line}\n" for line in item.splitlines()]


def _emptied(before: str, after: str) -> str:
    """With `[]` behind the name of the list, which has no items any more."""
    top: Any = yaml.compose(before, Loader=yaml.SafeLoader)
    auth = _entry(top, "auth")
    name = None if auth is None else _entry(auth[1], "keys")
    if name is None:
        raise PointsmanError(_NOT_IN_LINES)
    mark = name[0].end_mark
    lines = after.splitlines(keepends=True)
    line = lines[mark.line]
    colon = line.index(":", mark.column)
    lines[mark.line] = f"{line[: colon + 1]} []{line[colon + 1 :]}"
    return "".join(lines)


def _entry(node: Any, name: str) -> tuple[Any, Any] | None:
    """Name and value of what a mapping has under `name`."""
    entries: Sequence[tuple[Any, Any]] = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((each for each in entries if getattr(each[0], "value", None) == name), None)


def _quoted(text: str) -> str:
    """In YAML, whatever characters it has."""
    return str(yaml.safe_dump(text, default_style='"', allow_unicode=True, width=sys.maxsize)).strip()
