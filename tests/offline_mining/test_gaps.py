"""Heaps of questions that are alike, and whether they grow."""

from __future__ import annotations

import time
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offline_mining.traffic import a_day, random_sentences
from pointsman.offline.gaps.gaps import Gaps, find_gaps
from pointsman.offline.gaps.heaps import heaps, medoid
from pointsman.offline.gaps.vectors import cosine, grams, vectors
from pointsman.offline.question import Question, Questions

TEXTS = st.lists(st.text("导出报表数据你好abc 12，", max_size=8), max_size=12)


def gaps_of(texts: list[str], **settings: float | int | None) -> Gaps:
    return find_gaps(Questions(tuple(Question(text) for text in texts)), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("导出报表", ["导出", "出报", "报表"]),
        ("Reset my PASSWORD", ["reset", "my", "reset my", "password", "my password"]),
        ("第12章和第345章", ["第", "0", "章和", "和第", "0", "章"]),
        ("導出", ["导出"]),
        ("？！", []),
        ("", []),
    ],
)
def test_grams(text: str, expected: list[str]) -> None:
    assert grams(text) == expected


@given(TEXTS)
def test_vectors_are_at_most_of_length_1_and_alike_to_themselves(texts: list[str]) -> None:
    found, _ = vectors(texts, [1] * len(texts))
    for text, vector in zip(texts, found, strict=True):
        length = sqrt(sum(weight * weight for weight in vector.values()))
        assert length <= 1 + 1e-9
        if texts.count(text) > 1 and grams(text):
            assert cosine(vector, vector) == pytest.approx(1.0)


@given(TEXTS)
def test_cosine_is_the_sum_over_what_both_have(texts: list[str]) -> None:
    found, _ = vectors(texts, [1] * len(texts))
    for one in found:
        for other in found:
            expected = sum(one[gram] * other[gram] for gram in one.keys() & other.keys())
            assert cosine(one, other) == pytest.approx(expected)


@given(TEXTS)
def test_no_question_is_in_two_heaps(texts: list[str]) -> None:
    found, shared = vectors(texts, [1] * len(texts))
    places = [place for heap in heaps(found, [1] * len(texts), shared) for place in heap]
    assert len(places) == len(set(places)) and set(places) <= set(range(len(texts)))


def test_what_is_alike_comes_together_and_noise_stays_alone() -> None:
    forms = ("报销单怎么贴票", "报销单要怎么贴票啊", "请问报销单怎么贴票")
    forms += ("电脑蓝屏了怎么办", "电脑又蓝屏了怎么办呀", "我的电脑蓝屏了怎么办")
    found = gaps_of([*forms * 3, *random_sentences(300)], least=5)
    assert [gap.questions for gap in found.gaps] == [9, 9]
    for gap in found.gaps:
        kind = "报销" if "报销" in gap.representative else "蓝屏"
        assert all(kind in sample for sample in gap.samples)
    assert found.alone == 300
    assert found.gaps[0].share == 9 / 318


def test_the_representative_is_the_one_that_all_are_most_like() -> None:
    texts = ["vpn连不上怎么办", "vpn连不上", "急急急vpn又连不上了怎么办啊", "vpn连不上怎么办呢"]
    found, _ = vectors(texts, [1] * len(texts))
    centre = medoid(found, [1] * 4, range(4))
    mean = {gram: sum(vector.get(gram, 0.0) for vector in found) for vector in found for gram in vector}
    assert cosine(found[centre], mean) == max(cosine(vector, mean) for vector in found)


def test_settled_questions_are_none() -> None:
    asked = [Question("怎么连vpn", settled=True)] * 9 + [
        Question("打印机卡纸", id=f"r{n}", seconds=1.5) for n in range(6)
    ]
    found = find_gaps(Questions(tuple(asked), unread=2))
    assert (found.questions, found.unsettled, found.unread) == (15, 6, 2)
    [gap] = found.gaps
    assert (gap.representative, gap.questions, gap.share, gap.seconds) == ("打印机卡纸", 6, 1.0, 9.0)
    assert gap.ids == tuple(f"r{n}" for n in range(6))
    assert gap.trend == "unknown"


