"""Along the spellings of labels, for engines that can be asked how a reply goes on which has begun."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from pointsman.arbiter.llm.labels import Tokens, settle, split
from pointsman.arbiters.llm.engine import Weighed
from pointsman.arbiters.llm.exchange import Unheard

LEAST = 0.02
"""A share below this is split among the labels that it may still become, instead of asking again."""
MOST_ASKED = 32


class Next(msgspec.Struct, frozen=True):
    """The tokens that may come next, and what it took to know them."""

    tokens: Tokens
    input_tokens: int = 0
    output_tokens: int = 0


async def walk(ask: Callable[[str], Awaitable[Next]], labels: Sequence[str]) -> Weighed:
    """`ask` tells how a reply goes on that begins with a text, which is empty at first. Raises Unheard where the engine
    sees no label at all."""
    shares = dict.fromkeys(labels, 0.0)
    if len(labels) == 1:
        return Weighed({labels[0]: 1.0})
    waiting = {"": 1.0}
    read = written = asked = 0
    while waiting:
        text = max(waiting, key=lambda text: (waiting[text], text))
        share = waiting.pop(text)
        decided: dict[str, float] = {}
        longer: dict[str, float] = {}
        if share >= LEAST and asked < MOST_ASKED:
            told = await ask(text)
            asked, read, written = asked + 1, read + told.input_tokens, written + told.output_tokens
            decided, longer = settle(text, told.tokens, labels)
            if not text and not decided and not longer:
                raise Unheard("invalid")
        if not decided and not longer:
            decided = split(text, 1.0, labels)
        for label, part in decided.items():
            shares[label] += share * part
        for more, part in longer.items():
            waiting[more] = waiting.get(more, 0.0) + share * part
    return Weighed(shares, read, written)
