"""Who hears what a query asks for, where no rule could tell."""

from __future__ import annotations

from typing import Any, Protocol

from pointsman.domain.intent import Filled, Heard, Query


class Arbiter(Protocol):
    """One set of intents, one model. It never answers in prose."""

    @property
    def name(self) -> str: ...

    async def hear(self, query: Query) -> Heard:
        """Never raises for a fault of the model: `Heard.failure` says it. What is too long is cut by rule."""
        ...

    async def ready(self) -> bool:
        """Whether `hear` would answer now, without waiting for a model to load or to be trained."""
        ...

    async def aclose(self) -> None:
        """Ends what it holds. What is under way ends as a failure."""
        ...


class Filler(Protocol):
    """A language model that reads parameters in a query, as a JSON Schema wants them and in no other form."""

    async def fill(self, query: Query, action: str, schema: dict[str, Any]) -> Filled:
        """`action` says in the query's language what the parameters are for; `schema` is a JSON Schema of type object that
        holds what nobody else could fill. Never raises for a fault of the model. What the query does not say is left out,
        never made up."""
        ...
