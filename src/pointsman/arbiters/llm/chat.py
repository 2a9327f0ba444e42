"""Any engine with OpenAI's chat completions: JSON in a closed form, with log probabilities where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from pointsman.arbiter.llm.along import Position, along, chosen
from pointsman.arbiter.llm.prompt import Messages
from pointsman.arbiters.llm.engine import Weighed, Written
from pointsman.arbiters.llm.exchange import NO_THOUGHTS, Unheard, post, read
from pointsman.ports.backend import Backend

LABEL = "label"
MOST_LABEL = 64
"""Tokens of `{"label": "…"}`."""


class Message(msgspec.Struct, frozen=True):
    content: str | None = None


class Logprobs(msgspec.Struct, frozen=True):
    content: tuple[Position, ...] | None = None


class Choice(msgspec.Struct, frozen=True):
    message: Message = Message()
    logprobs: Logprobs | None = None


class Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Chat(msgspec.Struct, frozen=True):
    choices: tuple[Choice, ...]
    usage: Usage = Usage()

    @property
    def text(self) -> str:
        return (self.choices[0].message.content if self.choices else None) or ""

    @property
    def positions(self) -> tuple[Position, ...]:
        told = self.choices[0].logprobs if self.choices else None
        return (told.content if told is not None else None) or ()


class ChatEngine:
    """The reply is `{"label": …}`, held to the labels by a JSON schema. Where its tokens come with log probabilities, they
    are read along the way that the reply took; where they do not, or the server refuses to give them, a reply is one
    vote."""

    limit: ClassVar[str] = "max_tokens"
    more: ClassVar[dict[str, Any]] = {}
    """Fields of each request that the engine knows besides."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.model = backend.target.model
        self.weighs = True

    async def weigh(self, messages: Messages, labels: Sequence[str]) -> Weighed:
        form = {
            "type": "object",
            "properties": {LABEL: {"type": "string", "enum": list(labels)}},
            "required": [LABEL],
            "additionalProperties": False,
        }
        text, positions, usage = await self._weighed(as_json(messages), form)
        shares = along(positions, labels, LABEL) if positions else None
        if shares is None:
            self.weighs = self.weighs and bool(positions)
            vote = chosen(text, labels, LABEL)
            if vote is None:
                raise Unheard("invalid")
            shares = {vote: 1.0}
        return Weighed(shares, usage.prompt_tokens, usage.completion_tokens)

    async def _weighed(self, messages: Messages, form: dict[str, Any]) -> tuple[str, Sequence[Position], Usage]:
        """What it wrote, with log probabilities where it gives them."""
        if self.weighs:
            try:
                told = await self._chat(messages, form, MOST_LABEL, {"logprobs": True, "top_logprobs": 20})
                return told.text, told.positions, told.usage
            except Unheard as unheard:
                if unheard.status not in (400, 422):
                    raise
        told = await self._chat(messages, form, MOST_LABEL, {})
        self.weighs = False  # without them it works
        return told.text, (), told.usage

    async def write(self, messages: Messages, schema: dict[str, Any], most: int) -> Written:
        told = await self._chat(messages, schema, most, {})
        return Written(told.text, told.usage.prompt_tokens, told.usage.completion_tokens)

    async def _chat(self, messages: Messages, schema: dict[str, Any], most: int, more: dict[str, Any]) -> Chat:
        fields = {
            "model": self.model,
            "messages": messages,
            self.limit: most,
            "temperature": 0.0,
            "seed": 1,
            "response_format": self._form(schema),
            **self.more,
            **more,
        }
        told = read(await post(self.backend, "/chat/completions", fields), Chat)
        if not told.choices:
            raise Unheard("invalid")
        return told

    def _form(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}}


class TrtLlmEngine(ChatEngine):
    """Read in TensorRT-LLM's `openai_protocol.py`: schemas need `guided_decoding_backend` in the server's options;
    `top_logprobs` work with the PyTorch backend, others refuse them."""

    limit = "max_completion_tokens"
    more = NO_THOUGHTS

    def _form(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "json", "schema": schema}


def as_json(messages: Messages) -> Messages:
    """The assistant's messages in the form that the reply is to have: models go on as the conversation went."""
    return [
        {**message, "content": msgspec.json.encode({LABEL: message["content"]}).decode()}
        if message["role"] == "assistant"
        else message
        for message in messages
    ]
