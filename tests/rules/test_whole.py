from __future__ import annotations

import pytest

from pointsman.rules.fold import fold
from pointsman.rules.whole import core, keys


def takes(term: str, text: str) -> bool:
    return core(fold(text).text)[0] in keys(fold(term).text)


@pytest.mark.parametrize("text", ["hi", "Hi!", " hi ~", "hi。", "hi...", "hi 😊👍", "ｈｉ！", "hi ❤️", "h\u200bi"])
def test_closing_marks_do_not_count(text: str) -> None:
    assert takes("hi", text)


@pytest.mark.parametrize("text", ["hi?", "this", "hi bob", "hi？", "!hi", "hi?!", ""])
def test_other_texts_are_not_it(text: str) -> None:
    assert not takes("hi", text)


@pytest.mark.parametrize("text", ["在吗", "在吗？", "在吗?!", "在吗~"])
def test_a_term_with_a_question_mark_takes_both(text: str) -> None:
    assert takes("在吗?", text)


def test_texts_of_marks_only_are_compared_as_they_are() -> None:
    assert takes("👍", " 👍 ")
    assert not takes("👍", "👎")
    assert not takes("?", "")


def test_the_core_is_placed_in_the_text() -> None:
    assert core("  ok then !!") == ("ok then", 2, 9)
