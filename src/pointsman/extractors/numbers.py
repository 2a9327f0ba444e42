"""Plain numbers: quantities, not the digits of names, versions, dates, times, addresses and cards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors import cards, contacts, phones
from pointsman.extractors.numerals import EN_SCALE, ZH_CHARACTERS, ZH_SCALE, number_of
from pointsman.extractors.scan import DIGIT_BYTES, WORD_BYTES, Find, byte_at, looks

_RUN: Any = re2.compile(
    rf"[A-Za-z_.,:/\\@#\-]*[0-9][0-9A-Za-z_.,:/\\@\-]*|[{ZH_CHARACTERS}]{{2,24}}(?:点[零〇一二三四五六七八九]{{1,8}})?"
    rf"|[零一二两三四五六七八九十]点[零〇一二三四五六七八九]{{1,8}}"
)
_PLAIN: Any = re2.compile(r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,18})(?:\.[0-9]{1,12})?(?:[eE][+-]?[0-9]{1,2})?")
_WITH_UNIT: Any = re2.compile(
    r"([0-9]{1,12}(?:\.[0-9]{1,6})?)(?:kg|g|mg|t|km|m|cm|mm|nm|ml|mL|l|L|[KMGTkmgt]i?[Bb]|[KMG]bps|ms|s|min|mins|h"
    r"|hr|hrs|px|pt|"
    r"kW|kWh|W|V|mA|mAh|A|Hz|kHz|MHz|GHz|fps|dpi|lb|lbs|oz|ft|USD|EUR|GBP|HKD|JPY|CNY|RMB|rmb|usd|k|K)"
)
_BEFORE_MONEY = (b"$", "¥".encode(), "￥".encode(), "€".encode(), "£".encode())
_SCALE: Any = re2.compile(rf" ?(?:({ZH_SCALE})|({EN_SCALE})\b)")
_SCALE_STARTS = frozenset(c.encode()[0] for c in "百千万亿十") | {0x20}
_LETTER_BYTES = WORD_BYTES - DIGIT_BYTES
_MONEY = ("元".encode(), "块".encode())
_GROUPED: Any = re2.compile(r"[0-9]{4}[ -][0-9]{4}")
_LONG: Any = re2.compile(r"[0-9](?:[ ()-]{0,2}[0-9]){6}")
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_NUMERAL = "[零〇一二三四五六七八九十]"
_WHEN: Any = re2.compile(  # dates and times, whose digits are no quantity
    rf"(?i)\b(?:19|20)[0-9]{{2}} ?(?:年|財年|财年)(?: ?[0-9]{{1,2}} ?月(?:份| ?[0-9]{{1,2}} ?[日号號])?)?"
    rf"|\b[0-9]{{2}}年[0-9]{{1,2}}月(?:[0-9]{{1,2}}[日号號]?)?"
    r"|\b[0-9]{1,2} ?月(?:份| ?[0-9]{1,2} ?[日号號]?)?|\b[0-9]{1,2} ?[日号號]"
    r"|\b[0-9]{1,2}[点點时時](?:[0-9]{1,2}分?|半|整|钟)?(?:[0-9]{1,2}秒)?|\b[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:am\b|pm\b|a\.m\b"
    r"|p\.m\b|o'clock)"
    rf"|\b{_MONTH}\.? [0-9]{{1,2}}(?:st|nd|rd|th)?\b(?:,? (?:19|20)[0-9]{{2}}\b)?|\b[0-9]{{1,2}}(?:st|nd|rd"
    rf"|th)? (?:of )?{_MONTH}\b(?:,? (?:19|20)[0-9]{{2}}\b)?"
    rf"|\b{_MONTH},? (?:19|20)[0-9]{{2}}\b|\b(?:19|20)[0-9]{{2}}[-/.][0-9]{{1,2}}(?:[-/.][0-9]{{1,2}})?\b"
    rf"|{_NUMERAL}{{4}}年|[一二三四五六七八九十]{{1,2}}月(?:份|[一二三四五六七八九十]{{1,3}}[日号號]?)?|[一二三四五六七八九十]{{2,3}}[日号號]"
    rf"|[一二三四五六七八九十]{{1,3}}[点點](?:{_NUMERAL}{{1,3}}[分刻]|半|整|钟)|(?:上午|下午|早上|晚上|中午"
    rf"|凌晨)[一二三四五六七八九十]{{1,3}}[点點](?:{_NUMERAL}{{1,3}})?"
    r"|\b[0-9]{2}后|[一二]?十[一二三四五六七八九]?世纪|\b[0-9]{1,2}世纪"
    r"|\b(?:in|since|until|during|by|year) (?:19|20)[0-9]{2}\b|\b(?:19|20)[0-9]{2} ?[-–~至到] ?(?:19|20)[0-9]{2}\b"
    r"|[双雙]十[一二]|国庆十一|十一(?:黄金|长假|假期|国庆|放假|期间|小长假)|(?:周|星期|礼拜)[0-9]"
)
_IDIOMS: Any = re2.compile(
    "一五一十|十万火急|三十六计|十万八千里|五十步笑|三百六十行|七十二变|七十二行|一千零一夜|百分百|二百五|八九不离十|七七八八|十有八九|一百八十度|十拿九稳|十全十美"
)
_VERSIONED: Any = re2.compile(
    r"(?i)(?:\b(?:version|ver|release|python|node|java|jdk|php|mysql|postgres|postgresql|redis|windows|ios|android"
    r"|chrome|ubuntu|macos|"
    r"golang|go|rust|gcc|cuda|django|vue|react|typescript|kubernetes|docker|spring|pytorch|tensorflow)|版本号?|系统)[ :：]?$"
)


def find(data: bytes) -> Iterator[Find]:
    taken = _taken(data)
    at = 0
    for match in looks(_RUN, data):
        start, end = match.span()
        while at < len(taken) and taken[at][1] <= start:
            at += 1
        if data[start] > 127:
            if not _overlaps(taken, at, start, end):
                yield from _zh(data, start, end)
            continue
        run = data[start:end]
        for found in _number(data, start, run, False) if run.isdigit() else _latin(data, start, run):
            if not _overlaps(taken, at, found.start, found.end):
                yield found


def _taken(data: bytes) -> list[tuple[int, int]]:
    """What is a date, a time, a telephone number, a card, an address: in order of their beginnings."""
    taken = [match.span() for match in looks(_WHEN, data)]
    if _LONG.search(data) is not None:
        taken += [found[:2] for found in phones.find(data)]
    if _GROUPED.search(data) is not None:
        taken += [found[:2] for finder in (cards.find_id_cards, cards.find_bank_cards) for found in finder(data)]
    if contacts.may_hold_url(data):
        taken += [found[:2] for found in contacts.find_urls(data)]
    taken.sort()
    return taken


def _overlaps(taken: list[tuple[int, int]], at: int, start: int, end: int) -> bool:
    while at < len(taken) and taken[at][0] < end:
        if taken[at][1] > start:
            return True
        at += 1
    return False


def _latin(data: bytes, start: int, run: bytes) -> Iterator[Find]:
    """The numbers of a run of letters, digits and the marks that join them."""
    run = run.rstrip(b".,:/\\-@")
    whole = len(run)
    run = run.lstrip(b".,:/\\@#")
    start += whole - len(run)
    if b"@" in run or b"\\" in run or b"_" in run:
        return
    if b"," in run and not _PLAIN.fullmatch(run.lstrip(b"-")):
        for piece in run.split(b","):
            if piece:
                yield from _piece(data, start, piece)
            start += len(piece) + 1
        return
    yield from _piece(data, start, run)


def _piece(data: bytes, start: int, piece: bytes) -> Iterator[Find]:
    label, colon, rest = piece.rpartition(b":")
    if colon and label.isalpha():
        start, piece = start + len(label) + 1, rest
    negative = False
    if piece.startswith(b"-"):
        negative = byte_at(data, start - 1) not in WORD_BYTES and data[start - 1 : start] not in (b"%", b")")
        piece = piece[1:]
        start += 1
    first, dash, last = piece.partition(b"-")
    if dash:
        if _PLAIN.fullmatch(first):
            if _PLAIN.fullmatch(last):  # a range: two numbers
                yield from _number(data, start, first, False)
                yield from _number(data, start + len(first) + 1, last, False)
            elif last.isalpha():  # 10-day
                yield from _number(data, start, first, negative)
        return
    value, slash, per = piece.partition(b"/")
    yield from _number(data, start, value if slash and per.isalpha() else piece, negative)


def _number(data: bytes, start: int, written: bytes, negative: bool) -> Iterator[Find]:
    if not written.isdigit() and not _PLAIN.fullmatch(written):
        match = _WITH_UNIT.fullmatch(written)
        if not match:
            return
        if written[-1] in b"kK":  # of money; otherwise 4k is a screen
            if not (
                data[max(0, start - 3) : start].endswith(_BEFORE_MONEY) or data.startswith(_MONEY, start + len(written))
            ):
                return
            written = written[:-1]
            value = number_of(written.decode(), "k")
            end = start + len(written) + 1
            if value is not None:
                yield Find(start - negative, end, -value if negative else value)
            return
        written = match.group(1)
    end = start + len(written)
    if data[start - 1 : start] == b"+" and byte_at(data, start - 2) in _LETTER_BYTES:
        return  # UTC+8
    if (
        (len(written) > 12 and written.isdigit())
        or (written[0] == 0x30 and written[1:2].isdigit())
        or (b"." in written and byte_at(data, start - 1) in WORD_BYTES)
    ):
        return  # 007 is a code; what is as long is a card, an order, a moment
    if _VERSIONED.search(data[max(0, start - 24) : start]) is not None:
        return
    text = written.decode()
    scale = _SCALE.match(data, end) if byte_at(data, end) in _SCALE_STARTS else None
    if b"e" in written or b"E" in written:
        value = float(text)
    elif scale:
        value = number_of(text, scale.group().decode())
        end = scale.end()
    else:
        value = int(text) if written.isdigit() else number_of(text)
    if value is not None:
        yield Find(start - negative, end, -value if negative else value)


_BEFORE_QUANTITY = tuple(c.encode() for c in "第初" + ZH_CHARACTERS + "0123456789")


def _zh(data: bytes, start: int, end: int) -> Iterator[Find]:
    word = data[start:end].decode()
    if len(word) < 2 or _IDIOMS.match(data, start) or data.endswith(_BEFORE_QUANTITY, 0, start):
        return
    if "点" in word and data.startswith(("分".encode(), "刻".encode(), "十".encode(), "半".encode()), end):
        return
    value = number_of(word)
    if value is not None:
        yield Find(start, end, value)


_HOLDS: Any = re2.compile(rf"[0-9０-９]|[{ZH_CHARACTERS}]{{2}}|点")


def may_hold(data: bytes) -> bool:
    return _HOLDS.search(data) is not None
