"""One item of a list in a YAML text, by its lines: found, replaced, taken out, added; every other byte stays as it
is."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import yaml

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said


class Item(msgspec.Struct, frozen=True):
    """The `place`-th item, counted from 0: the lines [first, last) of the text, counted from 0, its dash `indent`
    columns in. `text` are those lines as they would stand in a list of their own, with `\\n` at their ends."""

    place: int
    first: int
    last: int
    indent: int
    text: str


def items_of(text: str, key: str) -> list[Item]:
    """Those of the list that the text is, or that it has under `key` (`rules`, `auth.keys`). Raises PointsmanError where
    they do not stand in lines of their own, and where the text is no YAML."""
    found = _list_of(text, key)
    if found is None or not found.value:
        return []
    if found.flow_style:
        raise _not_in_lines()
    lines = text.splitlines(keepends=True)
    indent = found.start_mark.column
    firsts = [_dash(lines, node.start_mark.line, indent) for node in found.value]
    ends = [*firsts[1:], found.end_mark.line + (1 if found.end_mark.column > indent else 0)]
    items = []
    for place, (first, end) in enumerate(zip(firsts, ends, strict=True)):
        last = _without_tail(lines, first, min(end, len(lines)), indent)
        items.append(Item(place, first, last, indent, _flush(lines[first:last], indent)))
    return items


def ids_of(text: str, key: str) -> list[str | None]:
    """The `id` of each of them, where it has one."""
    found = _list_of(text, key)
    return [] if found is None else [_id_of(node) for node in found.value]


def replaced(text: str, item: Item, new: str) -> str:
    """With other lines in the item's place; none where `new` is empty."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: item.first], *_indented(text, new, item.indent), *lines[item.last :]])


def added(text: str, new: str, key: str) -> str:
    """With one more item at the end of the list."""
    items = items_of(text, key)
    if not items:
        found = _list_of(text, key)
        if found is not None or (text.strip() and _is_something(text)):
            raise _not_in_lines()
        return _ended(text) + "".join(_indented(text, new, 0))
    after = items[-1]
    lines = text.splitlines(keepends=True)
    before = "".join(lines[: after.last])
    return _ended(before) + "".join(_indented(text, new, after.indent)) + "".join(lines[after.last :])


def _list_of(text: str, key: str) -> Any:
    """The node of the list, None where there is none."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise PointsmanError(
            Said(f"the file is no YAML (line {line})", f"文件不是有效的 YAML（第 {line} 行）"), code="no_yaml"
        ) from None
    for part in key.split("."):
        if isinstance(node, yaml.MappingNode):
            node = next((value for name, value in node.value if getattr(name, "value", None) == part), None)
    return node if isinstance(node, yaml.SequenceNode) else None


def _is_something(text: str) -> bool:
    return yaml.compose(text, Loader=yaml.SafeLoader) is not None


def _id_of(node: Any) -> str | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if getattr(name, "value", None) == "id" and isinstance(value, yaml.ScalarNode):
                return str(value.value)
    return None


def _dash(lines: list[str], line: int, indent: int) -> int:
    """The line on which the dash of an item stands that begins on `line`."""
    while not re.match(rf"\ufeff?[ ]{{{indent}}}-(\s|$)", lines[line]):
        line -= 1
        if line < 0:
            raise _not_in_lines()
    return line


def _without_tail(lines: list[str], first: int, end: int, indent: int) -> int:
    """Blank lines and comments between two items belong to the next one."""
    while end > first + 1:
        line = lines[end - 1]
        text = line.strip()
        if text and text not in ("---", "...") and not (text[0] == "#" and len(line) - len(line.lstrip()) <= indent):
            break
        end -= 1
    return end


def _flush(lines: list[str], indent: int) -> str:
    flush = [line.rstrip("\r\n").lstrip("\ufeff") for line in lines]
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in flush) + "\n"


def _indented(text: str, new: str, indent: int) -> list[str]:
    end = "\r\n" if "\r\n" in text else "\n"
    lines = new.replace("\r\n", "\n").rstrip("\n").split("\n") if new.strip() else []
    return [(" " * indent + line if line.strip() else "") + end for line in lines]


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + ("\r\n" if "\r\n" in text else "\n")


def _not_in_lines() -> PointsmanError:
    return PointsmanError(
        Said(
            "this file writes its list in braces or brackets, which cannot be changed line by line; edit it by hand, or "
            "write each item on lines of its own, with a dash",
            "这个文件把列表写在括号里，无法逐行修改；请手工编辑，或者把每一项写成以短横线开头的独立几行",
        ),
        code="not_in_lines",
    )
