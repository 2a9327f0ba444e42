"""The table of simplified characters against the dictionary it was made from, where OpenCC is installed."""

from __future__ import annotations

import pytest

from pointsman.domain.simplified import SIMPLIFIED, TRADITIONAL

OURS = {"著": "着"}


def test_no_character_is_both_traditional_and_simplified() -> None:
    assert len(set(TRADITIONAL)) == len(TRADITIONAL) == len(SIMPLIFIED)
    assert not set(TRADITIONAL) & set(SIMPLIFIED)
    assert all(0x4E00 <= ord(character) <= 0x9FFF for character in TRADITIONAL + SIMPLIFIED)


def test_the_table_is_that_of_opencc() -> None:
    convert = pytest.importorskip("opencc").OpenCC("t2s").convert
    expected = dict(OURS)
    for character in map(chr, range(0x4E00, 0xA000)):
        last, following = character, convert(character)
        while following != last and len(following) == 1 and 0x4E00 <= ord(following) <= 0x9FFF:
            last, following = following, convert(following)
        if last != character:
            expected[character] = last
    assert dict(zip(TRADITIONAL, SIMPLIFIED, strict=True)) == expected
