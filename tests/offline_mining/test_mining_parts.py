"""What mining is put together from: bits, terms, intervals, likelihoods, acts."""

from __future__ import annotations

import sys
from math import log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.rule import Term
from pointsman.offline.mining import parsed as parsed_module
from pointsman.offline.mining.acts import COMMONEST, FORMS, acts_of
from pointsman.offline.mining.corpus import Corpus, bits_of, places_of
from pointsman.offline.mining.estimate import parts, wilson
from pointsman.offline.mining.intent import Intent
from pointsman.offline.mining.parsed import MissingSegmenter, parse
from pointsman.offline.mining.pattern import Pattern, Terms
from pointsman.offline.mining.seeds import _likelihood, seeds
from pointsman.rules.fold import fold
from pointsman.rules.regex import compile_regex
from pointsman.rules.terms import compile_term

PLACES = st.sets(st.integers(0, 300))
WORDS = ["报表", "导出", "pdf", "csv", "wi-fi", "q1", "销售报表", "表"]
TEXTS = st.lists(st.sampled_from([*WORDS, " ", "x", "，", "1", "报"]), max_size=8).map("".join)


def corpus_of(*texts: str) -> Corpus:
    return Corpus([parse(text) for text in texts], [1] * len(texts))


@given(PLACES)
def test_bits_are_the_places(places: set[int]) -> None:
    bits = bits_of(places)
    assert bits == sum(1 << place for place in places)
    assert places_of(bits) == sorted(places)


def test_weights_count_how_often_a_question_was_asked() -> None:
    corpus = Corpus([parse("导出报表"), parse("你好"), parse("导出数据")], [3, 5, 2])
    assert corpus.total == 10
    assert corpus.counts["导出"] == 5
    assert corpus.weight(corpus.bits("导出")) == 5
    assert corpus.weight(corpus.all) == 10


@given(st.lists(TEXTS, max_size=6), st.sampled_from(WORDS))
def test_a_word_is_where_the_engine_finds_it(texts: list[str], word: str) -> None:
    corpus = corpus_of(*texts)
    finder = compile_term(Term("word", word))
    expected = [place for place, text in enumerate(texts) if finder.occurs(fold(text))]
    assert places_of(Terms(corpus).bits(word)) == expected


def test_a_pattern_holds_where_its_groups_do_and_nothing_excludes() -> None:
    texts = ("导出上周报表", "导出报表的函数", "导出数据", "上周报表", "怎么导出上周报表")
    terms = Terms(corpus_of(*texts))
    pattern = Pattern((("导出",), ("报表", "$period")), ("函数", "/怎.?/"))
    assert places_of(terms.hits(pattern)) == [0]
    assert places_of(terms.holding(pattern.groups)) == [0, 1, 4]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("把上周五销售报表导出为PDF", {"export"}),
        ("怎么导出报表", {"export", "how"}),
        ("写一个导出报表的函数", {"export", "write", "code"}),
        ("分析一下上周的销售", {"analyse"}),
        ("销售分析报表", set()),
        ("对比数据", set()),
        ("对比两个季度", {"analyse"}),
        ("导出失败", {"export", "trouble"}),
        ("this debugging session", set()),
        ("how do I export it", {"export", "how"}),
        ("这个月的订单", set()),
        ("这个订单", {"refer"}),
        ("昨天导出的报表", {"export", "done"}),
    ],
)
def test_acts(text: str, expected: set[str]) -> None:
    assert set(acts_of(fold(text).text)) >= expected
    if not expected:
        assert acts_of(fold(text).text) == {}


def test_words_of_acts_stand_as_they_were_written() -> None:
    assert acts_of("分析一下")["analyse"] == ("分析",)
    assert acts_of("分析")["analyse"] == ("分析",)
    for form in [*FORMS.values(), *(word for words in COMMONEST.values() for word in words if word[0] == "/")]:
        compile_regex(form.strip("/"))


def test_a_question_taken_apart() -> None:
    seen = parse("把２０２６年３月的销售报表导出成 PDF，发到 a@b.cn")
    assert {"$period", "$format", "$email", "#export", "pdf", "报表", "导出"} <= seen.features
    assert not {"把", "的", "到"} & seen.features
    assert seen.words[1] == "$period"


def test_one_is_a_word_and_7_is_a_number() -> None:
    assert "$number" not in parse("来一份日报").features
    assert "$number" in parse("第7行").features


