"""Pieces of a text: each once, the same for spellings that are one, bounded however long the text is."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.simplified import simplified
from pointsman.learning.pieces import HEAD, TAIL, pieces, plain


def test_words_pairs_and_beginnings() -> None:
    assert pieces("please translate 1234567") == [
        *("please", "^ please", "pleas*", "translate", "please translate", "trans*", "0000", "translate 0000")
    ]


def test_ideographs_and_their_pairs() -> None:
    assert pieces("翻译这句 ok") == [*("翻", "译", "这", "句", "翻译", "译这", "这句"), "ok", "句 ok"]


def test_one_spelling() -> None:
    assert plain("請翻譯：ＯＫ") == plain("请翻译:ok") == "请翻译:ok"
    assert plain("Hello") == "hello"


@given(st.text(max_size=300))
def test_each_once_and_no_line_breaks(text: str) -> None:
    found = pieces(plain(text))
    assert len(found) == len(set(found))
    assert not any("\n" in piece for piece in found)
    assert not any(piece[0] == "@" and piece[1:2].isalpha() for piece in found)


def test_of_a_long_text_the_beginning_and_the_end() -> None:
    text = plain("a" * 5000 + "b" * 5000)
    assert len(text) == HEAD + TAIL + 1
    assert text.startswith("a") and text.endswith("b")


@given(st.text(max_size=60) | st.text("ＡＺａ０！～　①ﬁé́ﾊﾟ請个。，:", max_size=20))
def test_the_quick_way_folds_as_the_long_one(text: str) -> None:
    low = text.lower()
    long = low if low.isascii() else unicodedata.normalize("NFKC", low).lower().translate(simplified())
    assert plain(text) == long
