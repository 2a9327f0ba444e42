"""What is left of a text when all that is understood is struck: a value that the data do not know, a date that the calendar
does not have, or words that ask for something else."""

from __future__ import annotations

import re2

from pointsman.planning.lexicon import FILLER_EN, FILLER_ZH, NO_VALUE, NO_VALUE_EN, TAKERS
from pointsman.planning.places import PLACES
from pointsman.planning.words import FORMAT, NAME, PERIOD, REPORT, Remaining

_ENDING = r"大区|地区|区域|区|省|市|分店|门店|店|分公司|部门|部|产品|系列|渠道|客户"
_UNKNOWN_ZH = re2.compile(rf"^(?:[\p{{Han}}]{{1,6}}?)({_ENDING})$")
_UNKNOWN_EN = re2.compile(r"\b(?:for|in|from|of|at)\s+(?:the\s+)?([a-z][a-z0-9'-]*(?:\s+[a-z][a-z0-9'-]*){0,2})")
_PLACE = re2.compile(f"(?:{'|'.join(sorted(PLACES, key=len, reverse=True))})(?:{_ENDING}|县|州)?")
_LIGHT = rf"(?:一下子?|一[份张个]|[份个]|的|版|格式|[ {FORMAT}])*"
_VALUE = r"(?P<word>[\p{Han}]{2,4})"
_PLACED = tuple(
    re2.compile(rf"(?:{'|'.join(TAKERS)}){_LIGHT}{where}{REPORT}+(?:报表|[^的报总{REPORT}]|$)")
    for where in (rf"{PERIOD}+(?:{FORMAT}+版?)?的? *{_VALUE}{NAME}*", rf"{_VALUE}{NAME}*的? *{PERIOD}+ *的? *")
)
_DONE = re2.compile(r"[了过](?:吗|没|么|嘛)|(?:导出|下载|生成|输出|制作|打印|保存|做|发|拉|导)[好完成]?了")
_MONTH_EN = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_NTH = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:,? ?[0-9]{4})?"
_DATE = re2.compile(
    r"(?:[0-9]{2,4}年)?[0-9]{1,2}月(?:份|[0-9]{1,2}[日号]?)?|[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[日号]|"
    r"\b(?:19|20)[0-9]{2}[-/.][0-9]{1,2}[-/.][0-9]{1,2}\b|\b[0-9]{1,2}/[0-9]{1,2}/20[0-9]{2}\b|"
    rf"\b{_MONTH_EN} {_NTH}{_YEAR}\b|\b{_NTH} (?:of )?{_MONTH_EN}{_YEAR}\b"
)


def take_no_date(remaining: Remaining) -> str | None:
    """Strikes what is written as a date, where all that the calendar has are struck already: 2月30日, 2026年13月."""
    found = [match.span() for match in _DATE.finditer(remaining.left)]
    for start, end in found:
        remaining.strike(start, end, PERIOD)
    return remaining.text[slice(*found[0])] if found else None


def unknown_and_strange(remaining: Remaining) -> tuple[str | None, tuple[str, ...]]:
    """A word that stands where a value would, and what else nobody understood. In Chinese a word is taken for an unknown
    value by its ending (人民路店), as a place that everybody knows (新疆), or, if it is the only one, by where it stands:
    between the period and the report, or before both, as the object of an export (`_placed`)."""
    unknown: list[str] = []
    strange: list[str] = [done[0] for done in _DONE.finditer(remaining.text)]  # 导出了吗
    for piece in remaining.pieces():
        if piece.isascii():
            if piece not in FILLER_EN and not (piece.endswith("'s") and piece[:-2] in FILLER_EN):
                strange.append(piece)
            continue
        for part in _parts(piece):
            (unknown if _UNKNOWN_ZH.search(part) or _PLACE.fullmatch(part) else strange).append(part)
    if unknown or not strange:
        return "、".join(unknown) or None, tuple(strange)
    if placed := _placed(remaining, strange):
        return placed, ()
    found = next((m[1] for m in _UNKNOWN_EN.finditer(remaining.text) if set(m[1].split()) & set(strange)), None)
    if found and set(strange) <= set(found.split()) - NO_VALUE_EN:
        return " ".join(word for word in found.split() if word in strange), ()
    return None, tuple(strange)


def _parts(piece: str) -> list[str]:
    """What a piece says besides filler. Places stay whole: 成都 and 张家口 hold characters that are filler alone."""
    places = [place[0] for place in _PLACE.finditer(piece)]
    if places and not any(map(_without_filler, _PLACE.split(piece))):
        return places
    parts = _without_filler(piece)
    return [*(place for place in places if not any(place in part for part in parts)), *parts]


def _without_filler(piece: str) -> list[str]:
    for word in sorted(FILLER_ZH, key=len, reverse=True):
        piece = piece.replace(word, " ")
    return piece.split()


def _placed(remaining: Remaining, strange: list[str]) -> str | None:
    """The one strange word, of two to four Chinese characters, that stands where a value does: after 导出, 把, 一份 or the
    like come the one period and the word, or the word and the period, and then the report at once (导出上月张江销售报表). A
    verb would have to stand elsewhere, and what is asked of a report follows it (教程, 失败, 的原因). Words that say how,
    not of what (分析, 同比, 模拟, 异常), are no values either: the model may know what to do with them."""
    if len(strange) != 1 or len(re2.findall(f"{PERIOD}+", remaining.left)) != 1:
        return None
    for pattern in _PLACED:
        found = pattern.search(remaining.left)
        word = found["word"] if found else ""
        if word.removeprefix("张") == strange[0].removeprefix("张") and not any(part in word for part in NO_VALUE):
            return word  # 张江: 张 alone is filler
    return None
