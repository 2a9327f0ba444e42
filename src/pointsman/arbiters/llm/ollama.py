"""Ollama's own chat: its OpenAI endpoint drops log probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.arbiter.llm.along import Position
from pointsman.arbiter.llm.prompt import Messages
from pointsman.arbiters.llm.chat import MOST_LABEL, ChatEngine, Message, Usage
from pointsman.arbiters.llm.engine import Written
from pointsman.arbiters.llm.exchange import post, read


class Said(msgspec.Struct, frozen=True):
    message: Message
    logprobs: tuple[Position, ...] | None = None
    prompt_eval_count: int = 0
    eval_count: int = 0

    @property
    def usage(self) -> Usage:
        return Usage(self.prompt_eval_count, self.eval_count)


class OllamaEngine(ChatEngine):
    """`/api/chat` with a JSON schema as `format`. Since 0.12.11 `logprobs` are at the root of the answer; older versions
    take no notice of the field, and their replies are votes."""

    async def _weighed(self, messages: Messages, form: dict[str, Any]) -> tuple[str, Sequence[Position], Usage]:
        told = await self._say(messages, form, MOST_LABEL, {"logprobs": True, "top_logprobs": 20})
        return told.message.content or "", told.logprobs or (), told.usage

    async def write(self, messages: Messages, schema: dict[str, Any], most: int) -> Written:
        told = await self._say(messages, schema, most, {})
        return Written(told.message.content or "", told.usage.prompt_tokens, told.usage.completion_tokens)

    async def _say(self, messages: Messages, schema: dict[str, Any], most: int, more: dict[str, Any]) -> Said:
        fields = {
            "model": self.model,
            "messages": messages,
            "format": schema,
            "stream": False,
            "think": False,
            "options": {"temperature": 0, "seed": 1, "num_predict": most},
            **more,
        }
        return read(await post(self.backend, "/api/chat", fields, root=True), Said)
