"""The handful of texts that stand for all with the same core."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.rulecheck.wholes import closing_part, texts_of
from pointsman.rules.fold import fold
from pointsman.rules.terms import Word
from pointsman.rules.whole import core
from thorough import tries

ENDS = ["!", ".", "?", "~", "_", " ", "😀", ")", "…"]
CORES = ["a", "ab", "报", "a b", "a!b"]
WORDS = ["a", "b", "ab", "报", "a!", "b!", "报!", "!", "!?", "?", "报!?", ".", "b!!", "a b"]

closed = st.builds(
    lambda lead, inner, end: lead + inner + "".join(end),
    st.sampled_from(["", " ", "\n"]),
    st.sampled_from(CORES),
    st.lists(st.sampled_from(ENDS), max_size=6),
)


def occurring(words: list[str], text: str) -> frozenset[str]:
    return frozenset(word for word in words if Word(word).occurs(fold(text)))


@settings(max_examples=tries(450, 1500), deadline=None)
@given(closed, st.lists(st.sampled_from(WORDS), max_size=5, unique=True))
def test_one_of_them_holds_the_same_words(text: str, words: list[str]) -> None:
    key = core(fold(text).text)[0]
    marked = [word for word in words if closing_part(word)]
    texts, exact = texts_of(key, marked, "♪")
    assert texts
    assert all(core(fold(each).text)[0] == key for each in texts)
    if exact:
        assert occurring(words, text) in {occurring(words, each) for each in texts}


def test_what_a_word_closes_with() -> None:
    assert [closing_part(word) for word in ("hi!", "c++", "?!", ".py", "a_", "报表")] == ["!", "", "?!", "", "_", ""]


def test_too_many_marks_are_not_said_to_be_all() -> None:
    assert texts_of("a", ["!"], "♪")[1]
    assert not texts_of("a", ["!", "?", "~", "."], "♪")[1]
    assert not texts_of("a", ["!"], None)[1]
    assert not texts_of("算了", ["!"], "♪")[1]
    assert texts_of("...", [], None) == (["..."], True)
