"""Amounts of money and percentages: a number and what it counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.numerals import DIGITS, EN_SCALE, ZH, ZH_SCALE, number_of
from pointsman.extractors.scan import DIGIT_BYTES, HAN, WORD_BYTES, Find, byte_at, looks

_SIGNS = {  # before the number or behind it
    sign: currency
    for currency, signs in {
        "CNY": "¥ ￥ 人民币 rmb cny",
        "USD": "$ us$ usd 美元",
        "EUR": "€ eur 欧元",
        "GBP": "£ gbp 英镑",
        "JPY": "jpy 日元",
        "HKD": "hk$ hkd 港币 港元",
    }.items()
    for sign in signs.split()
}
_UNITS = _SIGNS | {  # only behind it
    unit: currency
    for currency, units in {
        "CNY": "元 块 块钱 元钱 圆 塊 塊錢 人民幣 yuan",
        "USD": "美金 美刀 刀 dollar dollars bucks",
        "EUR": "歐元 euro euros",
        "GBP": "英鎊 pound pounds",
        "JPY": "日圆 yen",
        "HKD": "港幣",
    }.items()
    for unit in units.split()
}
_BEHIND = {word: code for word, code in _UNITS.items() if not word.endswith(("$", "¥", "￥", "€", "£"))}


def _any(words: dict[str, str]) -> str:
    """Longest first; Latin words end where they end."""
    return "|".join(
        word.replace("$", r"\$") + (r"\b" if word[-1].isascii() and word[-1].isalpha() else "")
        for word in sorted(words, key=len, reverse=True)
    )


_SCALE = rf"(?:{ZH_SCALE}|{EN_SCALE}\b)"
_AMOUNT: Any = re2.compile(
    rf"(?i)(-?)({_any(_SIGNS).replace(chr(92) + 'b', '')}) ?(-?)({DIGITS})( ?{_SCALE}|k\b|m\b|bn\b"
    rf"|b\b)?(?: ?(?:{_any(_BEHIND)}))?"
    rf"|(-?)({DIGITS}|{ZH})( ?{_SCALE}|[kw])?(?:多|余)? ?(元人民币|{_any(_UNITS)})(?:([0-9一二三四五六七八九])([毛角])?)?"
)
_NO_MONEY: Any = re2.compile(  # what makes another word of 元 and 块
    "元(?:素|组|催|宝|勋|帅|凶|件|旦|宵|首|年|老|气|次|一次|二次|三次|方程|函数|运算|分类|语法|论|祖|数据)"
    "|块(?:儿|头|巧克力|蛋糕|石|砖|电池|屏|硬盘|地|板|布|肉|糖|饼|拼图|木|手表|表|田|区域|内容|玻璃|豆腐|西瓜|披萨|面包|香皂|肥皂|显卡|链|代码)"
    "|刀(?:片|具|子|鱼|工|法|削)"
)
_HAN_NEXT: Any = re2.compile(rf"[{HAN}]")
_RMB = "人民币".encode()
_KUAI = "块".encode()
_WORDS_TOO = frozenset(word.encode() for word in ("元", "块", "刀"))
_SMALL_COUNTS = frozenset(word.encode() for word in ("一", "两"))
_SPENT: Any = re2.compile(
    rf"[^{HAN}]|钱|的|了|吗|呢|吧|左|以|多|起|一|每|就|是|和|到|或|给|也|都|还|买|够|能|够|不|够|够|整|$"
)
_PERCENT: Any = re2.compile(
    rf"(?i)(-?)({DIGITS})(?: ?(%|％|‰)|[ -]?(?:percent|per cent|pct)\b|个百分点|個百分點)|([百千])分之({DIGITS}|{ZH})|百分百"
    rf"|([一二两三四五六七八九十]|\b[1-9])成([一二三四五六七八九半])?"
)
_NO_TENTHS: Any = re2.compile(
    "为|為|功|立|员|本|绩|果|长|都|分|品|语|熟|型|就|人|效|群|千|色|像|不变|了|交|份|见|灾|名|套"
)
_PER_MILLE = "‰".encode()
_HUNDRED = "百".encode()
_BEFORE_TENTHS = tuple(c.encode() for c in "第一二三四五六七八九十百千万零生达合")
_TENTHS = {"两": 2, "半": 5} | {c: n for n, c in enumerate("零一二三四五六七八九十")}


def find_amounts(data: bytes) -> Iterator[Find]:
    """The value: {"amount", "currency"}; narrowed by the currency."""
    for match in looks(_AMOUNT, data):
        start, end = match.span()
        symbol = match.group(2)
        if symbol is not None:
            if byte_at(data, start - 1) in WORD_BYTES or _runs_on(data, end):
                continue
            amount = number_of(match.group(4).decode(), (match.group(5) or b"").decode())
            minus = match.group(1) or match.group(3)
            if amount is not None:
                currency = _SIGNS[symbol.decode().lower()]
                yield Find(start, end, {"amount": -amount if minus else amount, "currency": currency}, currency)
            continue
        unit_at = match.start(9)
        unit = match.group(9)
        minus = match.group(6)
        if minus and not _opens(data, start):
            minus, start = b"", start + 1
        elif _within(data, start):
            continue
        written = match.group(7)
        if unit in _WORDS_TOO and (_NO_MONEY.match(data, unit_at) or written in _SMALL_COUNTS):
            continue  # 元素, 块儿, 一块, 一元
        tenth = match.group(10)
        if (
            tenth
            and not match.group(11)
            and (unit != _KUAI or byte_at(data, end) in WORD_BYTES or _HAN_NEXT.match(data, end))
        ):
            tenth, end = None, match.start(10)  # 五块三个人
        amount = number_of(written.decode(), (match.group(8) or b"").decode())
        if amount is None or (unit == _KUAI and amount < 10 and not tenth and not _SPENT.match(data, end)):
            continue  # 3块巧克力
        if unit[:5].lower() == b"pound" and data.startswith((b" of", b"/", b" per"), end):
            continue
        if tenth:
            amount = round(amount + (int(tenth) if tenth.isdigit() else _TENTHS[tenth.decode()]) / 10, 6)
        if data.endswith(_RMB, 0, start):
            start -= len(_RMB)
        currency = _UNITS.get(unit.decode().lower(), "CNY")
        yield Find(start, end, {"amount": -amount if minus else amount, "currency": currency}, currency)


def _opens(data: bytes, start: int) -> bool:
    """A minus there is a sign, not the dash of a range or a name."""
    return byte_at(data, start - 1) not in WORD_BYTES and data[start - 1 : start] not in (b"%", b")")


def _within(data: bytes, start: int) -> bool:
    """The number there is the end of a longer one, or of a name."""
    previous = byte_at(data, start - 1)
    return previous in WORD_BYTES or (previous in b".," and previous > 0 and byte_at(data, start - 2) in DIGIT_BYTES)


def _runs_on(data: bytes, end: int) -> bool:
    """A longer number or name goes on there ($1.2.3, $5abc)."""
    following = byte_at(data, end)
    return following in WORD_BYTES or (following == 0x2E and byte_at(data, end + 1) in DIGIT_BYTES)


def find_percentages(data: bytes) -> Iterator[Find]:
    """The value: the percent, as a number (1.5‰ is 0.15, 三成 is 30)."""
    for match in looks(_PERCENT, data):
        start, end = match.span()
        value: int | float | None = None
        first = data[start]
        if match.start(2) >= 0:
            at = match.start(2)
            minus = at > start
            if minus and not _opens(data, start):
                minus, start = False, at
            elif not minus and _within(data, start):
                continue
            mark = match.group(3)
            if mark and (
                byte_at(data, end) in DIGIT_BYTES
                or (
                    data[match.end(2)] == 0x20
                    and data[end : end + 1] == b" "
                    and byte_at(data, end + 1) in b"0123456789("
                )
            ):
                continue  # 10 % 3
            value = number_of(data[at : match.end(2)].decode())
            if value is not None:
                value = round(value / 10, 12) if mark == _PER_MILLE else value
                value = -value if minus else value
        elif match.start(4) >= 0:
            part = match.group(5)
            value = 100 if part == _HUNDRED else number_of(part.decode())
            if value is not None and match.group(4) != _HUNDRED:
                value = round(value / 10, 12)
        elif match.start(6) >= 0:
            if _NO_TENTHS.match(data, end) or data.endswith(_BEFORE_TENTHS, 0, start):
                continue
            ten, more = match.group(6).decode(), match.group(7)
            value = 10 * (int(ten) if first < 128 else _TENTHS[ten]) + (_TENTHS[more.decode()] if more else 0)
        else:
            value = 100
        if value is not None:
            yield Find(start, end, value)


_MAY_AMOUNT: Any = re2.compile(
    r"(?i)[$＄¥￥€£元块塊圆刀]|人民[币幣]|英[镑鎊]|港[币幣]|美金|rmb|cny|usd|eur|gbp|jpy|hkd|yuan|dollar|bucks|pound|yen|[Ａ-Ｚａ-ｚ]"
)
_MAY_PERCENT: Any = re2.compile(r"(?i)[%％‰成]|per ?cent|pct|百分|千分|[ｐＰ]")


def may_hold_amount(data: bytes) -> bool:
    return _MAY_AMOUNT.search(data) is not None


def may_hold_percentage(data: bytes) -> bool:
    return _MAY_PERCENT.search(data) is not None
