from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pointsman.rules.fold import fold

any_text = st.text(st.characters(codec=None, categories=None), max_size=30)


@given(any_text)
def test_folding_is_one_to_one_and_idempotent(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.words) == (len(text) if folded.offsets is None else len(folded.offsets))
    again = fold(folded.text)
    assert again.text == folded.text
    assert again.words == folded.words
    assert again.offsets is None
    folded.text.encode("utf-8")


def test_case_width_spaces_and_quotes_fold() -> None:
    assert fold("ＰＤＦ Ｑ１（Ａ）　don’t “x” ÄΣς").text == 'pdf q1(a) don\'t "x" äσσ'


def test_letters_whose_lower_case_is_longer_stay_one() -> None:
    assert fold("İß ẞ").text == "iß ß"


def test_offsets_after_characters_outside_the_basic_plane_and_lone_surrogates() -> None:
    folded = fold("😀A\ud800B")
    assert folded.text == "😀a\ufffdb"
    assert folded.offsets is None


def test_the_invisible_is_dropped_and_offsets_point_into_the_original() -> None:
    text = "导\u200b出\u00adP\ufeffDF"
    folded = fold(text)
    assert folded.text == "导出pdf"
    assert text[slice(*folded.original(0, 2))] == "导\u200b出"
    assert folded.original(5, 5) == (len(text), len(text))


def test_words_blank_out_what_is_no_spaced_script() -> None:
    assert fold("导出PDF_1报表é-я한x").words == "  pdf_1  é я x"
    assert fold("a-b c").words == "a b c"
