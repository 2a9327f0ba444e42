"""Expressions to compute: 3*(4+5), sin(x)+1, x^2-4=0, √16+3, and what stands between dollar signs in LaTeX."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.scan import DIGIT_BYTES, WORD_BYTES, Find, after, before, byte_at, looks

_FUNCTION = (
    r"(?:sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|asin|acos|atan|log2|log10|log|ln|lg|sqrt|cbrt"
    r"|exp|abs|lim|gcd|lcm|det|mod)"
)
_OVER = r"[∫∑∏∮](?:_[0-9a-zA-Z]{1,3})?(?:\^[0-9a-zA-Zπ∞]{1,3})?"
_PRE = rf"(?:[(\[|] ?|[-+−±] ?|√ ?|{_OVER} ?|\b{_FUNCTION}(?: ?[(\[] ?| ))"
_ATOM = r"(?:\b[0-9]{1,18}(?:,[0-9]{3}){0,5}(?:\.[0-9]{1,12})?(?:[a-zA-Z]\b|π|\b)|\b[a-z]π|\b[a-zA-Z]\b|π|∞|θ|α|β|λ)"
_POST = r"(?: ?[)\]|]|!|[²³⁴ⁿ°]|%|,[0-9]{1,9}\b|, [0-9]{1,9} ?[)\]]| ?d[xyzt]\b)*"
_OPERAND = rf"{_PRE}*{_ATOM}{_POST}"
_OPERATOR = (
    r"(?: ?(?:\*\*|[-+*/^×÷·⋅∙−±＝=≠≤≥<>≈→%]|<=|>=|==|!=) ?| ?(?:加上?|减去?|乘以?|除以?) ?| x "
    r"| (?:plus|minus|times|divided by|multiplied by|mod) )"
)
_EXPRESSION: Any = re2.compile(
    rf"(?:{_OPERAND}(?:{_OPERATOR}{_OPERAND}|[(]{_OPERAND}|√{_OPERAND})|(?:√ ?|{_OVER} ?|\b{_FUNCTION} ?[(] ?){_OPERAND})"
    rf"(?:{_OPERATOR}{_OPERAND}|[(]{_OPERAND}|√{_OPERAND}| ?\b{_FUNCTION}[(]{_OPERAND})*(?: ?=)?"
)
_LONGEST = 1500  # bytes of one expression
_LATEX: Any = re2.compile(
    r"\$\$([^$]+)\$\$|\$([^$\n]+)\$|\\\(((?:[^\n\\$]|\\[^()\n])+)\\\)|\\\[((?:[^\\$]|\\[^\[\]])+)\\\]"
)
_LATEX_SIGN: Any = re2.compile(r"\\[a-zA-Z]+|[a-zA-Z0-9)}][\^_][a-zA-Z0-9{(]|[a-zA-Z0-9)] ?[+*/=<>-] ?[a-zA-Z0-9(]")
_DATE: Any = re2.compile(r"\b[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}\b")
_STRONG: Any = re2.compile(r"[*^×÷·⋅∙√∫∑∏²³⁴ⁿ±]|加|减|乘|除|plus|minus|times|divided|multiplied|[a-z][(]|[0-9] x [0-9]")
_CUE_BEFORE: Any = re2.compile(
    r"(?i)(?:计算|算一?下|算出|算|求解?|解方程|化简|口算|calculate|compute|evaluate|solve|simplify|work out|what(?:'s| is)"
    r"|how much is)[:： ]{0,3}(?:一下|下)?[:： ]{0,3}$"
)
_CUE_AFTER: Any = re2.compile(r"(?i)^ ?(?:=|等于|是多少|得多少|得几|是几|的结果|的值|结果|equals|\?|？)")
_ENDS: Any = re2.compile(r"^ ?(?:$|[=?？。.,，;；!！)\n])")
_DECOY: Any = re2.compile(
    r"[0-9]?[A-Z]\+[0-9]?[A-Z0-9]{1,2}|(?:7 ?[*×] ?24|24 ?[*×/] ?7)|[A-Za-z] ?={1,2} ?-?[0-9.]+|[a-zA-Z0-9]+ ?(?:<|>"
    r"|<=|>=|≤|≥|==|!=) ?-?[0-9.,]+%?"
)
_JOINED: Any = re2.compile(r"[0-9A-Za-z.,]+(?:[-/][0-9A-Za-z.,]+)+ ?|[0-9.]+ x [0-9.]+ ?")  # 3-5, 2024-05-03, 24/7
_IS_SUM: Any = re2.compile(
    r"[0-9]{1,9}[-/][0-9]{1,9}"
)  # alone it is no range where it goes down, and no ratio where it comes out even
_HAN_WORDS: Any = re2.compile("加|减|乘|除|plus|minus|times|divided|multiplied")


def find(data: bytes) -> Iterator[Find]:
    """The value is None: what it comes to is not for a finder to say."""
    latex = list(_latex(data)) if b"$" in data or b"\\" in data else []
    at = 0
    for match in looks(_EXPRESSION, data):
        start, end = match.span()
        while at < len(latex) and latex[at].start < start:
            yield latex[at]
            at += 1
        if at and start < latex[at - 1].end:
            continue
        if not 3 <= end - start <= _LONGEST or (_JOINED.fullmatch(data[start:end]) and not _is_asked(data, start, end)):
            continue
        found = _checked(data, start, end)
        if found is not None and not (at < len(latex) and latex[at].start < found.end):
            yield found
    yield from latex[at:]


def _latex(data: bytes) -> Iterator[Find]:
    for match in looks(_LATEX, data):
        double, single, round_, square = match.groups()
        inner = next(group for group in match.groups() if group is not None)
        if single is not None and (
            inner[:1].isspace() or inner[-1:].isspace() or byte_at(data, match.end()) in DIGIT_BYTES
        ):
            continue
        if double is None and round_ is None and square is None and not _LATEX_SIGN.search(inner):
            continue
        if any(c > 127 for c in inner) and b"\\" not in inner:
            continue
        if inner.strip().replace(b",", b"").replace(b".", b"").isdigit():
            continue
        yield Find(match.start(), match.end(), None)


def _checked(data: bytes, start: int, end: int) -> Find | None:
    if _joined(data, start, end):
        return None
    text = data[start:end].decode()
    text, start = _balanced(text, start)
    if text.count("(") != text.count(")"):
        return None  # the rest is written in some other way
    bare = text.rstrip(" =")
    core = bare.strip("()[]| ")
    if (
        not any(c.isdigit() for c in core)
        and "^" not in core
        and not _FUNCTION_IN.search(core)
        and not any(c in "√∫∑∏" for c in core)
    ):
        return None
    if (
        "++" in core
        or "--" in core
        or _DATE.search(core)
        or _DECOY.fullmatch(core)
        or (core.endswith(("%", "!")) and not _STRONG.search(core))
    ):
        return None
    end = start + len(text.encode())
    operators = [c for c in core.lstrip("-+−±") if c in "+-*/^×÷·⋅∙−±=≤≥<>%≠≈"]
    if not operators and not _STRONG.search(core) and not _FUNCTION_IN.search(core):
        return None
    if _STRONG.search(core) or _FUNCTION_IN.search(core):
        if _HAN_WORDS.search(core) and not _plain_words(core):
            return None
        if "×" in core and _is_size(data, start, end, core):
            return None
        if core[-1:] in "²³" and len(core) < 3:
            return None
        return Find(start, end, None)
    kinds = set(operators)
    if kinds <= {"-", "/", "−", "<", ">", "="} and not (kinds & {"="} and any(c.isalpha() for c in core)):
        asked = _is_asked(data, start, end) or text.rstrip().endswith("=")
        spaced = f" {operators[0]} " in core
        bracketed = "(" in core or "[" in core
        ends = _ENDS.search(after(data, end)) is not None
        if not (asked or bracketed or (spaced and ends and not kinds & {"<", ">", "="})):
            return None
        if not asked and not any(c.isdigit() for c in core):
            return None
    if kinds <= {"%"} and " % " not in core:
        return None
    return Find(start, end, None)


_FUNCTION_IN: Any = re2.compile(rf"\b{_FUNCTION} ?[(\[a-z0-9√]")


def _is_asked(data: bytes, start: int, end: int) -> bool:
    """The words around it want it computed."""
    if start == 0 and end == len(data) and _IS_SUM.fullmatch(data):
        first, _, second = data.replace(b"/", b"-").partition(b"-")
        return (
            int(first) >= int(second)
            if b"-" in data
            else int(first) > int(second) > 1 and int(first) % int(second) == 0
        )
    return (
        _CUE_AFTER.search(data[end : end + 24]) is not None
        or _CUE_BEFORE.search(data[max(0, start - 40) : start]) is not None
    )


def _joined(data: bytes, start: int, end: int) -> bool:
    """It is a piece of a name, an address, a version or a time."""
    previous, following = byte_at(data, start - 1), byte_at(data, end)
    if previous in WORD_BYTES or following in WORD_BYTES:
        return True
    if previous and previous in b"./@#\\&?'~":
        return True
    if previous == 0x24 or (previous in b":-" and previous and byte_at(data, start - 2) in WORD_BYTES):
        return True
    if following and following in b"@\\&_":
        return True
    return following != 0 and following in b".:-/+" and byte_at(data, end + 1) in WORD_BYTES


def _balanced(text: str, start: int) -> tuple[str, int]:
    """Without brackets at its ends that have no partner."""
    for opening, closing in ("()", "[]"):
        while text.count(opening) > text.count(closing) and text.startswith(opening):
            text, start = text[1:], start + 1
        while text.count(closing) > text.count(opening) and text.endswith(closing):
            text = text[:-1]
    stripped = text.lstrip(" |+")
    start += len(text) - len(stripped)
    return stripped.rstrip(" |"), start


def _plain_words(core: str) -> bool:
    """3加5, 12 times 8: numbers on both sides of every word."""
    return sum(c.isdigit() for c in core) >= 2 and not any(
        c.isalpha() and c.isascii() for c in _HAN_WORDS.sub("", core).replace("ed by", "").replace(" by", "")
    )


def _is_size(data: bytes, start: int, end: int, core: str) -> bool:
    """1920×1080: a screen, a picture."""
    sides = core.split("×")
    if not all(side.strip().isdigit() and len(side.strip()) >= 3 for side in sides):
        return False
    around = (before(data, start, 60) + after(data, end, 30)).lower()
    return any(
        word in around
        for word in (
            "分辨率",
            "像素",
            "屏",
            "图片",
            "px",
            "pixel",
            "resolution",
            "screen",
            "image",
            "尺寸",
            "壁纸",
            "monitor",
            "wallpaper",
        )
    )


_MAY: Any = re2.compile(
    r"[-+*/^×÷·⋅∙−±＋－＊／＾=＝<>≤≥≠≈√∫∑∏∮²³⁴ⁿ%％$\\(\[]|加|减|乘|除|plus|minus|times|by|[0-9] x [0-9]|mod"
    r"|sin|cos|tan|log|ln|lg|sqrt|exp|lim|d[xyzt]"
)


def may_hold(data: bytes) -> bool:
    return _MAY.search(data) is not None
