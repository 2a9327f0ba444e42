"""A text cut into tokens: numbers, names, signs, words, units. Chinese, English, Unicode and LaTeX alike."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import re2

from pointsman.calculation.segments import segmented
from pointsman.calculation.tree import NotUnderstood
from pointsman.calculation.units import PHRASES, UNITS, ZH_UNITS
from pointsman.calculation.words import (
    COMMANDS,
    EN,
    EN_FIRST,
    EN_LONGEST,
    FUNCTIONS,
    GREEK,
    GREEK_LETTERS,
    SKIPPED,
    ZH,
    ZH_LONGEST,
)
from pointsman.domain.said import said
from pointsman.extractors.numerals import ZH_CHARACTERS, number_of, zh_number

MOST = 1500  # tokens of one text


class Token(NamedTuple):
    """`kind`: num, name, fn, const, unit, op, open, close, comma, and a word's own (of, post, list, and, …)."""

    kind: str
    text: str
    spaced: bool
    written: str


_LIST_WORDS: Any = re2.compile(
    r"(?i)\b(?:gcd|gcf|hcf|lcm|mean|average|median|mode|variance|deviation|max|maximum|min|minimum|divisor|multiple|factor|sum"
    r"|product) |平均|均值|公约数|公因数|公倍数|中位数|众数|方差|标准差|最大值|最小值|总和|的和|的积|乘积"
)  # what stands beside them are lists: a comma separates
_NUMBER: Any = re2.compile(r"(?:[0-9]{1,3}(?:,[0-9]{3})+\b|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+")
_PLAIN_NUMBER: Any = re2.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_BASED: Any = re2.compile(r"0[xX][0-9a-fA-F]+\b|0[bB][01]+\b|0[oO][0-7]+\b")
_POWER_OF_TEN: Any = re2.compile(r"[eE][+-]?[0-9]{1,6}")
_RUN: Any = re2.compile(r"[A-Za-z]+(?:10\b|2\b)?")
_NUMERAL: Any = re2.compile(rf"[{ZH_CHARACTERS}]+(?:点[零〇一二三四五六七八九]+)?")
_DEGREES: Any = re2.compile(r"(?i)(?:° ?|degrees? )([CF])\b")
_SCALES = {"百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_SIGNS = ("<=", ">=", "!=", "...", "…", "\\\\", "''")
_SINGLE = "+-*/^=<>!%|'_&∫∑∏√∂→°±∞⌊⌋⌈⌉:"
_OPEN, _CLOSE = "([{", ")]}"


def tokens(text: str, *, commas: bool = True) -> list[Token]:
    """Of a normalised text. `commas`: 1,234 may be one number, outside lists. Raises NotUnderstood."""
    found: list[Token] = []
    commas = commas and not _LIST_WORDS.search(text)
    lists: list[bool] = []  # of each bracket that is open: whether commas separate there
    at, spaced = 0, False
    while at < len(text):
        character = text[at]
        if character in " \n":
            at, spaced = at + 1, True
            continue
        if len(found) > MOST:
            raise NotUnderstood(said("more than {most} parts", "超过 {most} 个部分", most=MOST))
        new, end = _one(text, at, commas and not (lists and lists[-1]))
        if character in _OPEN and len(new) == 1 and new[0].kind == "open":
            lists.append(character != "(" or bool(found and found[-1].kind in ("fn", "name") and not spaced))
        elif character in _CLOSE and lists:
            lists.pop()
        for token in new:
            found.append(token._replace(spaced=spaced))
            spaced = False
        at = end
    return found


def _one(text: str, at: int, grouped: bool) -> tuple[list[Token], int]:
    character = text[at]
    if character.isdigit() or (character == "." and text[at + 1 : at + 2].isdigit()):
        return _number(text, at, grouped)
    if character == "\\":
        return _command(text, at)
    if character.isascii() and character.isalpha():
        return _word(text, at)
    if match := _DEGREES.match(text, at):
        return [Token("unit", "℃" if match.group(1) in "cC" else "℉", False, match.group())], match.end()
    for sign in _SIGNS:
        if text.startswith(sign, at):
            return [Token("op", sign, False, sign)], at + len(sign)
    if character in "℃℉":
        return [Token("unit", character, False, character)], at + 1
    if character == "∞":
        return [Token("const", "oo", False, character)], at + 1
    if character in _SINGLE:
        return [Token("op", character, False, character)], at + 1
    if character in _OPEN:
        return [Token("open", character, False, character)], at + 1
    if character in _CLOSE:
        return [Token("close", character, False, character)], at + 1
    if character in ",;":
        return [Token("comma", character, False, character)], at + 1
    if character == "π":
        return [Token("const", "pi", False, character)], at + 1
    if character in GREEK_LETTERS:
        if character == "μ" and (match := _RUN.match(text, at + 1)) and f"μ{match.group()}" in UNITS:
            return [Token("unit", f"μ{match.group()}", False, character)], match.end()
        return [Token("name", GREEK_LETTERS[character], False, character)], at + 1
    if character == "√" or character == "∛":
        return [Token("op", "√" if character == "√" else "cbrt", False, character)], at + 1
    return _zh(text, at)


def _number(text: str, at: int, grouped: bool) -> tuple[list[Token], int]:
    if match := _BASED.match(text, at):
        return [Token("num", str(int(match.group(), 0)), False, match.group())], match.end()
    match = (_NUMBER if grouped else _PLAIN_NUMBER).match(text, at)
    written, end = match.group(), match.end()
    value = written.replace(",", "")
    value = f"0{value}" if value.startswith(".") else value
    if text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit():
        raise unknown(written + text[end : end + 2])  # 1.2.3
    if power := _POWER_OF_TEN.match(text, end):
        after = text[power.end() : power.end() + 1]
        if not (after.isascii() and (after.isalpha() or after == ".")):
            return [Token("num", value + power.group().lower().replace("+", ""), False, written)], power.end()
    scale = 1
    while (power_of := _SCALES.get(text[end : end + 1])) and not _unit_at(text, end):
        scale, end = scale * power_of, end + 1
    if scale > 1:
        value = plain_decimal(Decimal(value) * scale)
    return [Token("num", value, False, text[at:end])], end


def plain_decimal(value: Decimal) -> str:
    """Without an exponent, and without zeros that say nothing."""
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _command(text: str, at: int) -> tuple[list[Token], int]:
    end = at + 1
    while end < len(text) and text[end].isascii() and text[end].isalpha():
        end += 1
    name = text[at + 1 : end]
    if not name:
        following = text[at + 1 : at + 2]
        if following == "\\":
            return [Token("op", "\\\\", False, "\\\\")], at + 2
        if following in ("{", "}"):
            return [Token("open" if following == "{" else "close", following, False, following)], at + 2
        if following == "%":
            return [Token("op", "%", False, "%")], at + 2
        if following and following in ",;:! ":
            return [], at + 2
        raise unknown(text[at : at + 2])
    written = f"\\{name}"
    if name in SKIPPED:
        return _skipped(text, name, end)
    if name in ("begin", "end"):
        close = text.find("}", end)
        if text[end : end + 1] != "{" or close < 0:
            raise unknown(written)
        kind = "begin" if name == "begin" else "end_env"
        return [Token(kind, text[end + 1 : close].rstrip("*"), False, written)], close + 1
    if name in ("frac", "dfrac", "tfrac", "cfrac"):
        return [Token("cmd", "frac", False, written)], end
    if name in ("binom", "dbinom", "tbinom"):
        return [Token("cmd", "binom", False, written)], end
    if name == "sqrt":
        return [Token("cmd", "sqrt", False, written)], end
    if name == "circ":
        return [Token("op", "°", False, written)], end
    if name == "lim":
        return [Token("lim", "lim", False, written)], end
    if name == "infty":
        return [Token("const", "oo", False, written)], end
    if name == "pi":
        return [Token("const", "pi", False, written)], end
    if name == "iint":
        return [Token("op", "∫", False, written), Token("op", "∫", False, written)], end
    if name in COMMANDS:
        return [Token("op", COMMANDS[name], False, written)], end
    if name in FUNCTIONS and name not in GREEK:
        return [Token("fn", FUNCTIONS[name], False, written)], end
    if name in GREEK:
        return [Token("name", GREEK_LETTERS.get(GREEK[name], name), False, written)], end
    raise unknown(written)


def _skipped(text: str, name: str, end: int) -> tuple[list[Token], int]:
    """`\\left.` and `\\mathrm{d}x`: what is in the braces counts as if it stood there without them."""
    if name in ("left", "right") and text[end : end + 1] == ".":
        return [], end + 1
    close = text.find("}", end)
    if name in ("mathrm", "operatorname", "text", "mathbf", "mathit", "boldsymbol") and text[end : end + 1] == "{":
        inner = text[end + 1 : close].strip() if close > 0 else ""
        if inner == "d":
            after = text[close + 1 : close + 2]
            if after.isalpha() and after.isascii():
                return [Token("diff", after, False, f"d{after}")], close + 2
            return [Token("name", "d", False, "d")], close + 1
        if inner.isascii() and inner.isalpha():
            return _word(inner, 0)[0], close + 1
        if inner:
            return tokens(inner), close + 1
    return [], end


def _word(text: str, at: int) -> tuple[list[Token], int]:
    match = _RUN.match(text, at)
    run, end = match.group(), match.end()
    lower = text[at : at + 40].lower()
    for phrase, sign in PHRASES.items():
        if lower.startswith(phrase) and not text[at + len(phrase) : at + len(phrase) + 1].isalpha():
            inner = sign.strip()
            return tokens(inner), at + len(phrase)
    first = run.rstrip("0123456789").lower()
    if first in EN_FIRST:
        for phrase in EN_LONGEST:
            if lower.startswith(phrase) and not _goes_on(text, at + len(phrase)):
                kind, meaning = EN[phrase]
                return ([] if kind == "skip" else [Token(kind, meaning, False, phrase)]), at + len(phrase)
    if run[-1].isdigit() and run not in FUNCTIONS:
        run, end = run.rstrip("0123456789"), at + len(run.rstrip("0123456789"))
    return [Token(kind, meaning, False, run) for kind, meaning in segmented(run)], end


def _goes_on(text: str, at: int) -> bool:
    following = text[at : at + 1]
    return following.isascii() and following.isalpha()


def _unit_at(text: str, at: int) -> str | None:
    return next((unit for unit in ZH_UNITS if text.startswith(unit, at)), None)


def _zh(text: str, at: int) -> tuple[list[Token], int]:
    word = next((word for word in ZH_LONGEST if text.startswith(word, at)), None)
    unit = _unit_at(text, at)
    numeral = _numeral(text, at)
    if word and (not unit or len(word) >= len(unit)) and (not numeral or len(word) > numeral[1] - at):
        kind, meaning = ZH[word]
        return ([] if kind == "skip" else [Token(kind, meaning, False, word)]), at + len(word)
    if numeral:
        return [Token("num", numeral[0], False, text[at : numeral[1]])], numeral[1]
    if unit:
        return [Token("unit", unit, False, unit)], at + len(unit)
    if text[at] == "半" and _unit_at(text, at + 1 + text.startswith("个", at + 1)):
        return [Token("num", "0.5", False, "半")], at + 1
    end = at + 1
    while end < len(text) and "\u4e00" <= text[end] <= "\u9fff":
        end += 1
    raise unknown(text[at:end])


def _numeral(text: str, at: int) -> tuple[str, int] | None:
    """Value and end of a Chinese numeral. 两 after one is the unit."""
    match = _NUMERAL.match(text, at)
    if not match:
        return None
    run = match.group()
    while run:
        value = number_of(run) if "点" in run else zh_number(run)
        if value is not None and not (len(run) == 1 and run in "百千万亿"):
            return repr(value) if isinstance(value, float) else str(value), at + len(run)
        run = run[:-1]
    return None


def unknown(written: str) -> NotUnderstood:
    shown = written.strip()[:40]
    return NotUnderstood(said("“{it}” was not understood", "没有看懂“{it}”", it=shown))
