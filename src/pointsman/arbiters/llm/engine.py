"""What an arbiter asks of an engine, in whatever way that engine does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from pointsman.arbiter.llm.prompt import Messages


class Weighed(msgspec.Struct, frozen=True):
    """Shares of labels, together 1; labels without any may be missing. Tokens are those that the engine counted."""

    shares: dict[str, float]
    input_tokens: int = 0
    output_tokens: int = 0


class Written(msgspec.Struct, frozen=True):
    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class Engine(Protocol):
    """One backend. Raises Unheard where it gives nothing usable; cancelling frees its slot."""

    @property
    def weighs(self) -> bool:
        """Whether shares are probabilities; else each question gives one vote."""
        ...

    async def weigh(self, messages: Messages, labels: Sequence[str]) -> Weighed: ...

    async def write(self, messages: Messages, schema: dict[str, Any], most: int) -> Written:
        """JSON that the engine holds to the schema, greedily; at most so many tokens."""
        ...
