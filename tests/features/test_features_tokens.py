"""Tokens without a tokenizer: never nothing for something, never far less for more, and no crash."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.request import Request, Turn
from pointsman.features.tokens import PER_IMAGE, PER_MESSAGE, estimate_tokens, prompt_tokens

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud800\udfff"), max_size=200)


@given(any_text)
def test_never_nothing_for_a_text(text: str) -> None:
    assert (estimate_tokens(text) >= 1) == bool(text)


@given(any_text, any_text)
def test_more_text_is_not_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)
    assert abs(estimate_tokens(text + more) - estimate_tokens(text) - estimate_tokens(more)) <= 2 + len(text + more) / 4


@given(st.text(st.characters(exclude_categories=()), max_size=40), st.integers(2, 50))
def test_grows_with_the_length(text: str, times: int) -> None:
    once, often = estimate_tokens(text), estimate_tokens(text * times)
    assert often <= (once + 1) * times
    assert often >= (once - 1) * times


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("The quick brown fox jumps over the lazy dog.", 8, 13),
        ("今天的天气真不错，我们一起去公园散步吧。", 10, 17),
        ("12345678901234567890", 8, 40),
        ("    " * 100, 20, 120),
        ("😀" * 10, 8, 40),
        ("Привет, как дела сегодня?", 5, 16),
        ("def add(a, b):\n    return a + b\n", 7, 16),
        ("\ud800\udfff\ud800", 1, 9),
        ("\x00" * 8, 1, 16),
    ],
)
def test_the_size_of_known_texts(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


def test_the_prompt_is_all_of_it() -> None:
    turns = (Turn("system", "Be kind."), Turn("user", "hello", images=2), Turn("assistant", "hi"), Turn("user", "x"))
    chat = prompt_tokens(Request("i", "chat", "auto", turns))
    texts = sum(estimate_tokens(turn.text) for turn in turns)
    assert chat == texts + 2 * PER_IMAGE + 5 * PER_MESSAGE
    assert prompt_tokens(Request("i", "completions", "auto", (Turn("user", "hello"),))) == estimate_tokens("hello")
    assert prompt_tokens(Request("i", "chat", "auto", turns, tools=True, tool_characters=1000)) == chat + 300


def test_a_request_without_any_turn_counts() -> None:
    assert prompt_tokens(Request("i", "chat", "auto", ())) >= 0
