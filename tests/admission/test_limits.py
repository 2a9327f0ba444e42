"""The two limits that every request meets, at their very edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.admission.limits import REPLY_RESERVE, TOO_HIGH, TOO_LOW, fits, is_empty, is_near
from pointsman.domain.request import Endpoint, Request, Turn


def talk(*turns: Turn, endpoint: Endpoint = "chat") -> Request:
    return Request("i", endpoint, "auto", turns)


class TestEmpty:
    @pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000", "\u2003\xa0", "\u200b", "\ufeff \u200d"])
    def test_nothing_that_can_be_seen_is_nothing(self, text: str) -> None:
        assert is_empty(talk(Turn("user", text)))
        assert is_empty(talk(Turn("user", text), endpoint="completions"))

    @pytest.mark.parametrize("text", [".", "?", "0", "好", "\x07x", "👍"])
    def test_anything_else_is_something(self, text: str) -> None:
        assert not is_empty(talk(Turn("user", text)))

    def test_an_image_is_something(self) -> None:
        assert not is_empty(talk(Turn("user", "", images=1)))

    def test_an_image_of_an_earlier_message_says_nothing_now(self) -> None:
        assert is_empty(talk(Turn("user", "what is this?", images=1), Turn("assistant", "A cat."), Turn("user", "")))

    def test_a_tool_result_or_an_answer_to_go_on_from_is_no_empty_message(self) -> None:
        assert not is_empty(talk(Turn("user", "weather?"), Turn("assistant", "", tool_calls=True), Turn("tool", "")))
        assert not is_empty(talk(Turn("user", "write"), Turn("assistant", "Once upon")))

    def test_instructions_after_it_do_not_fill_it(self) -> None:
        assert is_empty(talk(Turn("user", " "), Turn("system", "be kind")))

    def test_instructions_alone_are_no_empty_message(self) -> None:
        assert not is_empty(talk(Turn("system", "say hello")))

    def test_other_endpoints_have_their_own_checks(self) -> None:
        for endpoint in ("embeddings", "rerank"):
            assert not is_empty(talk(Turn("input", ""), endpoint=endpoint))  # type: ignore[arg-type]


class TestLength:
    @pytest.mark.parametrize(
        ("tokens", "context", "good"),
        [(100, 100 + REPLY_RESERVE, True), (101, 100 + REPLY_RESERVE, False), (10**9, None, True), (0, 1, False)],
    )
    def test_a_prompt_leaves_room_for_an_answer(self, tokens: int, context: int | None, good: bool) -> None:
        assert fits(tokens, context) is good

    @pytest.mark.parametrize(
        ("tokens", "near"),
        [(384, True), (383, False), (984, True), (1234, True), (1235, False), (0, False)],
    )
    def test_near_is_within_the_error_of_the_estimate(self, tokens: int, near: bool) -> None:
        assert (TOO_LOW, TOO_HIGH) == (0.6, 0.25)
        assert REPLY_RESERVE == 16
        assert is_near(tokens, 1000) is near

    def test_without_a_limit_nothing_is_near(self) -> None:
        assert not is_near(10**9, None)

    @given(st.integers(0, 10_000), st.integers(1, 10_000))
    def test_the_edge_itself_is_near(self, tokens: int, context: int) -> None:
        if fits(tokens, context) != fits(tokens + 1, context):
            assert is_near(tokens, context)
        if tokens > context * (1 + TOO_HIGH):  # the estimate is too long even if it is off by its error
            assert not fits(tokens, context)
