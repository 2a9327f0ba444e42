"""Identity cards and bank cards: numbers that prove themselves by a check digit."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.scan import DIGIT_BYTES, MOST_LOOKS, WORD_BYTES, Find, byte_at, looks, touches_word

_ID: Any = re2.compile(r"[1-8][0-9]{5}[ -]?(?:18|19|20)[0-9]{2}[01][0-9][0-3][0-9][ -]?[0-9]{3}[0-9Xx]")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECK = "10X98765432"
_REGIONS = frozenset(
    """
    11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83
    """.split()  # noqa: SIM905
)

_RUN: Any = re2.compile(r"[0-9](?:[ -]?[0-9]){12,}")
_GROUP: Any = re2.compile(r"[0-9]+")
_ISSUERS: Any = re2.compile(
    r"4[0-9]{12}|4[0-9]{15}|4[0-9]{18}|5[1-5][0-9]{14}|2(?:2[2-9]|[3-6][0-9]|7[01])[0-9]{13}"
    r"|2720[0-9]{12}"  # Visa, Mastercard
    r"|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|35(?:2[89]|[3-8][0-9])[0-9]{12}"  # American Express, Diners, JCB
    r"|6(?:011|5[0-9]{2})[0-9]{12}|62[0-9]{14,17}|60[0-9]{14,17}|(?:9558|9559|9400"
    r"|9555)[0-9]{12,15}"  # Discover, UnionPay and its elders
)
_SHAPES = frozenset(
    {
        (4, 4, 4, 4),
        (4, 6, 5),
        (4, 6, 4),
        (4, 4, 4, 4, 1),
        (4, 4, 4, 4, 2),
        (4, 4, 4, 4, 3),
        (6, 13),
        (6, 10),
        (4, 4, 4, 1),
    }
)
_DOUBLED = tuple(sum(divmod(2 * n, 10)) for n in range(10))


def find_id_cards(data: bytes) -> Iterator[Find]:
    """Numbers of 18 places with a date of birth and the right check digit."""
    for match in looks(_ID, data):
        start, end = match.span()
        if not touches_word(data, start, end):
            number = match.group().replace(b" ", b"").replace(b"-", b"").decode().upper()
            if is_id_card(number):
                yield Find(start, end, number)


def is_id_card(number: str) -> bool:
    """`number`: 17 digits and a digit or X."""
    if number[:2] not in _REGIONS:
        return False
    try:
        datetime.date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    return _CHECK[sum(int(c) * w for c, w in zip(number, _WEIGHTS, strict=False)) % 11] == number[17]


def find_bank_cards(data: bytes) -> Iterator[Find]:
    """Numbers of 13 to 19 digits of a known issuer whose Luhn sum is right, whole or in the groups that cards show."""
    checks = 0
    for match in looks(_RUN, data):
        start, _end = match.span()
        groups = [(start + group.start(), start + group.end()) for group in looks(_GROUP, match.group())]
        index = 0
        while index < len(groups) and checks < MOST_LOOKS:
            checks += 1
            count = _card_groups(data, groups, index)
            if count:
                begin, finish = groups[index][0], groups[index + count - 1][1]
                number = data[begin:finish].replace(b" ", b"").replace(b"-", b"").decode()
                if _ISSUERS.fullmatch(number) and luhn(number) and not (len(number) == 18 and is_id_card(number)):
                    yield Find(begin, finish, number)
                index += count
            else:
                index += 1


def _card_groups(data: bytes, groups: list[tuple[int, int]], index: int) -> int:
    """How many groups from there on look like one card by itself; 0 if none do."""
    start, end = groups[index]
    if byte_at(data, start - 1) in WORD_BYTES:
        return 0
    if 13 <= end - start <= 19:
        joined = (byte_at(data, start - 1) == 0x2D and byte_at(data, start - 2) in DIGIT_BYTES) or (
            byte_at(data, end) == 0x2D and byte_at(data, end + 1) in DIGIT_BYTES
        )
        return 0 if joined or byte_at(data, end) in WORD_BYTES else 1
    if end - start not in (4, 6):
        return 0
    mark = byte_at(data, end)
    if index and byte_at(data, start - 1) == mark and groups[index - 1][1] - groups[index - 1][0] == end - start:
        return 0  # the middle of something longer
    count = 1
    sizes = [end - start]
    while index + count < len(groups) and data[groups[index + count][0] - 1] == mark and count < 7:
        sizes.append(groups[index + count][1] - groups[index + count][0])
        count += 1
    for count in range(min(5, len(sizes)), 1, -1):
        if tuple(sizes[:count]) in _SHAPES and (len(sizes) == count or sizes[count] != 4):
            last = groups[index + count - 1][1]
            return 0 if byte_at(data, last) in WORD_BYTES else count
    return 0


def luhn(number: str) -> bool:
    """The check of bank cards, from the right: every second digit doubled, the sum a multiple of ten."""
    digits = [ord(c) - 48 for c in reversed(number)]
    return (sum(digits[::2]) + sum(_DOUBLED[n] for n in digits[1::2])) % 10 == 0


def may_hold(data: bytes) -> bool:
    return _HOLDS.search(data) is not None


_HOLDS: Any = re2.compile(r"[0-9０-９]{4}")
