"""Who hears what a query asks for, where no rule could tell."""

from __future__ import annotations

from typing import Protocol

from pointsman.domain.intent import Heard
from pointsman.domain.said import Tongue


class Arbiter(Protocol):
    """One set of intents, one model. It never answers in prose."""

    @property
    def name(self) -> str: ...

    async def hear(self, query: str, *, tongue: Tongue) -> Heard:
        """Never raises for a fault of the model: `Heard.failure` says it. A query of any length; what is too long is cut by
        rule. `tongue` is the user's language, for what is filled in."""
        ...

    async def ready(self) -> bool:
        """Whether `hear` would answer now, without waiting for a model to load or to be trained."""
        ...

    async def aclose(self) -> None:
        """Ends what it holds. What is under way ends as a failure."""
        ...
