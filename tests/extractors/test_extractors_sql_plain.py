"""Blanks of all kinds and split keywords; places stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.extractors import extract, may_hold
from pointsman.extractors.sql import destructive
from pointsman.extractors.sql_plain import plain

BLANKS = [
    "\u00a0",
    "\u3000",
    "\u2003",
    "\u202f",
    "\u2028",
    "\u200b",
    "\ufeff",
    "\\t",
    "\\n",
    "\\r\\n",
    "\\\\n",
    "/* x */",
]


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize(("words", "verb"), [("drop table users", "drop"), ("Delete from users where 1=1", "delete")])
def test_every_blank_is_one(blank: str, words: str, verb: str) -> None:
    statement = words.replace(" ", blank)
    text = f"请看 {statement}，谢谢"
    [found] = extract("sql", text)
    assert (text[found.start : found.end], found.of) == (statement, verb)
    assert destructive(statement)
    assert may_hold("sql", text.encode())


@pytest.mark.parametrize("seam", ["/**/", "/*x*/", "/* a b */", "/****/", "/**//**/", "\u200b", "\u00ad"])
@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ("DR|OP TABLE users", "drop"), ("d|r|o|p ta|ble users", "drop"), ("de|lete from y", "delete without where"),
        ("TRUN|CATE logs", "truncate"), ("up|date t s|et a = 1", "update without where"), ("DRO|P|TA|BLE|users", "drop"),
    ],
)  # fmt: skip
def test_a_split_keyword_is_whole_also_in_a_sentence(seam: str, pieces: str, why: str) -> None:
    statement = pieces.replace("|", seam)
    assert destructive(statement) == why
    for text in (statement, f"请问 {statement} 对吗", f"would {statement} pass?"):
        [found] = extract("sql", text)
        assert text[found.start :].startswith(statement)
        assert destructive(text[found.start : found.end]) == why


def test_only_what_spells_a_keyword_is_joined() -> None:
    assert plain(b"DROP/**/TABLE/**/t") == b"DROP/**/TABLE/**/t"
    assert plain(b"de/**/bug") == b"de/**/bug"
    assert plain(b"x/**/DR/**/OP/**/y") == b"x/**/DROP        y"
    assert plain(b"ex/**/ec/**/ute/**/t") == b"EXECUTE            t"
    assert plain(b"src/*.py lib/*/x") == b"src/*.py lib/*/x"
    assert destructive("SELECT 'x de/*', '*/lete from y' FROM t") is None


def test_full_width_letters_are_read_and_offsets_stay() -> None:
    text = "执行 ＤＥＬＥＴＥ　ＦＲＯＭ ｕｓｅｒ＿ｉｎｆｏ ＷＨＥＲＥ １＝１，好吗"
    assert may_hold("sql", text.encode())
    [found] = extract("sql", text)
    assert (text[found.start : found.end], found.of) == (text[3:-3], "delete")
    assert destructive(text[found.start : found.end]) == "always true where"


PIECES = st.sampled_from(
    [*BLANKS, "de", "lete", "DR", "OP", "table", "x", "/*", "*/", "/**/", "'", '"', "\\", "n", " ", "\n", "订", "-"]
)


@given(st.lists(PIECES).map("".join))
def test_length_and_places_stay_and_a_second_time_changes_nothing(text: str) -> None:
    data = text.encode()
    once = plain(data)
    assert len(once) == len(data)
    once.decode()
    for place, (was, now) in enumerate(zip(data, once, strict=True)):
        assert was == now or now in b" \n" or chr(now).isupper(), place
    kept = [c for c in text if c.isalnum() and not c.isascii()]
    assert [c for c in once.decode() if c.isalnum() and not c.isascii()] == kept
