"""`run` and `arun`: actions are carried out here, and nowhere else."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from library.office import office
from pointsman import Outcome, Reply


def test_texts_need_no_action() -> None:
    reply = office().run("her salary")
    assert isinstance(reply, Reply) and reply.text == "Salaries are private. Ask HR." and reply.outcome.rule == "salary"
    assert office().run("a mutex?") is None and office().run("python") is None


def test_decide_and_explain_carry_nothing_out() -> None:
    calls: list[Outcome] = []

    def open_ticket(outcome: Outcome) -> str:
        calls.append(outcome)
        return f"in {outcome.parameters['queue']}"

    rules = office(actions={"open_ticket": open_ticket})
    rules.decide("open a ticket")
    rules.explain("open a ticket")
    assert not calls
    reply = rules.run("open a ticket")
    assert reply and reply.text == "in it" and [call.rule for call in calls] == ["ticket"]
    assert rules.run("open a window") is None and len(calls) == 1


def test_an_action_that_nothing_carries_out_is_told() -> None:
    rules = office()
    reply = rules.run("open a ticket")
    assert reply and "“open_ticket” (rule ticket)" in reply.text and "nothing was done" in reply.text
    reply = rules.run("建个工单")
    assert reply and "没有执行任何操作" in reply.text
    reply = rules.run("open a ticket", language="zh")
    assert reply and "没有执行任何操作" in reply.text


def test_what_an_action_raises_goes_to_the_caller() -> None:
    def fails(outcome: Outcome) -> str:
        raise LookupError("no such queue")

    rules = office(actions={"open_ticket": fails})
    with pytest.raises(LookupError, match="no such queue"):
        rules.run("open a ticket")
    with pytest.raises(LookupError, match="no such queue"):
        asyncio.run(rules.arun("open a ticket"))


@pytest.mark.parametrize("given", [None, 3, b"x"])
def test_an_action_returns_text(given: Any) -> None:
    with pytest.raises(TypeError, match="must return str"):
        office(actions={"open_ticket": lambda outcome: given}).run("open a ticket")


async def later(outcome: Outcome) -> str:
    await asyncio.sleep(0)
    return f"later, by {threading.current_thread().name}"


class Callable_:
    async def __call__(self, outcome: Outcome) -> str:
        return await later(outcome)


async def test_arun_awaits_coroutine_functions_on_the_loop_and_runs_others_in_a_thread() -> None:
    here = threading.current_thread().name
    for action in (later, Callable_(), lambda outcome: later(outcome)):
        reply = await office(actions={"open_ticket": action}).arun("open a ticket")
        assert reply and reply.text == f"later, by {here}"
    reply = await office(actions={"open_ticket": lambda outcome: threading.current_thread().name}).arun("open a ticket")
    assert reply and reply.text != here
    assert await office().arun("a mutex?") is None
    reply = await office().arun("her salary")
    assert reply and reply.text.startswith("Salaries")


def test_run_says_that_an_action_must_be_awaited() -> None:
    with pytest.raises(TypeError, match="arun"):
        office(actions={"open_ticket": later}).run("open a ticket")
