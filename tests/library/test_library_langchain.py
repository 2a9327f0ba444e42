"""`RulesRunnable` before models and chains."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, PromptTemplate
from langchain_core.runnables import RunnableLambda
from pydantic import Field

from library.office import office
from pointsman import Outcome, Rules
from pointsman.library.langchain import RulesRunnable

SAID = "Salaries are private. Ask HR."


async def open_ticket(outcome: Outcome) -> str:
    return "opened"


RULES = office(actions={"open_ticket": open_ticket})
TALK = Rules.load("builtin:smalltalk")


class Model(FakeListChatModel):
    """Says "model", and keeps what it was asked."""

    responses: list[str] = Field(default_factory=lambda: ["model"])
    asked: list[Any] = Field(default_factory=list)

    def _call(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> str:
        self.asked.append((messages[-1].content, kwargs))
        return "model"


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.mark.parametrize(
    "input",
    [
        "her salary",
        HumanMessage("her salary"),
        [HumanMessage("her salary")],
        [SystemMessage("Be brief."), HumanMessage([{"type": "text", "text": "her salary"}])],
        [("system", "Be brief."), ("human", "her salary")],
        [{"role": "user", "content": "her salary"}],
        ChatPromptTemplate([("human", "{x}")]).invoke({"x": "her salary"}),
        PromptTemplate.from_template("{x}").invoke({"x": "her salary"}),
    ],
)
def test_whatever_a_model_takes(input: Any, model: Model) -> None:
    reply = RulesRunnable(RULES, model).invoke(input)
    assert isinstance(reply, AIMessage) and reply.content == SAID and not model.asked
    assert reply.response_metadata["pointsman"]["rule"] == "salary"


def test_what_no_rule_takes_goes_on_as_it_came(model: Model) -> None:
    runnable = RulesRunnable(RULES, model)
    assert runnable.invoke("a mutex?", stop=["."]).content == "model"
    [(content, kwargs)] = model.asked
    assert content == "a mutex?" and runnable.invoke("python").content == "model" and kwargs is not None
    other: Any = RulesRunnable(RULES, RunnableLambda(lambda given: given))
    for given in ({"question": "her salary"}, 3, [object()]):
        assert other.invoke(given) == given


async def test_asynchronous_and_streamed(model: Model) -> None:
    runnable = RulesRunnable(RULES, model)
    assert (await runnable.ainvoke("open a ticket")).content == "opened"
    assert (await runnable.ainvoke("x")).content == "model"
    pieces = list(runnable.stream("her salary"))
    assert [piece.content for piece in pieces] == [SAID] and isinstance(pieces[0], AIMessageChunk)
    assert "".join(piece.content for piece in runnable.stream("x")) == "model"
    assert [piece.content async for piece in runnable.astream("open a ticket")] == ["opened"]
    assert "".join([piece.content async for piece in runnable.astream("x")]) == "model"


def test_a_batch_is_one_batch_of_what_is_left() -> None:
    batches: list[list[str]] = []

    class Chain(RunnableLambda[Any, Any]):
        def batch(self, inputs: list[Any], config: Any = None, **kwargs: Any) -> list[Any]:
            batches.append(inputs)
            assert [each["tags"] for each in config] == [[text] for text in inputs]
            return [f"model {text}" for text in inputs]

    texts = ["x", "her salary", "y"]
    runnable = RulesRunnable(RULES, Chain(str), output="text")
    assert runnable.batch(texts, [{"tags": [text]} for text in texts]) == ["model x", SAID, "model y"]
    assert batches == [["x", "y"]]
    assert runnable.batch(["her salary"] * 2) == [SAID, SAID] and runnable.batch([]) == [] and len(batches) == 1


async def test_batches_asynchronously_and_with_errors(model: Model) -> None:
    def fails(outcome: Outcome) -> str:
        raise LookupError("no queue")

    good = RulesRunnable(RULES, model)
    replies = await good.abatch(["x", "open a ticket", "her salary"])
    assert [reply.content for reply in replies] == ["model", "opened", SAID]
    assert [reply.content for reply in await good.abatch(["her salary"])] == [SAID]
    bad = RulesRunnable(office(actions={"open_ticket": fails}), model)
    for done in (
        bad.batch(["open a ticket", "x"], return_exceptions=True),
        await bad.abatch(["open a ticket", "x"], return_exceptions=True),
    ):
        assert isinstance(done[0], LookupError) and done[1].content == "model"
    with pytest.raises(LookupError):
        bad.batch(["open a ticket"])
    with pytest.raises(LookupError):
        await bad.abatch(["open a ticket", "x"])


def test_in_a_chain(model: Model) -> None:
    chain = ChatPromptTemplate([("human", "{q}")]) | RulesRunnable(RULES, model) | StrOutputParser()
    assert chain.invoke({"q": "her salary"}) == SAID and chain.invoke({"q": "x"}) == "model"
    assert "".join(chain.stream({"q": "her salary"})) == SAID


def test_a_text_where_the_chain_gives_texts(model: Model) -> None:
    assert RulesRunnable(RULES, model | StrOutputParser()).invoke("her salary") == SAID
    assert list(RulesRunnable(RULES, model | StrOutputParser()).stream("her salary")) == [SAID]
    assert RulesRunnable(RULES, model, output="text").invoke("her salary") == SAID


def test_the_conversation_counts(model: Model) -> None:
    runnable = RulesRunnable(TALK, model)
    assert runnable.invoke("ok").content != "model"
    asked = [("human", "clean up"), ("ai", "Shall I delete it?"), ("human", "ok")]
    assert runnable.invoke(asked).content == "model"
    loop = [HumanMessage("hi"), AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])]
    assert runnable.invoke([*loop, ToolMessage("hi", tool_call_id="1")]).content == "model"
    picture = HumanMessage([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "data:,"}}])
    assert runnable.invoke([picture]).content == "model"


def test_tools_and_structured_output_that_are_bound(model: Model) -> None:
    assert RulesRunnable(TALK, model).invoke("hi").content != "model"
    for bound in (model.bind(tools=[{"x": 1}]), model.bind(response_format={"type": "json_object"})):
        assert RulesRunnable(TALK, bound).invoke("hi").content == "model"
        assert RulesRunnable(TALK, bound | StrOutputParser()).invoke("hi") == "model"
    assert RulesRunnable(TALK, model).invoke("hi", tools=[{"x": 1}]).content == "model"
    assert RulesRunnable(TALK, model, tools=True).invoke("hi").content == "model"


def test_circumstances(model: Model) -> None:
    assert RulesRunnable(RULES, model).invoke("the menu").content == "model"
    assert RulesRunnable(RULES, model, role="staff", language="zh").invoke("the menu").content == "今天有面条。"
