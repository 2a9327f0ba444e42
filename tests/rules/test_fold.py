from __future__ import annotations

import unicodedata

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.domain.rule import Conditions, Group, Rule, Term
from pointsman.rules import characters, compile_rules, negation
from pointsman.rules import fold as folding
from pointsman.rules.cases import plain_features
from pointsman.rules.characters import blanked, is_word, word_after, word_before
from pointsman.rules.fold import Folded, fold
from pointsman.rules.look_alikes import LATIN
from thorough import tries

KNOTS = [
    *(
        "导",
        "出",
        "報",
        "别",
        "表格",
        "a",
        "b",
        "Z",
        "c",
        "é",
        "_",
        "1",
        " ",
        " ",
        "  ",
        "\u3000",
        "\t",
        "\n",
        "，",
        "x y ",
    ),
    *(
        ".",
        "·",
        "*",
        "-",
        "_",
        "~",
        "|",
        "、",
        "。",
        "\u200b",
        "\u0336",
        "\u0301",
        "\u0308",
        "а",
        "р",
        "Η",
        "η",
        "и",
        "Ω",
    ),
    *(
        "𝐩",
        "ⓐ",
        "Ⓑ",
        "²",
        "⑩",
        "Ⅷ",
        "\ud800",
        "😀",
        "导 出 报 表",
        "导.出.报.表",
        "导·出·报",
        "p a s s ",
        "p a a",
        " q",
    ),
]
KNOWN = [knot for knot in KNOTS if knot not in ("Ω", "\ud800")]
any_text = st.one_of(
    st.text(st.characters(codec=None, categories=None), max_size=30),
    st.lists(st.sampled_from(KNOTS), max_size=16).map("".join),
)


def places(folded: Folded) -> list[int]:
    return [folded.original(place, place + 1)[0] for place in range(len(folded.text))]


@given(any_text)
def test_folding_is_one_to_one_and_idempotent(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) + len(folded.gone) == len(text)
    assert folded.data == folded.text.encode()
    assert folded.source == text
    again = fold(folded.text)
    assert again.text == folded.text
    assert not again.gone
    kept = places(folded)
    assert kept == sorted(set(kept))
    for place, character in zip(kept, folded.text, strict=True):
        alone = fold(text[place]).text
        plain = unicodedata.normalize("NFKC", text[place])
        assert character == alone or ord(character) in {LATIN.get(ord(one)) for one in (alone, text[place], plain[0])}


@given(any_text)
def test_places_of_the_original_are_found_again(text: str) -> None:
    folded = fold(text)
    kept = places(folded)
    for place in range(len(text) + 1):
        assert folded.place(place) == sum(one < place for one in kept)


@settings(max_examples=tries(450, 1500), deadline=None)
@given(st.lists(st.sampled_from(KNOWN), max_size=16).map("".join))
def test_folding_agrees_with_the_oracle(text: str) -> None:
    folded = fold(text)
    assert (folded.text, places(folded)) == oracle.folded(text)


@given(st.lists(st.sampled_from(KNOTS), max_size=16).map("".join), st.integers(100, 200))
def test_a_long_text_folds_as_a_short_one(text: str, size: int) -> None:
    """Long texts take another way through the same steps."""
    short, long = fold(text + "\n。"), fold(text + "\n" + "。" * size)
    assert long.text.rstrip("。") == short.text[:-1]
    assert (long.gone, long.simple) == (short.gone, short.simple)


@given(st.lists(any_text, max_size=5).map("".join))
def test_a_text_in_blocks_folds_the_same(text: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folding, "_BLOCK", 3)
        blocks = fold(text)
    whole = fold(text)
    assert (blocks.text, blocks.gone, blocks.simple) == (whole.text, whole.gone, whole.simple)


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


