from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.rules import characters
from pointsman.rules import fold as folding
from pointsman.rules.characters import blanked, is_word, word_after, word_before
from pointsman.rules.fold import Folded, fold

any_text = st.text(st.characters(codec=None, categories=None), max_size=30)


def places(folded: Folded) -> list[int]:
    return [folded.original(place, place + 1)[0] for place in range(len(folded.text))]


@given(any_text)
def test_folding_is_one_to_one_and_idempotent(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) + len(folded.gone) == len(text)
    assert folded.data == folded.text.encode()
    again = fold(folded.text)
    assert again.text == folded.text
    assert not again.gone
    kept = places(folded)
    assert kept == sorted(set(kept))
    assert [fold(text[place]).text for place in kept] == list(folded.text)


@given(st.lists(any_text, max_size=5).map("".join))
def test_a_text_in_blocks_folds_the_same(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "_BLOCK", 3)
        blocks = fold(text)
    whole = fold(text)
    assert (blocks.text, blocks.gone) == (whole.text, whole.gone)


def test_case_width_spaces_and_quotes_fold() -> None:
    assert fold("ＰＤＦ Ｑ１（Ａ）　don’t “x” ÄΣς").text == 'pdf q1(a) don\'t "x" äσσ'


def test_letters_whose_lower_case_is_longer_stay_one() -> None:
    assert fold("İß ẞ").text == "iß ß"


def test_characters_outside_the_basic_plane_and_lone_surrogates() -> None:
    folded = fold("😀A\ud800B")
    assert folded.text == "😀a\ufffdb"
    assert not folded.gone


def test_the_invisible_is_dropped_and_places_point_into_the_original() -> None:
    text = "导\u200b出\u00adP\ufeffDF"
    folded = fold(text)
    assert folded.text == "导出pdf"
    assert text[slice(*folded.original(0, 2))] == "导\u200b出"
    assert folded.original(5, 5) == (len(text), len(text))


def test_a_text_of_many_different_capitals() -> None:
    capitals = "".join(map(chr, range(0x391, 0x3A0))) + "".join(map(chr, range(0x410, 0x430))) + "\uffff\u200b"
    assert fold(capitals * 2).text == (capitals[:-2].lower() + "\ufffd") * 2


def test_words_are_runs_of_letters_of_spaced_scripts() -> None:
    text = "导出PDF_1报表é-я한x a-b c"
    assert "".join(c if is_word(c) else " " for c in fold(text).text) == "  pdf_1  é я x a b c"
    assert not is_word("")


@given(any_text)
def test_words_of_a_text_are_its_runs_of_word_characters(text: str) -> None:
    folded = fold(text)
    runs = "".join(c if is_word(c) else " " for c in folded.text).split()
    found = [word for word in blanked(folded.text, folded.data, folded.simple).split() if b"\x7f" not in word]
    assert [word.decode() for word in found] == [run for run in runs if run.isascii()]


def test_a_letter_outside_ascii_cuts_no_word_in_two() -> None:
    folded = fold("naïve ve \x7f na")
    words = blanked(folded.text, folded.data, folded.simple).split()
    assert (words.count(b"ve"), words.count(b"na")) == (1, 1)


@given(any_text)
def test_neighbours_are_told_from_the_bytes(text: str) -> None:
    folded = fold(text)
    place = 0
    for before, character in zip(["", *folded.text], [*folded.text, ""], strict=True):
        assert word_before(folded.data, place) is is_word(before)
        assert word_after(folded.data, place) is is_word(character)
        place += len(character.encode())


def test_ranges_are_runs() -> None:
    assert characters.ranges([5, 1, 2, 3, 5, 9]) == [(1, 3), (5, 5), (9, 9)]