def test_without_rjieba_it_is_said_how_to_come_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed_module._segmenter.cache_clear()
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with pytest.raises(MissingSegmenter, match=r"pointsman\[mine\]") as caught:
        parse("你好")
    assert "rjieba" in caught.value.args[0].zh


@given(st.integers(1, 500).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
def test_wilson_bounds_are_where_the_share_is_just_not_too_far_off(counts: tuple[int, int]) -> None:
    right, total = counts
    low, high = wilson(right, total)
    share = right / total
    assert 0 <= low <= share + 1e-9 and share - 1e-9 <= high <= 1
    for bound in (low, high):
        if 0 < bound < 1:  # |share - p| = 1.96 * sqrt(p (1 - p) / n), which is how Wilson's interval is defined
            assert abs(abs(share - bound) - 1.96 * sqrt(bound * (1 - bound) / total)) < 1e-6


def test_wilson_of_nothing_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@given(st.integers(1, 50), st.integers(0, 50), st.integers(0, 50), st.integers(1, 50))
def test_likelihood_is_the_information_that_the_two_share(a: int, b: int, c: int, d: int) -> None:
    total = a + b + c + d
    found = _likelihood(a, a + b, a + c, total)
    if a * total <= (a + b) * (a + c):
        assert found == 0.0
        return
    mutual = sum(
        cell / total * log(cell * total / (row * column))
        for cell, row, column in ((a, a + b, a + c), (b, a + b, b + d), (c, c + d, a + c), (d, c + d, b + d))
        if cell
    )
    assert found == pytest.approx(2 * total * mutual, rel=1e-6, abs=1e-6)


def test_seeds_are_what_comes_together_more_than_by_chance() -> None:
    together = [f"导出{noun}报表" for noun in ("库存", "考勤")] * 20
    apart = ["导出照片", "报表模板", "库存盘点", "考勤制度"] * 20
    found = seeds(corpus_of(*together, *apart, *["今天好热"] * 60), 10)
    assert any({"导出", "报表"} <= seed for seed in found)
    assert all("今天" not in seed for seed in found)


def test_what_rules_took_is_no_seed() -> None:
    texts = ["导出库存报表"] * 30 + ["今天好热"] * 60
    corpus = Corpus([parse(text) for text in texts], [1] * 90, open=bits_of(range(30, 90)))
    assert seeds(corpus, 5) == []


@given(st.lists(st.text("报表导出数据", min_size=1, max_size=6), min_size=1, max_size=30, unique=True))
def test_every_open_question_is_in_one_part(texts: list[str]) -> None:
    corpus = corpus_of(*texts)
    split = parts(corpus)
    assert sum(split) == corpus.all
    assert sum(part.bit_count() for part in split) == len(texts)


SEED = frozenset(("#export", "$format"))
SURE = [
    f"导出{period}的{noun}，PDF"
    for period in ("上周", "本月", "昨天", "去年")
    for noun in ("销售报表", "库存报表", "订单明细")
]
REST = ["今天天气怎么样", "讲个笑话", "写一首诗", "你好", "帮我起个名字"] * 8


def test_an_intent_takes_in_what_says_the_same() -> None:
    texts = [*SURE, "导出上周的订单明细", "怎么导出销售报表，PDF", *REST]
    intent = Intent(corpus_of(*texts), SEED, (1 << len(texts)) - 1)
    intent.settle()
    assert places_of(intent.members) == list(range(len(SURE) + 1))
    assert not intent.belongs(len(SURE) + 1)  # it asks how
    assert "#how" in intent.foreign


def test_a_question_does_not_vouch_for_itself() -> None:
    texts = [*SURE, "导出蘑菇，PDF", *REST]
    intent = Intent(corpus_of(*texts), SEED, (1 << len(texts)) - 1)
    assert intent.open_words(len(SURE)) == 1  # 蘑菇, which nobody else said
    assert intent.open_words(0) == 0


def test_labels_are_the_last_word() -> None:
    texts = [*SURE, *REST]
    intent = Intent(corpus_of(*texts), SEED, (1 << len(texts)) - 1, labelled=bits_of((0, 1, len(SURE))))
    intent.settle()
    assert [place for place in range(len(texts)) if intent.belongs(place)] == [0, 1, len(SURE)]
