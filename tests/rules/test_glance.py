"""A glance never overlooks what an extract is in, and sorts most texts out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.extract import KINDS
from pointsman.extractors import extract
from pointsman.rules.fold import fold
from pointsman.rules.glance import SIGNS, Glance

SETS = Path(__file__).parents[1] / "sets"
ROWS = [
    json.loads(line)
    for name in ("extractors", "pii", "sql_risk")
    for line in (SETS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
]
GLANCE = Glance([(kind, number) for number, kind in enumerate(KINDS)])
PIECES = [
    *("报销", "¥5", "５００元", "三十块", "15%", "百分之五", "a.pdf", "．ｐｙ", "```py\n", "~~~\n", "SELECT a FROM b"),
    *("ｄｒｏｐ table x", "DR/**/OP", "3*(4+5)", "√16", "sin(x)", "https://a.cn", "ＷＷＷ.a.cn", "a@b.cn", "＠"),
    *("138 1234 5678", "11010519491231002X", "4111111111111111", "密码是 Ab12345x", "sk-abcdefghijklmnopqrstuvwx"),
    *("\u200b", " ", "，", "1.2万", "两百", "GO\n", "mysql -pTiger77x", "eyJ"),
]  # fmt: skip


def overlooked(text: str) -> list[str]:
    seen = GLANCE.possible(fold(text).data)
    return [kind for number, kind in enumerate(KINDS) if kind in SIGNS and number not in seen and extract(kind, text)]


@pytest.mark.parametrize("text", [row["text"] for row in ROWS[::3]])
def test_nothing_is_overlooked(text: str) -> None:
    assert overlooked(text) == []


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(max_size=60))
def test_nothing_is_overlooked_in_any_text(text: str) -> None:
    assert overlooked(text) == []


def test_plain_texts_hold_nothing() -> None:
    for text in (
        "你好",
        "hello there",
        "帮我看一下这个合同里面的付款条款有没有问题",
        "please write a poem about autumn",
    ):
        kinds = {KINDS[number] for number in GLANCE.possible(fold(text).data)}
        assert not kinds & {"sql", "url", "email", "phone", "id_card", "bank_card", "secret", "code", "file"}, text


def test_kinds_without_signs_are_always_possible() -> None:
    assert [KINDS[number] for number in GLANCE.always] == ["period"]
