"""Regular expressions of rules: RE2 only, because its time is linear in the text whatever the author wrote.

They search the folded text (half width, nothing invisible) and ignore case. A full-width character in a pattern is
written as the plain one it would meet there, escaped, so that `（` never turns into a group.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import re2

from pointsman.domain.said import Said, said
from pointsman.rules.fold import fold

_RE2 = {
    "invalid escape sequence": "无效的转义",
    "invalid character class": "无效的字符类",
    "invalid character class range": "无效的字符范围",
    "missing ]": "缺少 ]",
    "missing )": "缺少 )",
    "missing closing ]": "缺少 ]",
    "missing closing )": "缺少 )",
    "unexpected )": "多出了 )",
    "trailing \\": "末尾多出了 \\",
    "trailing \\ at end of regexp": "末尾多出了 \\",
    "no argument for repetition operator": "重复符号前面没有内容",
    "invalid repetition size": "无效的重复次数",
    "bad repetition operator": "重复符号用错了",
    "invalid perl operator": "不支持的 (? 写法",
    "invalid UTF-8": "不是有效的 UTF-8",
    "invalid named capture group": "无效的命名分组",
    "pattern too large - compile failed": "正则太大",
}
_LOOK = ("(?=", "(?!", "(?<=", "(?<!")


class BadRegex(ValueError):
    """A pattern that RE2 refuses, or that matches the empty text. The message (`args[0]`) is for the author."""


def searcher(compiled: Any) -> Callable[[bytes], bool]:
    """A function that is true of UTF-8 in which the pattern matches somewhere. Of re2's own search only the half is
    searching: the rest makes a match that nobody wants."""
    match, anywhere, nowhere = compiled._regexp.Match, re2._Anchor.UNANCHORED, re2._NULL_SPAN

    def holds(data: bytes) -> bool:
        found: bool = match(anywhere, data, 0, len(data))[0] != nowhere
        return found

    return holds


@lru_cache(maxsize=4096)  # a rule is read, tried on its cases and compiled into a policy: three times the same
def compile_regex(source: str) -> Any:
    """The compiled pattern for folded text. Raises BadRegex."""
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        compiled = re2.compile(folded_source(source), options)
    except (re2.error, UnicodeError) as error:
        raise BadRegex(_explain(source, error)) from None
    if compiled.search("") is not None:
        raise BadRegex(
            said("matches the empty text, so it would match every request", "能匹配空文本，这样会匹配所有请求")
        )
    return compiled


@lru_cache(maxsize=4096)
def folded_source(source: str) -> str:
    """The pattern with every non-ASCII character as folding leaves it; case and escapes stay ("\\S" is not "\\s")."""
    parts = []
    escaped = False
    for character in source:
        if character.isascii():
            parts.append(character)
            escaped = character == "\\" and not escaped
            continue
        plain = fold(character).text
        if plain.isascii() and plain and not plain.isalnum() and not plain.isspace() and not escaped:
            plain = "\\" + plain
        parts.append(plain)
        escaped = False
    return "".join(parts)


def _explain(source: str, error: Exception) -> Said:
    reason = error.args[0] if error.args else error
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    if any(look in source for look in _LOOK):
        return said(
            "RE2 has no look-around, because it cannot be matched in linear time ({text}); use `none` instead",
            "RE2 没有环视（look-around），因为它无法在线性时间内匹配（{text}）；请改用 `none`",
            text=_in_both(text),
        )
    if any(f"\\{digit}" in source for digit in range(1, 10)):
        return said(
            "RE2 has no back-references, because they cannot be matched in linear time ({text})",
            "RE2 没有反向引用，因为它无法在线性时间内匹配（{text}）",
            text=_in_both(text),
        )
    return said("RE2 refuses it: {text}", "RE2 不接受：{text}", text=_in_both(text))


def _in_both(text: str) -> Said:
    """What RE2 says, `kind: the piece`, with the kind in Chinese beside it."""
    kind, colon, piece = text.partition(": ")
    return Said(text, _RE2.get(kind, "写法有误") + (f"：{piece}" if colon else ""))