def test_least_and_limit() -> None:
    texts = ["打印机卡纸"] * 6 + ["怎么连vpn"] * 5 + ["你好"]
    assert [gap.questions for gap in gaps_of(texts).gaps] == [6, 5]
    assert [gap.questions for gap in gaps_of(texts, least=6).gaps] == [6]
    cut = gaps_of(texts, limit=1)
    assert (len(cut.gaps), cut.small, cut.alone) == (1, 1, 1)
    assert gaps_of([]).gaps == ()


def trend_of(before: int, now: int, others_before: int, others_now: int) -> str:
    asked = [Question("打印机卡纸", at=1.0)] * before + [Question("打印机卡纸", at=9.0)] * now
    asked += [Question(text, at=1.0) for text in random_sentences(others_before)]
    asked += [Question(text, at=9.0) for text in random_sentences(others_now, 5)]
    asked.append(Question("再见", at=0.0, settled=True))
    found = find_gaps(Questions(tuple(asked)), since=0.0, until=10.0)
    [gap] = [each for each in found.gaps if each.representative == "打印机卡纸"]
    assert (gap.before, gap.now) == (before, now)
    return gap.trend


@pytest.mark.parametrize(
    ("before", "now", "others_before", "others_now", "expected"),
    [
        (10, 40, 200, 200, "up"),
        (40, 10, 200, 200, "down"),
        (10, 12, 200, 200, "steady"),
        (10, 40, 100, 400, "steady"),  # all traffic has grown as much
        (40, 40, 100, 900, "down"),  # the rest has grown
        (0, 20, 200, 200, "new"),
        (0, 5, 200, 200, "steady"),  # may be chance
        (0, 20, 0, 200, "unknown"),
    ],
)
def test_trend(before: int, now: int, others_before: int, others_now: int, expected: str) -> None:
    assert trend_of(before, now, others_before, others_now) == expected


@given(st.integers(5, 60), st.integers(5, 60))
def test_trend_is_by_the_difference_of_two_shares(before: int, now: int) -> None:
    total_before, total_now = 100 + before, 100 + now
    pooled = (before + now) / (total_before + total_now)
    z = (now / total_now - before / total_before) / sqrt(pooled * (1 - pooled) * (1 / total_before + 1 / total_now))
    expected = "steady" if abs(z) < 2.58 else "up" if z > 0 else "down"
    assert trend_of(before, now, 100, 100) == expected


def test_the_halves_are_of_the_period_that_was_asked_for() -> None:
    late = [Question("打印机卡纸", at=8.0 + n / 10) for n in range(10)]
    early = Question("你好", at=0.0, settled=True)
    [inside] = find_gaps(Questions((*late, early)), since=0.0, until=10.0).gaps
    assert (inside.before, inside.now) == (0, 10)
    [young] = find_gaps(Questions(tuple(late)), since=-1000.0, until=9.0).gaps
    assert (young.before, young.now) == (5, 5)  # of a log that begins at 8.0
    [own] = find_gaps(Questions(tuple(late))).gaps
    assert (own.before, own.now) == (5, 5)


@pytest.mark.slow
def test_a_hundred_thousand_questions_in_a_minute() -> None:
    texts = [f"{text}{number % 7}" for number in range(47) for text in a_day(number)[0]]
    began = time.thread_time()
    found = gaps_of(texts)
    assert time.thread_time() - began < 60
    assert len(texts) > 99_000 and len(found.gaps) == 20


def test_a_short_log_of_one_topic_is_a_gap() -> None:
    one_topic = [
        "快递柜取件码收不到怎么办啊",
        "我的快递柜取件码没收到",
        "快递柜取件码收不到呢",
        "快递柜取件码过期了咋办",
    ]
    one_topic += ["快递柜取件码在哪里看", "快递柜取件码忘了怎么取件", "快递柜取件码发错了"]
    [gap] = gaps_of(one_topic).gaps
    assert gap.questions >= 5
