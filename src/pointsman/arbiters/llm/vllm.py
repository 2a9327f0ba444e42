"""vLLM: chat completions of one token that go on from what the assistant has said so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from pointsman.arbiter.llm.labels import candidates
from pointsman.arbiter.llm.prompt import Messages
from pointsman.arbiters.llm.chat import Chat, ChatEngine
from pointsman.arbiters.llm.engine import Weighed
from pointsman.arbiters.llm.exchange import NO_THOUGHTS, Unheard, post, read
from pointsman.arbiters.llm.walk import Next, walk


class VllmEngine(ChatEngine):
    """Read in vLLM's documentation (0.12 and later). `structured_outputs.choice` holds the token to the labels;
    `logprobs` are those before it (`--logprobs-mode raw_logprobs`, the default) of the 20 likeliest tokens
    (`--max-logprobs`), beside that of the token drawn: what is no label is passed over and the rest taken as the whole.
    `continue_final_message` goes on with a label that has begun."""

    more = NO_THOUGHTS

    async def weigh(self, messages: Messages, labels: Sequence[str]) -> Weighed:
        if not self.weighs:
            return await super().weigh(messages, labels)
        try:
            return await walk(lambda begun: self._next(messages, labels, begun), labels)
        except Unheard as unheard:
            if unheard.status != 400:
                raise
        self.weighs = False  # a server that lends no log probabilities, or cannot go on from a message
        try:
            return await super().weigh(messages, labels)
        except Unheard:
            self.weighs = True  # it was something else
            raise

    async def _next(self, messages: Messages, labels: Sequence[str], begun: str) -> Next:
        left = [label[len(begun) :] for label in candidates(begun, labels) if label.startswith(begun)]
        fields: dict[str, Any] = {
            "model": self.model,
            "messages": [*messages, {"role": "assistant", "content": begun}] if begun else messages,
            "max_tokens": 1,
            "temperature": 0.0,
            "seed": 1,
            "logprobs": True,
            "top_logprobs": 20,
            "structured_outputs": {"choice": [text for text in left if text]},
            **NO_THOUGHTS,
        }
        if begun:
            fields |= {"add_generation_prompt": False, "continue_final_message": True}
        if not fields["structured_outputs"]["choice"]:
            del fields["structured_outputs"]
        told = read(await post(self.backend, "/chat/completions", fields), Chat)
        positions = told.positions
        if not positions:
            raise Unheard("invalid", 400)
        first = positions[0]
        tokens = {first.token: first.logprob, **{each.token: each.logprob for each in first.top_logprobs}}
        likely = [(token, math.exp(min(value, 0.0))) for token, value in tokens.items()]
        return Next(likely, told.usage.prompt_tokens, told.usage.completion_tokens)
