"""An inference server that the gateway itself runs, as the adapter before it sees it."""

from __future__ import annotations

from typing import Literal, Protocol

from pointsman.domain.target import ModelFacts


class LocalServer(Protocol):
    """`address` is its base URL while it is up, else None, and may change at a restart; `problem` is the last failure,
    for people; `facts` what is known from the model's file; `load_seconds` how long it took to come up the last time, None
    before it did. `settled` waits until the present start has ended well or
    badly, at most `timeout` seconds."""

    address: str | None
    state: Literal["loading", "up", "down"]
    problem: str | None
    facts: ModelFacts
    load_seconds: float | None

    async def settled(self, timeout: float | None = None) -> Literal["loading", "up", "down"]: ...
