"""Rules before a chain of LangChain's. Needs langchain-core, which is not installed along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Literal

try:
    from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_messages
    from langchain_core.prompt_values import PromptValue
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.runnables.config import get_config_list
except ImportError as error:
    raise ImportError("pointsman.library.langchain needs LangChain: pip install langchain-core") from error

from pointsman.domain.characters import whole_characters
from pointsman.domain.request import Request, Turn
from pointsman.library.outcome import Outcome, Reply
from pointsman.library.rules import Rules

if TYPE_CHECKING:
    from typing import Unpack

    from pointsman.library.asking import Circumstances

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}


class RulesRunnable(Runnable[Any, Any]):
    """What a rule takes never reaches `otherwise`, a model or a chain; everything else goes there as it came.

    Takes what a chat model takes: a text, messages, a prompt's value. Replies with a message, or with a text where
    `otherwise` gives texts (`output`: which of the two, if it cannot be told). A message of a rule's carries the outcome in
    `response_metadata["pointsman"]`. `about` are the circumstances of every call; tools and structured output that are
    bound to `otherwise` are known."""

    def __init__(
        self,
        rules: Rules,
        otherwise: Runnable[Any, Any],
        *,
        output: Literal["message", "text"] | None = None,
        **about: Unpack[Circumstances],
    ) -> None:
        self.rules = rules
        self.otherwise = otherwise
        self._as_text = output == "text" if output else _output_of(otherwise) is str
        self._about = about
        self._tools = bool(about.get("tools")) or _bound(otherwise, "tools")
        self._structured = bool(about.get("structured")) or any(
            _bound(otherwise, name) for name in ("response_format", "ls_structured_output_format")
        )

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        outcome = self._decide(input, kwargs)
        return self._whole(self.rules.carry_out(outcome)) if outcome else self.otherwise.invoke(input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        outcome = self._decide(input, kwargs)
        if outcome:
            return self._whole(await self.rules.acarry_out(outcome))
        return await self.otherwise.ainvoke(input, config, **kwargs)

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        outcome = self._decide(input, kwargs)
        if outcome:
            yield self._piece(self.rules.carry_out(outcome))
        else:
            yield from self.otherwise.stream(input, config, **kwargs)

    async def astream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AsyncIterator[Any]:
        outcome = self._decide(input, kwargs)
        if outcome:
            yield self._piece(await self.rules.acarry_out(outcome))
            return
        async for piece in self.otherwise.astream(input, config, **kwargs):
            yield piece

    def batch(
        self, inputs: list[Any], config: Any = None, *, return_exceptions: bool = False, **kwargs: Any
    ) -> list[Any]:
        """What no rule takes goes to `otherwise` as one batch."""
        outcomes = [self._decide(each, kwargs) for each in inputs]
        done = [self._tried(outcome, return_exceptions) if outcome else None for outcome in outcomes]
        left = [place for place, outcome in enumerate(outcomes) if outcome is None]
        if left:
            configs = get_config_list(config, len(inputs))
            rest = self.otherwise.batch(
                [inputs[place] for place in left],
                [configs[place] for place in left],
                return_exceptions=return_exceptions,
                **kwargs,
            )
            for place, reply in zip(left, rest, strict=True):
                done[place] = reply
        return done

    async def abatch(
        self, inputs: list[Any], config: Any = None, *, return_exceptions: bool = False, **kwargs: Any
    ) -> list[Any]:
        outcomes = [self._decide(each, kwargs) for each in inputs]
        left = [place for place, outcome in enumerate(outcomes) if outcome is None]
        configs = get_config_list(config, len(inputs))

        async def rest() -> list[Any]:
            return await self.otherwise.abatch(
                [inputs[place] for place in left],
                [configs[place] for place in left],
                return_exceptions=return_exceptions,
                **kwargs,
            )

        taken = [place for place, outcome in enumerate(outcomes) if outcome is not None]
        carried = [self.rules.acarry_out(outcome) for outcome in outcomes if outcome is not None]
        replies, others = await asyncio.gather(
            asyncio.gather(*carried, return_exceptions=return_exceptions), rest() if left else _nothing()
        )
        done: dict[int, Any] = dict(zip(left, others, strict=True))
        for place, reply in zip(taken, replies, strict=True):
            done[place] = self._whole(reply) if isinstance(reply, Reply) else reply
        return [done[place] for place in range(len(inputs))]

    def _tried(self, outcome: Outcome, return_exceptions: bool) -> Any:
        try:
            return self._whole(self.rules.carry_out(outcome))
        except Exception as error:
            if return_exceptions:
                return error
            raise

    def _decide(self, input: Any, kwargs: dict[str, Any]) -> Outcome | None:
        """The outcome where a rule takes the input; None where it goes on."""
        messages = _messages(input)
        if messages is None:
            return None
        request = Request(
            id="langchain",
            endpoint="chat",
            model=self._about.get("entry") or "auto",
            turns=tuple(map(_turn, messages)),
            tools=self._tools or bool(kwargs.get("tools")),
            structured=self._structured or bool(kwargs.get("response_format")),
            caller=self._about.get("key") or "anonymous",
            caller_role=self._about.get("role"),
            caller_group=self._about.get("group"),
            source=self._about.get("source"),
        )
        outcome = self.rules.decide_request(request, self._about.get("language"))
        return outcome if outcome.taken else None

    def _whole(self, reply: Reply) -> Any:
        return reply.text if self._as_text else AIMessage(reply.text, response_metadata=_metadata(reply))

    def _piece(self, reply: Reply) -> Any:
        return reply.text if self._as_text else AIMessageChunk(content=reply.text, response_metadata=_metadata(reply))


async def _nothing() -> list[Any]:
    return []


def _metadata(reply: Reply) -> dict[str, Any]:
    outcome = reply.outcome
    return {"pointsman": {"stage": "l0", "rule": outcome.rule, "action": outcome.action, "reason": outcome.reason}}


def _messages(input: Any) -> list[BaseMessage] | None:
    """What a chat model would make of the input; None where it is something else, which is `otherwise`'s matter."""
    if isinstance(input, PromptValue):
        return input.to_messages()
    if isinstance(input, str):
        return convert_to_messages([("human", input)])
    if isinstance(input, BaseMessage):
        return [input]
    if isinstance(input, (list, tuple)):
        try:
            return convert_to_messages(input)
        except (ValueError, NotImplementedError):
            return None
    return None


def _turn(message: BaseMessage) -> Turn:
    content = message.content
    parts: list[Any] = [content] if isinstance(content, str) else content
    texts = [part if isinstance(part, str) else part.get("text") for part in parts]
    return Turn(
        role=str(getattr(message, "role", None) or _ROLES.get(message.type, message.type)),
        text=whole_characters("\n".join(text for text in texts if isinstance(text, str))),
        images=sum(not isinstance(part, str) and part.get("type") != "text" for part in parts),
        tool_calls=bool(getattr(message, "tool_calls", None)),
    )


def _output_of(runnable: Runnable[Any, Any]) -> Any:
    try:
        return runnable.OutputType
    except TypeError:  # LangChain: it "doesn't have an inferable OutputType"
        return None


def _bound(runnable: Runnable[Any, Any], name: str) -> bool:
    """Whether `name` is bound to it, or to a step of the chain that it is."""
    return any(bool(getattr(step, "kwargs", {}).get(name)) for step in getattr(runnable, "steps", [runnable]))