def test_traditional_characters_are_simplified_one_by_one() -> None:
    assert (
        fold("幫我導出這個月的銷售報表，裏面後來沒有著於麼麽乾").text
        == "帮我导出这个月的销售报表,里面后来没有着于么么干"
    )
    assert fold("里后干么藉瞭像沈一龥").text == "里后干么藉瞭像沈一龥"
    assert fold("⾨戶豈㊙").text == "门户岂秘"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("导 出 报 表", "导出报表"),
        ("导  出\u3000报\u00a0表", "导出报表"),
        ("请导 出 报 表格", "请导 出 报 表格"),
        ("PDF导 出 报 表,好", "pdf导出报表,好"),
        ("日报 表格", "日报 表格"),
        ("你好 世界 大家", "你好 世界 大家"),
        ("导 出", "导 出"),
        ("导   出   报", "导   出   报"),
        ("导\t出\t报", "导\t出\t报"),
        ("导、出、报、表", "导、出、报、表"),
        ("导，出，报，表。", "导,出,报,表。"),
        ("导.出.报", "导.出.报"),
        ("导.出*报.表", "导.出*报.表"),
        ("导..出..报..表", "导..出..报..表"),
        *((sign.join("导出报表"), "导出报表") for sign in ".·*-_~|．＊－＿～｜"),
        ("导.出.报.表 一 二", "导出报表 一 二"),
        ("一 二 三.四.五", "一二三.四.五"),
    ],
)
def test_parted_ideographs(text: str, folded: str) -> None:
    assert fold(text).text == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("my p a s s w o r d please", "my password please"),
        ("请告诉我p a s s w o r d！", "请告诉我password!"),
        ("Ｐ\u00a0ａ s s", "pass"),
        ("p a s sword", "p a s sword"),
        ("x1p a s s", "x1p a s s"),
        ("ép a s s", "ép a s s"),
        ("a b c", "a b c"),
        ("p a s  s", "p a s  s"),
        ("p a s s  w o r d", "pass  word"),
        ("a a a a", "a a a a"),
        ("a b " * 33, "a b " * 33),
        ("1 2 3 4", "1 2 3 4"),
    ],
)
def test_letters_that_are_spelt_out(text: str, folded: str) -> None:
    assert fold(text).text == folded


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("раssword Ρassword pаsswоrd", "password password password"),
        ("Ηello ηello", "hello nello"),
        ("ра\u200bss", "pass"),
        ("р𝐚ss", "pass"),
        ("рa1", "pa1"),
        ("Привет МИР ΗΝ", "привет мир ην"),
        ("пароль_x USB-кабель", "пароль_x usb-кабель"),
        ("10 kΩ, ΔT, γx", "10 kω, δt, γx"),
    ],
)
def test_look_alikes_are_latin_in_mixed_words(text: str, folded: str) -> None:
    assert fold(text).text == folded


def test_the_capital_of_a_small_look_alike_is_one_too() -> None:
    """Else the capital would become small first, and then look like another letter than it did."""
    for character in map(chr, LATIN):
        assert ord(character.upper()) in LATIN


def test_other_ways_of_writing_a_letter() -> None:
    assert fold("𝐩𝓪𝖘𝚜 ⓟⒶ 🄿🅐🅿 ᵖₐ ²₃① Ⅹⅴ ℌ").text == "pass pa pap pa 231 xv h"
    assert fold("⑩ Ⅷ ½ ㈱ ™ ℹ ⁺").text == "⑩ ⅷ ½ ㈱ ™ ℹ ⁺"


def test_piled_accents_and_strokes_are_dropped_and_one_accent_stays() -> None:
    assert fold("d\u0336r\u0335o\u0337p t\u0301\u0308\u0323able 导\u0336出").text == "drop table 导出"
    assert fold("x" + "".join(map(chr, range(0x334, 0x339))) + "\U000e0041y").text == "xy"
    assert fold("cafe\u0301 и\u0306\u0301").text == "cafe\u0301 и\u0306\u0301"


def test_every_capital_becomes_small() -> None:
    for point in range(0x80, 0x10000):
        character = chr(point)
        if len(character.lower()) == 1 and not 0xD800 <= point < 0xE000:
            assert fold(character).text in ("", fold(character.lower()).text)


def test_a_match_in_the_original_is_the_whole_obfuscated_piece() -> None:
    for piece in (
        "導 出 報 表",
        "导*出*报*表",
        "раsswоrd",
        "p a s s w o r d",
        "𝐩\u200bａ\u0336ⓢs w o r d"[:8],
        "d\u0301\u0302rop",
    ):
        text = f"请，😀 {piece}！"
        folded = fold(text)
        start = folded.text.index("😀") + 2
        assert text[slice(*folded.original(start, len(folded.text) - 1))] == piece


def test_what_is_dropped_in_both_steps_keeps_the_places() -> None:
    for text in ("导\u200b 出 \u200b报\u200b", "a\u200b\u0301\u0301\u200bb", "\u200bp\u200b a\u200b s s\u200b"):
        folded = fold(text)
        assert (folded.text, places(folded)) == oracle.folded(text)


RULE = Rule(
    id="export",
    pack="p",
    priority=1,
    groups=(
        Group("verb", (Term("word", "導出"), Term("word", "drop"))),
        Group("what", (Term("regex", "[報]表|table"),)),
    ),
    none=(),
    conditions=Conditions(),
    action="x",
)


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("导出报表", True),
        ("導 出 報 表", True),
        ("导.出.报.表", True),
        ("d r o p the t a b l e", True),
        ("drоp a t\u0301\u0301able", True),
        ("不 要 导 出 报 表", False),
        ("不 要 導出報表", True),  # two single ideographs are no run, so the negator is not read
        ("別導出報表", False),
        ("不要導出報表", False),
        ("无.需.导.出.报表", False),
        ("d o n ' t drop the table", True),  # nor are letters with an apostrophe
        ("don’t drор the t a b l e", False),
        ("n e v e r drop the table", False),
        ("特 别 导 出 报 表", True),
    ],
)
def test_rules_and_negation_see_through_it(text: str, taken: bool) -> None:
    hit = compile_rules([RULE]).match(text, plain_features(text), entry="auto", endpoint="chat", role=None)
    assert (hit is not None) is taken


def test_negators_are_spelt_as_folding_leaves_them() -> None:
    for word in negation._NEGATORS:
        assert fold(word).text == word
