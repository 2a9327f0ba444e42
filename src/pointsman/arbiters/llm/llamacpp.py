"""llama.cpp: `/completion` with a grammar, on the model's own chat template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pointsman.arbiter.llm.labels import candidates
from pointsman.arbiter.llm.prompt import Messages
from pointsman.arbiters.llm.engine import Weighed, Written
from pointsman.arbiters.llm.exchange import NO_THOUGHTS, Unheard, events, post, read
from pointsman.arbiters.llm.walk import Next, walk
from pointsman.ports.backend import Backend

END = "\n"
"""Ends a label in the grammar, so that one label may begin another."""
NEVER = "~^|#§"
"""Characters; the first that no label has is what the sampler is made to want."""
SEED = 1


class Rendered(msgspec.Struct, frozen=True):
    prompt: str


class Probable(msgspec.Struct, frozen=True):
    token: str
    prob: float


class Position(msgspec.Struct, frozen=True):
    top_probs: tuple[Probable, ...] = ()


class Timings(msgspec.Struct, frozen=True):
    prompt_n: int = 0
    predicted_n: int = 0


class Event(msgspec.Struct, frozen=True):
    content: str = ""
    completion_probabilities: tuple[Position, ...] = ()
    timings: Timings = Timings()


class LlamaCppEngine:
    """Measured on xllamacpp 2026.10.11549. The server samples freely first, and applies the grammar only where what it drew
    does not fit: whether `post_sampling_probs` know of the grammar depends on the draw. So one character that no label has
    gets a bias of +100: the free draw never fits, and the probabilities are always those under the grammar. Chat replies
    begin with a hidden code fence and their log probabilities come before the grammar, so it is `/completion`. Streams,
    because the server sees the hang-up of another client late."""

    weighs = True

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def _render(self, messages: Messages) -> str:
        fields = {"messages": messages, **NO_THOUGHTS}
        return read(await post(self._backend, "/apply-template", fields, root=True), Rendered).prompt

    async def weigh(self, messages: Messages, labels: Sequence[str]) -> Weighed:
        prompt = await self._render(messages)
        never = next((mark for mark in NEVER if not any(mark in label for label in labels)), None)

        async def ask(begun: str) -> Next:
            left = candidates(begun, labels)
            fields: dict[str, Any] = {
                "prompt": prompt + begun,
                "grammar": grammar([label[len(begun) :] + END for label in left]),
                "n_predict": 1,
                "n_probs": 1000,
                "post_sampling_probs": True,
                "temperature": 1.0,
                "top_k": 0,
                "top_p": 1.0,
                "min_p": 0.0,
                "seed": SEED,
                "cache_prompt": True,
                "stream": True,
            }
            if never is not None:
                fields["logit_bias"] = [[never, 100]]
            told = await self._complete(fields)
            positions = [position for event in told for position in event.completion_probabilities]
            if not positions:
                raise Unheard("invalid")
            spent = told[-1].timings
            tokens = [(each.token, each.prob) for each in positions[0].top_probs]
            return Next(tokens, spent.prompt_n, spent.predicted_n)

        return await walk(ask, labels)

    async def write(self, messages: Messages, schema: dict[str, Any], most: int) -> Written:
        fields = {
            "prompt": await self._render(messages),
            "json_schema": schema,
            "n_predict": most,
            "temperature": 0.0,
            "seed": SEED,
            "cache_prompt": True,
            "stream": True,
        }
        told = await self._complete(fields)
        spent = told[-1].timings
        return Written("".join(event.content for event in told), spent.prompt_n, spent.predicted_n)

    async def _complete(self, fields: dict[str, Any]) -> list[Event]:
        found = [read(data, Event) for data in events(await post(self._backend, "/completion", fields, root=True))]
        if not found:
            raise Unheard("invalid")
        return found


def grammar(texts: Sequence[str]) -> str:
    """One of these texts, in llama.cpp's GBNF."""
    return "root ::= " + " | ".join('"' + "".join(map(_escaped, text)) + '"' for text in texts)


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\x{ord(character):02X}" if ord(character) < 32 else character
