"""Numbers with a check digit."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

ID_CARDS = [
    ("身份证11010519491231002x。", [("11010519491231002x", "11010519491231002X")]),
    ("110105194912310021 130503670401001", []),
]
BANK_CARDS = [
    ("卡号4111 1111 1111 1111", [("4111 1111 1111 1111", "4111111111111111")]),
    ("4111111111111112 41111111111111111111 1234567812345670", []),
    ("378282246310005", [("378282246310005", "378282246310005")]),
    ("3782-822463-10005", [("3782-822463-10005", "378282246310005")]),
]


@pytest.mark.parametrize(("text", "found"), ID_CARDS)
def test_id_card(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("id_card", text)] == found


@pytest.mark.parametrize(("text", "found"), BANK_CARDS)
def test_bank_card(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("bank_card", text)] == found
