"""Small whole numbers as Chinese and English write them in dates."""

from __future__ import annotations

_ZH = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "元": 1, "正": 1, "冬": 11, "腊": 12}
_EN = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
} | {"a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90, "couple": 2, "a couple of": 2}
ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
    )
}

ZH_NUMBER = r"(?:[0-9]{1,4}|[零〇一二两三四五六七八九十百]{1,5})"
EN_WORD_NUMBER = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    r"eighteen|nineteen|twenty|thirty|forty|fifty|sixty|ninety"
)
EN_NUMBER = r"(?:[0-9]{1,4}|" + EN_WORD_NUMBER + r"|a couple of|couple)"
EN_ORDINAL = r"(?:[0-9]{1,2}(?:st|nd|rd|th)|" + "|".join(ORDINALS) + r")"


def number(text: str) -> int | None:
    """3, 三, 十二, 二十, 三十一, twelve; None for what is no number below 10,000. 二四 is read digit by digit (24)."""
    text = text.strip().lower()
    if text.isascii() and text.isdigit():
        return int(text)
    if text in _EN:
        return _EN[text]
    if not text or any(c not in _ZH and c not in "十百" for c in text):
        return None
    if "十" not in text and "百" not in text:
        value = 0
        for c in text:
            value = value * 10 + _ZH[c]
        return value
    hundreds, _, rest = text.rpartition("百")
    tens, ten, ones = rest.rpartition("十")
    total = 100 * (_ZH.get(hundreds[-1:], 1) if "百" in text else 0)
    total += 10 * (_ZH.get(tens[-1:], 1) if ten else 0)
    return total + (_ZH.get(ones[-1:], 0) if ones else 0)


def count_of(text: str) -> int | None:
    """How many; None for 两三 (天), which is two or three and no number."""
    text = text.strip()
    if len(text) > 1 and not text.isascii() and "十" not in text and "百" not in text:
        return None
    return number(text)


def ordinal(text: str) -> int | None:
    """first, 8th, 15th."""
    if text in ORDINALS:
        return ORDINALS[text]
    return int(text[:-2]) if text[:-2].isdigit() else None


def year_of(text: str) -> int | None:
    """2024, 24, 二零二四, 二四: a year between 1970 and 2099."""
    value = number(text)
    if value is None:
        return None
    if value < 100 and len(text) == 2:
        value += 2000
    return value if 1970 <= value <= 2099 else None
