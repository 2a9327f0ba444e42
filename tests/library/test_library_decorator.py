"""`rules_first` before functions of all four kinds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from library.office import office
from pointsman import Outcome, Rules
from pointsman.library.decorator import rules_first

SAID = "Salaries are private. Ask HR."


async def open_ticket(outcome: Outcome) -> str:
    return "opened"


RULES = office()
LATER = office(actions={"open_ticket": open_ticket})


def test_a_function_is_called_for_what_no_rule_takes() -> None:
    calls: list[str] = []

    @rules_first(RULES)
    def answer(text: str, *, loud: bool = False) -> str:
        """Of answers."""
        calls.append(text)
        return text.upper() if loud else text

    assert answer("her salary") == SAID and answer(text="her salary", loud=True) == SAID and not calls
    assert answer("a mutex?", loud=True) == "A MUTEX?" and answer("python") == "python" and len(calls) == 2
    assert answer.__name__ == "answer" and answer.__doc__ == "Of answers."
    assert list(inspect.signature(answer).parameters) == ["text", "loud"]


def test_a_call_that_is_wrong_fails_as_it_would_without() -> None:
    @rules_first(RULES)
    def answer(text: str) -> str:
        return text + "!"

    with pytest.raises(TypeError, match=r"answer\(\) missing 1 required positional argument"):
        answer()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword"):
        answer("her salary", nonsense=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"unsupported operand|concatenate"):
        answer(3)  # type: ignore[arg-type]


def test_methods_and_other_names_of_the_argument() -> None:
    class Bot:
        @rules_first(RULES)
        def first(self, text: str) -> str:
            return "model"

        @rules_first(RULES, text="question")
        def second(self, user: str, question: str = "her salary") -> str:
            return "model"

    assert Bot().first("her salary") == SAID and Bot().first("x") == "model"
    assert Bot().second("her salary", "x") == "model" and Bot().second("u", "her salary") == SAID
    assert Bot().second("u") == "model", "a default is the function's own"
    with pytest.raises(TypeError, match=r"has no argument 'txt' \(it has: text\)"):
        rules_first(RULES, text="txt")(lambda text: text)
    with pytest.raises(TypeError, match="it has: none"):
        rules_first(RULES)(lambda: "")


async def test_coroutine_functions() -> None:
    @rules_first(LATER)
    async def answer(text: str) -> str:
        await asyncio.sleep(0)
        return "model"

    assert inspect.iscoroutinefunction(answer)
    assert [await answer(text) for text in ("her salary", "open a ticket", "x")] == [SAID, "opened", "model"]


def test_generators() -> None:
    closed: list[str] = []

    @rules_first(RULES)
    def answer(text: str) -> Iterator[str]:
        try:
            yield "mo"
            yield "del"
        finally:
            closed.append(text)

    assert list(answer("her salary")) == [SAID] and not closed and list(answer("x")) == ["mo", "del"]
    pieces: Any = answer("y")
    assert next(pieces) == "mo"
    pieces.close()
    assert closed == ["x", "y"]


async def test_asynchronous_generators() -> None:
    closed: list[str] = []

    @rules_first(LATER)
    async def answer(text: str) -> AsyncIterator[str]:
        try:
            yield "mo"
            yield "del"
        finally:
            closed.append(text)

    assert [piece async for piece in answer("open a ticket")] == ["opened"] and not closed
    assert [piece async for piece in answer("x")] == ["mo", "del"]
    pieces: Any = answer("y")
    assert await anext(pieces) == "mo"
    await pieces.aclose()
    assert closed == ["x", "y"], "closed at once, not when it is collected"


def test_what_the_function_would_have_given() -> None:
    @rules_first(RULES, reply=lambda reply: {"said": reply.text, "rule": reply.outcome.rule})
    def answer(text: str) -> dict[str, Any]:
        return {}

    assert answer("her salary") == {"said": SAID, "rule": "salary"} and answer("x") == {}


def test_circumstances_and_history() -> None:
    @rules_first(RULES, role="staff", language="zh")
    def menu(text: str) -> str:
        return "model"

    assert menu("the menu") == "今天有面条。"

    @rules_first(Rules.load("builtin:smalltalk"))
    def chat(text: str, history: tuple[tuple[str, str], ...] = ()) -> str:
        return "model"

    assert chat("ok") != "model"
    assert chat("ok", (("user", "clean up"), ("assistant", "Shall I delete it?"))) == "model"


def test_circumstances_that_are_none_are_told_when_it_is_made() -> None:
    with pytest.raises(TypeError, match="role must be str or None"):
        rules_first(office(), role=5)  # type: ignore[arg-type]
