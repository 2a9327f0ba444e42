"""How numbers are written: digits with commas, Chinese numerals, and what multiplies them (万, million, k)."""

from __future__ import annotations

from decimal import Decimal

DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,18})(?:\.[0-9]{1,12})?"
ZH_CHARACTERS = "零〇一二两三四五六七八九十百千万亿"
ZH = rf"[{ZH_CHARACTERS}]{{1,24}}(?:点[零〇一二三四五六七八九]{{1,8}})?"
ZH_SCALE = "(?:万亿|千亿|百亿|十亿|亿|千万|百万|十万|万|千|百)"
EN_SCALE = "(?:thousand|million|billion|trillion)"

_VALUES = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_SCALES = {
    "百": 100, "千": 1000, "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8, "十亿": 10**9,
    "百亿": 10**10, "千亿": 10**11, "万亿": 10**12, "thousand": 1000, "million": 10**6, "billion": 10**9,
    "trillion": 10**12, "k": 1000, "w": 10000, "m": 10**6, "bn": 10**9, "b": 10**9,
}  # fmt: skip


def plain(value: Decimal) -> int | float:
    """A whole number as int, any other as float."""
    whole = int(value)
    return whole if whole == value else float(value)


def number_of(written: str, scale: str = "") -> int | float | None:
    """3,450.5 → 3450.5; 1.2 with 万 → 12000; 三百二十 → 320. None for Chinese characters that are no numeral (一五一十)."""
    if written[:1].isascii():
        if not scale and "." not in written:
            return int(written.replace(",", ""))
        value = Decimal(written.replace(",", ""))
    else:
        head, point, decimals = written.partition("点")
        whole = zh_number(head)
        if whole is None:
            return None
        if not point and not scale:
            return whole
        value = Decimal(whole)
        if point:
            value += Decimal("0." + "".join(str(_VALUES[c]) for c in decimals))
    return plain(value * _SCALES.get(scale.strip().lower(), 1))


def zh_number(word: str) -> int | None:
    """A numeral as it is spoken: 十五, 三百二十, 一百零五, 两千三 (2300), 三万五 (35000), 一亿两千万. None for characters
    one after another (二零二四, 三三两两), and for what begins with a power (千万, 万一)."""
    total = 0
    rest = word
    for mark, power in (("亿", 10**8), ("万", 10**4)):
        head, found, tail = rest.partition(mark)
        if found:
            value = _section(head)
            if not value:
                return None
            total += value * power
            rest = tail
            if not rest:
                return total
            if len(rest) == 1 and rest in _VALUES:
                return total + _VALUES[rest] * power // 10
    value = _section(rest)
    return None if value is None else total + value


def _section(word: str) -> int | None:
    """A numeral below 10,000."""
    if not word:
        return None
    value, digit, unit, zero = 0, 0, 10000, False
    for character in word:
        power = _POWERS.get(character)
        if power is not None:
            if power >= unit or (not digit and power != 10) or (not digit and value and not zero):
                return None  # 百, 十百; but 十五
            value += (digit or 1) * power
            digit, unit, zero = 0, power, False
        elif digit:
            return None
        elif character in "零〇":
            if zero:
                return None
            zero = True
        else:
            digit = _VALUES.get(character, 0)
            if not digit:
                return None
    if digit and not zero and unit in (100, 1000):
        digit *= unit // 10  # 三百二 is 320
    return value + digit
