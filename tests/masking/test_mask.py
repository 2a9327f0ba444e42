"""Texts with placeholders: nothing of a value is left, and the same value has the same name."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.config.guard_schema import MaskKind, Pii
from pointsman.extractors import KINDS, Extract, extract
from pointsman.extractors.scan import MOST_FINDS
from pointsman.masking import PERSONAL, Unmasker, mask
from pointsman.masking.mask import _all_at_once, _each_by_itself

PHONE, OTHER = "13812345678", "13987654321"
MAIL = "li.lei@example.com"
ID = "11010519491231002X"
KEY = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def test_each_value_has_one_placeholder_in_all_texts_and_numbers_go_by_kind_in_order():
    masked = mask([f"打 {PHONE} 或 {OTHER}", f"mail {MAIL}, then {OTHER} again"], PERSONAL)
    assert masked.texts == ("打 <PHONE_1> 或 <PHONE_2>", "mail <EMAIL_1>, then <PHONE_2> again")
    assert masked.values == {"<PHONE_1>": PHONE, "<PHONE_2>": OTHER, "<EMAIL_1>": MAIL}
    assert masked.counts == {"phone": 2, "email": 1}


def test_one_number_written_in_two_ways_is_one_value():
    masked = mask([f"{PHONE} 就是 138 1234 5678"], ("phone",))
    assert masked.texts == ("<PHONE_1> 就是 <PHONE_1>",) and masked.counts == {"phone": 1}


def test_secrets_are_told_apart_by_how_they_are_written():
    masked = mask(["密码是 Abc12345，旧密码是 abc12345"], ("secret",))
    assert masked.texts == ("密码是 <SECRET_1>，旧密码是 <SECRET_2>",)


def test_a_secret_goes_wherever_it_stands_once_it_is_known_for_one():
    texts = ["先用 Abc12345 登录", "密码是 Abc12345", "Abc12345, XAbc12345, Abc123456, (Abc12345) 用Abc12345吗"]
    assert mask(texts, ("secret",)).texts == (
        "先用 <SECRET_1> 登录",
        "密码是 <SECRET_1>",
        "<SECRET_1>, XAbc12345, Abc123456, (<SECRET_1>) 用<SECRET_1>吗",
    )


@given(st.lists(st.text("ab你 ", min_size=1, max_size=4), min_size=1, unique=True), st.text("ab你 ", max_size=40))
def test_few_values_are_found_where_many_are(values: list[str], text: str):
    slow = sorted(
        (value, at, at + len(value)) for value in values for at in range(len(text)) if text.startswith(value, at)
    )
    assert sorted(_each_by_itself(values)(text)) == sorted(_all_at_once(values)(text)) == slow


def test_kinds_that_are_not_asked_for_stay():
    assert mask([f"{PHONE} {MAIL} {ID}"], ("email",)).texts == (f"{PHONE} <EMAIL_1> {ID}",)
    assert mask([f"{PHONE} {ID}"], ()).texts == (f"{PHONE} {ID}",)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("phone", PHONE), ("email", MAIL), ("id_card", ID), ("bank_card", "6222020200112233446"), ("secret", KEY)],
)
def test_every_kind_of_all_is_found(kind: str, value: str):
    if not extract(kind, f"这是 {value} 。"):
        pytest.skip("a value that the extractor does not take for one")
    assert mask([f"这是 {value} 。"], PERSONAL).texts == (f"这是 <{kind.upper()}_1> 。",)


def test_a_placeholder_that_stands_there_already_is_not_used_again():
    masked = mask([f"<PHONE_1> ist {PHONE}", "<PHONE_3>", OTHER], ("phone",))
    assert masked.texts == ("<PHONE_1> ist <PHONE_2>", "<PHONE_3>", "<PHONE_4>")
    assert (
        Unmasker(masked.values).text("<PHONE_1> <PHONE_2> <PHONE_3> <PHONE_4>")
        == f"<PHONE_1> {PHONE} <PHONE_3> {OTHER}"
    )


def finder(finds: dict[str, list[tuple[int, int]]]):
    return lambda kind, text: [Extract(kind, start, end, text[start:end]) for start, end in finds.get(kind, [])]


def test_of_two_finds_within_each_other_the_longest_wins():
    found = finder({"phone": [(3, 8)], "url": [(0, 12)]})
    assert mask(["x.y/13812345"], ("phone", "url"), found).texts == ("<URL_1>",)
    assert mask(["x.y/13812345"], ("url", "phone"), found).texts == ("<URL_1>",)


def test_nothing_is_left_of_finds_that_only_overlap():
    found = finder({"phone": [(0, 6)], "email": [(4, 14)], "secret": [(13, 16)]})
    masked = mask(["0123456789abcdefgh"], ("phone", "secret", "email"), found)
    assert masked.texts == ("<EMAIL_1>gh",) and masked.values == {"<EMAIL_1>": "0123456789abcdef"}


def test_of_finds_of_one_length_a_secret_gives_the_name():
    found = finder({"number": [(0, 6)], "phone": [(0, 6)], "secret": [(0, 6)]})
    for kinds in (("number", "phone", "secret"), ("secret", "phone", "number")):
        assert mask(["012345"], kinds, found).texts == ("<SECRET_1>",)


@st.composite
def found_texts(draw: st.DrawFn) -> tuple[str, dict[str, list[tuple[int, int]]]]:
    text = draw(st.text(st.sampled_from("ab<1>_PHONE你 "), max_size=30))
    spans = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=5)
    finds = {}
    for kind in draw(st.lists(st.sampled_from(("phone", "email", "secret", "url")), unique=True)):
        at, ordered = 0, []
        for gap, length in draw(spans):
            start = at + gap
            if start + length <= len(text):
                ordered.append((start, start + length))
                at = start + length
        finds[kind] = ordered
    return text, finds


@given(found_texts())
def test_every_found_character_is_gone_and_all_others_are_left_in_order(case):
    text, finds = case
    masked = mask([text], tuple(finds), finder(finds))
    hidden = {place for spans in finds.values() for start, end in spans for place in range(start, end)}
    shown = "".join(char for place, char in enumerate(text) if place not in hidden)
    left = masked.texts[0]
    for name in masked.values:
        left = left.replace(name, "")
        assert name not in text
    assert left == shown
    assert Unmasker(masked.values).text(masked.texts[0]) == text or len(set(masked.values.values())) < len(hidden)


@given(st.lists(st.sampled_from([PHONE, OTHER, MAIL, KEY, "<PHONE_1>", "<", "_1>", " 你好 ", ", ", "x"]), max_size=12))
def test_what_is_masked_comes_back(pieces: list[str]):
    text = "".join(pieces)
    masked = mask([text], PERSONAL)
    assert Unmasker(masked.values).text(masked.texts[0]) == text
    assert not any(
        re.search(rf"(?<![\w]){re.escape(v)}(?![\w])", masked.texts[0], re.ASCII) for v in masked.values.values()
    )


@pytest.mark.parametrize("filler", ["中文。", "words, ", "1 ", "a.b "])
def test_a_long_text_is_masked_to_its_end(filler: str):
    """Extractors look at 64 KB and no further."""
    text = f"{filler * 40_000} {PHONE} {filler * 9000} {MAIL}"
    assert mask([text], ("phone", "email")).counts == {"phone": 1, "email": 1}


@pytest.mark.parametrize("shift", range(0, 30, 3))
def test_a_value_at_the_edge_of_a_window_is_found_whole(shift: int):
    for edge in (8_000, 12_000, 16_000, 20_000):
        text = f"{'好' * (edge - shift)} {MAIL} {'好' * 9000}"
        assert mask([text], ("email",)).values == {"<EMAIL_1>": MAIL}


def test_more_values_than_an_extractor_gives_at_once():
    count = 3 * MOST_FINDS
    text = "\n".join(f"user{number}@example.com" for number in range(count))
    masked = mask([text], ("email",))
    assert masked.counts == {"email": count} and "@" not in masked.texts[0]
    assert re.fullmatch(r"(<EMAIL_\d+>\n?)+", masked.texts[0])


def test_the_config_knows_the_kinds_of_the_extractors():
    assert set(get_args(MaskKind)) == set(KINDS) and set(PERSONAL) < set(KINDS)
    assert Pii().mask == [] and Pii().unmask and Pii().backends == "external"
