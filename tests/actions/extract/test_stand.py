"""Whether a text says a value, and with which words of its own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.actions.extract.durations import durations
from pointsman.actions.extract.stand import Text, clean, visible
from pointsman.actions.extract.words import words_of
from thorough import tries

LOCKED = "账号被锁后，请联系ＩＴ支持（分机 8001），提供工号验证。2小时内响应。"


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        (LOCKED, "联系IT支持", "联系ＩＴ支持"),
        (LOCKED, "联系 it 支持 分机 8001", "联系ＩＴ支持（分机 8001）"),
        (LOCKED, "提供工号验证。", "提供工号验证"),
        (LOCKED, "2 小时内", "2小时内"),
        (LOCKED, "two hours", "2小时内"),
        (LOCKED, "120分钟", "2小时内"),
        ("**Contact** the IT desk.", "contact THE it-desk", "Contact the IT desk"),
        ("A.B.", "a b", "A.B"),
        ("a\u202eb\u200b c", "ab", "ab"),
        ("Within 2 hours of the call", "2 hours", "Within 2 hours"),
        ("不超过 2 小时", "2小时", "不超过 2 小时"),
        ("in two business days", "2 working days", "in two business days"),
        ("半小时内", "30 min", "半小时内"),
        ("2小时30分钟响应", "2.5小时", "2小时30分钟"),
        ("1 hour and 30 minutes", "90 minutes", "1 hour and 30 minutes"),
        ("2-4小时内响应", "2-4小时", "2-4小时内"),
        ("price is $1,200.50 now", "1200.5", "$1,200.50"),
        ("price is $1,200.50 now", "1200.5 USD", "$1,200.50"),
        ("30 美元", "$30", "30 美元"),
        ("百分之五", "5%", "百分之五"),
        ("分别联系IT和主管", "联系IT", "联系IT"),
        ("无法登录时联系IT", "联系IT", "联系IT"),
        ("contact IT, don't wait", "contact IT", "contact IT"),
        ("do not call; call IT", "call IT", "call IT"),
        ("電話 400-800-1234", "400-800-1234", "400-800-1234"),
        ("เปิดบัญชีใหม่", "บัญชี", "บัญชี"),
        ("Связаться с ИТ", "связаться с ит", "Связаться с ИТ"),
    ],
)
def test_what_a_text_says(text: str, value: str, shown: str) -> None:
    place = Text(text).place_of(value)
    assert place is not None and place.shown == shown


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (LOCKED, "联系HR"), (LOCKED, "3小时"), (LOCKED, "账号被解锁"), (LOCKED, ""), (LOCKED, "。"), ("", "x"),
        ("12小时内响应", "2小时"), ("十三天", "三天"), ("两三天", "三天"), ("2万元", "2"), ("2 million", "2"),
        ("2小时30分钟响应", "2小时"), ("1 hour 30 minutes", "1 hour"), ("1 hour 30 minutes", "30 minutes"),
        ("2-4小时内响应", "4小时"), ("2-4小时内响应", "2小时"), ("2小时至4小时", "2小时"), ("24–48 hours", "48 hours"),
        ("24 to 48 hours", "24 hours"), ("2 days", "2 business days"), ("30 days", "1 month"),
        ("rate 5 items", "5%"), ("at 19:30", "9:30"), ("version 1.2.3", "1.2"), ("iPhone15", "15"), ("1.5 GB", "5 GB"),
        ("therapist", "the rapist"), ("this", "hi"),
        ("Do not contact IT support", "contact IT support"), ("Never contact IT.", "contact IT"),
        ("Don’t contact IT", "contact IT"), ("You cannot contact IT", "contact IT"), ("不要联系IT", "联系IT"),
        ("请勿再联系IT", "联系IT"), ("不是2小时", "2小时"), ("without a badge", "badge"),
        (LOCKED, "x" * 500),
    ],
)  # fmt: skip
def test_what_a_text_does_not_say(text: str, value: str) -> None:
    assert Text(text).place_of(value) is None


@pytest.mark.parametrize(
    ("text", "number", "shown"),
    [("份数：三十", 30, "三十"), ("2万元", 20000, "2万元"), ("1,200 pieces", 1200, "1,200"), ("up to 5%", 5, "up to 5%"),
     ("12", 2, None), ("2-4", 4, None), ("not 5", 5, None), ("", 1, None)],
)  # fmt: skip
def test_numbers_by_value(text: str, number: int, shown: str | None) -> None:
    place = Text(text).place_of_number(number)
    assert (place and place.shown) == shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2小时内", [("s", 7200)]), ("两小时", [("s", 7200)]), ("2 个工作日", [("b", 2)]), ("一个半小时", [("s", 5400)]),
        ("三刻钟", [("s", 2700)]), ("2天半", [("s", 216000)]), ("3个月", [("M", 3)]), ("三年内", [("M", 36)]), ("24h", [("s", 86400)]),
        ("1h30m", [("s", 5400)]), ("2小时30分", [("s", 9000)]), ("half an hour", [("s", 1800)]), ("an hour", [("s", 3600)]),
        ("one and a half hours", [("s", 5400)]), ("5 minutes and 30 seconds", [("s", 330)]), ("PT2H", [("s", 7200)]),
        ("P1DT2H", [("s", 93600)]), ("24-hour", [("s", 86400)]), ("a year", [("M", 12)]), ("2 working days", [("b", 2)]),
        ("2 hours, then 3 days", [("s", 7200), ("s", 259200)]), ("１２ 小时", [("s", 43200)]),
        ("周五", []), ("10分", []), ("个月", []), ("and", []), ("30m", []), ("p", []), ("Class 5d7", []), ("2 houses", []),
        ("2 working hours", []),
    ],
)  # fmt: skip
def test_spans_of_time(text: str, expected: list[tuple[str, int]]) -> None:
    assert [(one.unit, one.value) for one in durations(text)] == expected


def test_what_is_shown_shows_all_that_it_holds() -> None:
    assert clean("a\u202e\u200b\x1b[31m\n b\t　c\x00 。") == "a[31m b c"


_TEXTS = st.text(st.sampled_from("ab2 4小时联系IT不.,-%:至\n万三\u200bİ½"), max_size=30)


@settings(max_examples=tries(150, 500), deadline=None)
@given(_TEXTS, _TEXTS)
def test_only_words_of_the_text_are_ever_shown(text: str, value: str) -> None:
    looked = Text(text)
    place = looked.place_of(value)
    if place is not None:
        assert 0 <= place.start < place.end <= len(looked.text)
        assert place.shown == clean(looked.text[place.start : place.end])
        assert "".join(place.shown.split()) in "".join(visible(text).split())


@settings(max_examples=tries(90, 300), deadline=None)
@given(_TEXTS, st.integers(0, 30), st.integers(0, 30))
def test_whole_words_of_a_text_are_found_unless_it_takes_them_back(text: str, start: int, length: int) -> None:
    """Against a slow and obvious search over all places of the same words."""
    words = words_of(text)
    wanted = words.tokens[start : start + length]
    if not wanted:
        return
    value = " ".join(wanted)
    if words_of(value).tokens != wanted:
        return  # words that are other words beside one another
    found = words.find(words_of(value))
    places = [n for n in range(len(words.tokens)) if words.tokens[n : n + len(wanted)] == wanted]
    assert found is not None and found[0] == places[0]
