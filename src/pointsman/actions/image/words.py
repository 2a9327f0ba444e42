"""What is to be drawn, out of how people ask for it: without the asking, the shape and the number. Pure."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
import re2

from pointsman.extractors.numerals import number_of

Shape = Literal["square", "portrait", "landscape"]
SHAPES: dict[str, Shape] = {
    "square": "square",
    "portrait": "portrait",
    "landscape": "landscape",
    "tall": "portrait",
    "wide": "landscape",
    "方形": "square",
    "竖版": "portrait",
    "横版": "landscape",
}
"""How a parameter may say it."""
LONGEST = 2000
"""Characters of what is to be drawn."""

_ENGINES = r"(?:AI|人工智能|Stable ?Diffusion|DALL[-·]?E(?: ?[23])?|SD)"
_ASK_ZH = (
    r"(?:请问?|麻烦|劳驾)?(?:你|您)?(?:能不能|能否|可不可以|可以|能)?(?:请|帮忙|帮我|帮|给我|替我|为我|我想要?|我要|来)*(?:你|您)?"
    rf"(?:(?:用|使用|让|通过) ?{_ENGINES} ?(?:来|帮我|给我)?)?(?:再|重新)?"
    r"(?:画出?|绘制|绘|生成|创作|设计|制作|做|出)(?:一下|下|给我|成)?"
)
_ASK_EN = (
    r"(?:(?:hi|hello|hey)[,!. ]+)?(?:(?:can|could|would|will) you (?:please )?|please |pls |i want (?:you to )?|let's |"
    r"i(?:'d| would) like (?:you to )?)*(?:use (?:ai|stable diffusion|dall[-·]?e(?: ?[23])?) to )?"
    r"(?:draw|paint|sketch|illustrate|generate|create|make|design|render|produce)\b(?: me\b| us\b)?(?: up\b)?"
)
_LEAD: Any = re2.compile(rf"(?i)^\s*(?:{_ASK_ZH}|{_ASK_EN}|(?:来|要)[一二两三四1-9](?:张|幅))[:：,，]?\s*")
_NUMBER = r"[0-9]{1,3}|[一二两三四五六七八九十]{1,3}"
_WORDS = r"two|three|four|five|six|seven|eight|nine|ten|several|a few|a couple of"
_PICTURES_EN = (
    r"(?:images?|pictures?|versions?|variants?|variations?|options?|drawings?|illustrations?|photos?)\b"
    r"(?: of| showing| with)?"
)
_COUNT: Any = re2.compile(
    rf"(?i)^\s*(?:({_NUMBER})(?:张|幅)(?:不同的?)?|({_NUMBER}|{_WORDS}) (?:different )?{_PICTURES_EN})\s*"
)
_GENERIC_EN: Any = re2.compile(
    r"(?i)^\s*(?:an?|the|some|one)?\s*(?:ai )?(?:image|picture|pic|drawing|illustration)s?\s+"
    r"(?:of|showing|depicting|that shows|with)\s+"
)
_GENERIC_ZH: Any = re2.compile(
    r"^\s*(?:[一1]?(?:张|幅|个|副))?(?:(?:图片|图像|图画|图)[:：,，] ?)?(?:关于|有关|表现|描绘|展示)?"
)
_TAIL: Any = re2.compile(
    r"(?i)[\s,，.。!！?？~～]*(?:吧|好吗|可以吗|行吗|谢谢你?|谢啦|多谢|,? ?please|,? ?thanks?(?: you)?|for me)?"
    r"[\s,，.。!！?？~～]*$"
)
_TAIL_ZH: Any = re2.compile(r"(?:的|，|,)\s*(?:图片|图像|图画|图|画)$")
_EMPTY: Any = re2.compile(
    r"(?i)^(?:(?:一?[张幅个副])?(?:图片|图像|图画|画|图|照片)?|something|anything|东西|点东西|什么|"
    r"(?:an?|some|the)?\s*(?:image|picture|pic|drawing|photo|illustration)?s?)$"
)
_UPRIGHT = (
    r"竖版|竖屏|竖图|竖构图|纵向|手机壁纸比例|\b9 ?[:：] ?16\b|\b3 ?[:：] ?4\b|\b2 ?[:：] ?3\b|\bvertical\b|"
    r"(?:portrait|vertical) (?:format|orientation|mode|layout|aspect ratio)"
)
_LYING = (
    r"横版|横屏|横图|横构图|横向|宽屏|宽幅|\b16 ?[:：] ?9\b|\b4 ?[:：] ?3\b|\b3 ?[:：] ?2\b|\bwidescreen\b|\bhorizontal\b|"
    r"(?:landscape|horizontal|wide) (?:format|orientation|mode|layout|aspect ratio)"
)
_EVEN = r"正方形|方形|方图|\b1 ?[:：] ?1\b|square (?:format|image|picture|aspect ratio)"


def _shape(words: str) -> Any:
    before, after = r"(?:做成|要|用|采用|尺寸|比例|画幅|in|as|with)?\s*(?:an? )?", r"(?:的|比例|构图|画幅)?"
    return re2.compile(rf"(?i)[,，、]?\s*{before}(?:{words}){after}\s*")


_SHAPES: tuple[tuple[Any, Shape], ...] = (
    (_shape(_UPRIGHT), "portrait"),
    (_shape(_LYING), "landscape"),
    (_shape(_EVEN), "square"),
)
_SIZE: Any = re2.compile(
    r"(?i)[,，、(（]?\s*(?:尺寸|大小|分辨率|size|at|in)?\s*[:：]?\s*\b([0-9]{2,4}) ?[x×*] ?([0-9]{2,4})\b\s*"
    r"(?:像素|pixels|px)?[)）]?(?:的)?\s*"
)
_VALUES = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "several": 4,
           "a few": 3, "a couple of": 2}  # fmt: skip


class Drawing(msgspec.Struct, frozen=True):
    """`prompt` may be empty: then nothing is said of what is to be drawn. `count`, `shape` and `size` (width, height) where
    they are named."""

    prompt: str
    count: int | None = None
    shape: Shape | None = None
    size: tuple[int, int] | None = None


def drawing_of(question: str) -> Drawing:
    """The question as it was written, less what asks for a picture."""
    text = " ".join(question[: 2 * LONGEST].split())
    size: tuple[int, int] | None = None
    found = _SIZE.search(text)
    if found:
        size = int(found[1]), int(found[2])
        text = _without(text, found)
    shape: Shape | None = None
    for pattern, name in _SHAPES:
        found = pattern.search(text)
        if found:
            shape = name
            text = _without(text, found)
            break
    lead = _LEAD.match(text)
    if lead:
        text = text[lead.end() :]
    count: int | None = None
    found = _COUNT.match(text)
    if found:
        count = _number(found[1] or found[2])
        text = text[found.end() :]
    if lead or found:
        text = _generic(text)
    text = _TAIL.sub("", text).strip()
    return Drawing("" if _EMPTY.match(text) else text, count if count != 1 else None, shape, size)


def _generic(text: str) -> str:
    """Without "a picture of" and 一张…的图片: what kind of picture it is (a poster, 油画) stays."""
    found = _GENERIC_EN.match(text)
    if found:
        return str(text[found.end() :])
    head = _GENERIC_ZH.match(text)
    text = text[head.end() :] if head else text
    return str(_TAIL_ZH.sub("", _TAIL.sub("", text))).lstrip("的 ")


def _without(text: str, found: Any) -> str:
    """The rest: what stood before and after, which Chinese joins without a space."""
    before, after = text[: found.start()].rstrip(), text[found.end() :].lstrip()
    joint = " " if before[-1:].isascii() and after[:1].isascii() and before and after else ""
    return before + joint + after


def _number(written: str) -> int | None:
    value = _VALUES.get(written.lower())
    if value is None:
        numeral = number_of(written)
        value = None if numeral is None else int(numeral)
    return value
