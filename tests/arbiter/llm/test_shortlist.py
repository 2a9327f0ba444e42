"""Which labels are shown of many."""

from hypothesis import given
from hypothesis import strategies as st

from pointsman.arbiter.llm.shortlist import Shortlist

TEXTS = [
    ("refund", "I want my money back"),
    ("refund", "please return the payment"),
    ("weather", "will it rain tomorrow"),
    ("weather", "明天会下雨吗"),
    ("leave", "我想请三天年假"),
    ("leave", "request a day off"),
]


def test_the_most_alike_come_first_with_their_nearest_texts():
    shortlist = Shortlist(TEXTS)
    money = shortlist.nearest("can I get my money back", 2, 1)
    assert next(iter(money)) == "refund" and money["refund"] == ["I want my money back"]
    rain = shortlist.nearest("明天下雨吗？", 3, 2)
    assert next(iter(rain)) == "weather" and rain["weather"] == ["明天会下雨吗", "will it rain tomorrow"]
    assert list(shortlist.nearest("年假怎么请", 1, 1)) == ["leave"]


def test_what_is_like_nothing_gets_the_first_ones():
    assert list(Shortlist(TEXTS).nearest("xyzzy", 2, 1)) == ["refund", "weather"]
    assert Shortlist([]).nearest("x", 3, 2) == {}


@given(st.text(max_size=40), st.integers(1, 4), st.integers(1, 3))
def test_so_many_labels_and_texts(text: str, labels: int, each: int):
    shortlist = Shortlist(TEXTS)
    found = shortlist.nearest(text, labels, each)
    assert len(found) == min(labels, 3) and found == shortlist.nearest(text, labels, each)
    for label, shown in found.items():
        assert 1 <= len(shown) <= each and {(label, example) for example in shown} <= set(TEXTS)
