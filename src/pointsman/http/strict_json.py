"""JSON as the rules and the engine must both read it.

A decoder that takes the last of two equal keys, beside one that takes the first, would let a prompt pass that no rule
saw. So a body with a duplicate key, bad UTF-8, a lone surrogate or a number out of range is refused, and what is relayed
is what was read.
"""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

_any = msgspec.json.Decoder()
_raw = msgspec.json.Decoder(dict[str, msgspec.Raw])


APART = 32 << 10
"""Bytes of a body above which it is read and decided on in a thread, so that nobody else has to wait for it."""


class Body:
    """`tree` is the parsed object; `fields` its top-level members, each value's bytes as they came: of a small body they are
    cut out when somebody wants them, which is where it goes on to an engine."""

    __slots__ = ("_data", "_fields", "tree")

    def __init__(self, tree: dict[str, Any], data: bytes) -> None:
        self.tree = tree
        self._data = data
        self._fields: dict[str, msgspec.Raw] | None = _raw.decode(data) if len(data) > APART else None

    @property
    def fields(self) -> dict[str, msgspec.Raw]:
        if self._fields is None:
            self._fields = _raw.decode(self._data)
        return self._fields


BODY = Said("the body", "请求体")


def parse_body(data: bytes, what: Said = BODY) -> Body:
    """Raises PointsmanError (400) that says what is wrong and where. `what` is what it says that of; one that is not the
    body has one line."""
    try:
        tree = _any.decode(data)
    except msgspec.DecodeError as error:
        raise PointsmanError(_explain(data, error, what), code="invalid_json") from None
    except RecursionError:
        raise PointsmanError(said(*_TOO_DEEP, what=what), code="invalid_json") from None
    if not isinstance(tree, dict):
        must = said("{what} must be a JSON object", "{what}必须是一个 JSON 对象", what=what)
        raise PointsmanError(must, code="invalid_json")
    if not _surely_unique(data, tree):
        _refuse_duplicates(data, what)
    return Body(tree, data)


_TOO_DEEP = ("{what} is nested too deeply", "{what}嵌套过深")
_NOT_JSON = ("{what} is not valid JSON", "{what}不是有效的 JSON")
_BEFORE_A_COLON = (b" :", b"\t:", b"\n:", b"\r:")


def _surely_unique(data: bytes, tree: Any) -> bool:
    """A cheap proof that no key is given twice. Where no colon follows white space, every key of the text ends in a
    quote and a colon; keys of the text and tree are equally many only if none was dropped. False proves nothing."""
    quoted = data.count(b'":')
    if data.count(b":") != quoted:  # mostly colons of the text itself
        for blank in _BEFORE_A_COLON:  # a loop, so that a long text gives the event loop its turn in between
            if data.find(blank) >= 0:
                return False
    return quoted == _keys(tree)


def _keys(tree: Any) -> int:
    """Keys of all objects in it."""
    count = 0
    open_: list[Any] = [tree]
    for node in open_:  # which grows meanwhile
        if type(node) is dict:
            count += len(node)
            node = node.values()
        for value in node:
            kind = type(value)
            if kind is dict or kind is list:
                open_.append(value)
    return count


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


def _refuse_duplicates(data: bytes, what: Said) -> None:
    try:
        _checker.decode(data.decode())
    except _Duplicate as error:
        key = str(error)[:100]
        raise PointsmanError(
            said(
                'the key "{key}" is given twice in one object; give it once',
                "键“{key}”在同一个对象里出现了两次；只能出现一次",
                key=key,
            ),
            code="duplicate_key",
            param=key,
        ) from None
    except (ValueError, RecursionError):
        raise PointsmanError(said(*_NOT_JSON, what=what), code="invalid_json") from None


_WRONG_ZH = {
    "Expecting value": "这里应有一个值",
    "Expecting property name enclosed in double quotes": "这里应有用双引号括起来的键",
    "Expecting ':' delimiter": "这里应有冒号",
    "Expecting ',' delimiter": "这里应有逗号",
    "Illegal trailing comma before end of object": "对象末尾多了一个逗号",
    "Illegal trailing comma before end of array": "列表末尾多了一个逗号",
    "Extra data": "后面有多余的内容",
    "Unterminated string starting at": "从这里开始的字符串没有结束",
    "Invalid control character at": "字符串里有控制字符",
    "Invalid \\escape": "转义序列无效",
    "Invalid \\uXXXX escape": "\\uXXXX 转义无效",
    "Unexpected UTF-8 BOM (decode using utf-8-sig)": "开头有 BOM，请去掉",
}
"""What Python's own decoder says, in Chinese."""


def _explain(data: bytes, error: msgspec.DecodeError, what: Said) -> Said:
    if not data.strip():
        return said("{what} is empty; send a JSON object", "{what}是空的；请发送一个 JSON 对象", what=what)
    try:
        text = data.decode()
    except UnicodeDecodeError as bad:
        en, zh = "{what} is not valid UTF-8 (byte {start})", "{what}不是有效的 UTF-8（第 {start} 字节）"
        return said(en, zh, what=what, start=bad.start)
    try:
        json.loads(text)
    except json.JSONDecodeError as bad:
        about = next((zh for en, zh in _WRONG_ZH.items() if bad.msg.startswith(en)), "无法解析")
        return said(
            "{what} is not valid JSON: {about} ({place})",
            "{what}不是有效的 JSON：{about}（{place}）",
            what=what,
            about=Said(bad.msg, about),
            place=_place(bad, what),
        )
    except (ValueError, RecursionError):
        pass
    message = str(error)
    if "surrogate" in message or "truncated" in message or "escape" in message:
        return said(
            "{what} holds half of a surrogate pair (a lone \\uD800–\\uDFFF escape), which is no character",
            "{what}里有半个代理对（单独的 \\uD800–\\uDFFF 转义），它不是字符",
            what=what,
        )
    place = re.search(r"\(byte (\d+)\)", message)
    about = "有数字超出范围" if "out of range" in message else "无法解析"
    about_zh = f"{about}（第 {place[1]} 字节）" if place else about
    en, zh = "{what} is not valid JSON: {why}", "{what}不是有效的 JSON：{why}"
    return said(en, zh, what=what, why=Said(message, about_zh))


def _place(bad: json.JSONDecodeError, what: Said) -> Said:
    if what is not BODY:
        return said("column {column}", "第 {column} 列", column=bad.colno)
    en, zh = "line {line}, column {column}", "第 {line} 行，第 {column} 列"
    return said(en, zh, line=bad.lineno, column=bad.colno)
