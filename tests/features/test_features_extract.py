"""Request → Features: what each field says, and the same every time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.request import Request, Turn
from pointsman.domain.task_types import TASK_TYPES
from pointsman.features.extract import extract


def ask(text: str, **changes: object) -> Request:
    return Request("i", "chat", "auto", (Turn("user", text),), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("hi", "greeting"),
        ("你好！", "greeting"),
        ("谢谢你", "greeting"),
        ("把这段话翻译成英文：今天下雨", None),
        ("hi, please translate this contract into French", None),
        ("hi " * 40, None),
        ("qwertz", None),
        ("", None),
    ],
)
def test_what_is_told_of_the_task_without_a_model(text: str, task: str | None) -> None:
    found = extract(ask(text))
    assert (found.task_type, found.task_source) == (task, "inferred" if task else "none")


class TestFields:
    def test_a_declared_task_wins(self) -> None:
        found = extract(ask("translate this", task="math"))
        assert (found.task_type, found.task_source) == ("math", "declared")
        found = extract(ask("hello", task="math"))
        assert (found.task_type, found.task_source) == ("math", "declared")

    def test_images_are_vision(self) -> None:
        request = Request("i", "chat", "auto", (Turn("user", "what is this", images=2),))
        assert (extract(request).images, extract(request).task_type) == (2, "vision")

    def test_exact_tokens_take_the_place_of_the_estimate(self) -> None:
        assert (extract(ask("hi"), 77).input_tokens, extract(ask("hi"), 77).exact) == (77, True)
        assert extract(ask("hi"), 0).input_tokens == 0
        assert not extract(ask("hi")).exact

    def test_turns_count_the_user(self) -> None:
        turns = (Turn("system", "s"), Turn("user", "a"), Turn("assistant", "b"), Turn("user", "c"))
        assert extract(Request("i", "chat", "auto", turns)).turns == 2

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("```\nx = 1\n```", True),
            ("def add(a, b):\n    return a", True),
            ("SELECT name FROM users WHERE id = 1", True),
            ("if (x > 0) {", True),
            ("Please select a book from the shelf for me", False),
            ("let us go", False),
            ("import duties are high this year", False),
            ("for (me) it is fine", False),
        ],
    )
    def test_code(self, text: str, code: bool) -> None:
        assert extract(ask(text)).code is code

    @pytest.mark.parametrize(
        ("text", "brief"),
        [
            ("用一句话解释黑洞", True),
            ("简短回答：为什么天是蓝的", True),
            ("In one sentence, what is entropy?", True),
            ("Answer yes or no only", True),
            ("What are the constraints of a brief for an architect?", False),
            ("讲一个长故事", False),
        ],
    )
    def test_brevity(self, text: str, brief: bool) -> None:
        assert extract(ask(text)).brief is brief

    def test_brevity_asked_for_in_the_instructions(self) -> None:
        """A system prompt that asks for 简短回答."""
        turns = (Turn("system", "请简短回答用户的问题"), Turn("user", "什么是黑洞"))
        assert extract(Request("i", "chat", "auto", turns)).brief is True

    def test_every_field_has_its_type(self) -> None:
        turns = (Turn("system", "请简短回答"), Turn("user", "你好"))
        found = extract(Request("i", "chat", "auto", turns))
        assert [type(getattr(found, name)) for name in ("asked", "code", "tools", "structured", "brief")] == [bool] * 5

    def test_no_question_after_a_tool(self) -> None:
        turns = (Turn("user", "weather?"), Turn("assistant", "", tool_calls=True), Turn("tool", "rain"))
        found = extract(Request("i", "chat", "auto", turns, tools=True))
        assert (found.question_tokens, found.characters, found.tools) == (0, 0, True)


roles = st.sampled_from(["system", "developer", "user", "assistant", "tool", "input"])
turns = st.lists(st.builds(Turn, roles, st.text(max_size=60), st.integers(0, 2)), max_size=5)
requests = st.builds(
    Request,
    st.just("i"),
    st.sampled_from(["chat", "completions", "embeddings", "rerank"]),
    st.just("auto"),
    turns.map(tuple),
    tools=st.booleans(),
    tool_characters=st.integers(0, 10_000),
    structured=st.booleans(),
    task=st.none() | st.sampled_from(TASK_TYPES),
    accept_language=st.none() | st.text(max_size=10),
)


@given(requests, st.none() | st.integers(0, 10_000))
def test_the_same_request_has_the_same_features(request: Request, exact: int | None) -> None:
    copy = Request(*(getattr(request, name) for name in Request.__struct_fields__))
    assert extract(request, exact) == extract(copy, exact)
    assert hash(copy) == hash(request)


def test_a_long_text_is_read_in_no_time() -> None:
    found = extract(ask("请把下面的内容总结一下。" + "The quick brown fox. 快速的狐狸。" * 60_000))
    assert found.input_tokens > 300_000


@pytest.mark.parametrize("text", ["\ud800", "hi \udcff there", "写一首诗 \udfff"])
def test_half_a_surrogate_pair_is_no_crash(text: str) -> None:
    """The HTTP door refuses one; a command line (`explain`) may still hold bytes that are no UTF-8."""
    turns = (Turn("system", text), Turn("user", "x"), Turn("assistant", text), Turn("user", text))
    assert extract(Request("i", "chat", "auto", turns)).characters == len(text)
