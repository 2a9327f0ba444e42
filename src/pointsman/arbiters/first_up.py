"""Several backends of one model as one arbiter, or one filler: the first that is up is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pointsman.domain.intent import Filled, Heard, Query
from pointsman.domain.target import Snapshot
from pointsman.ports.arbiter import Arbiter, Filler

T = TypeVar("T")


class FirstUp:
    """`arbiters` and `fillers` are by target, in the order of asking; `snapshot` says which are up. Who cannot be reached is
    passed over; none of them: unavailable."""

    def __init__(
        self,
        name: str,
        arbiters: Mapping[str, Arbiter],
        fillers: Mapping[str, Filler],
        snapshot: Callable[[], Snapshot],
    ) -> None:
        self.name = name
        self._arbiters = arbiters
        self._fillers = fillers
        self._snapshot = snapshot

    async def hear(self, query: Query) -> Heard:
        heard = Heard(arbiter=self.name, model="", failure="unavailable")
        for arbiter in self._up(self._arbiters):
            heard = await arbiter.hear(query)
            if heard.failure != "unavailable":
                break
        return heard

    async def fill(self, query: Query, action: str, schema: dict[str, Any]) -> Filled:
        filled = Filled(model="", failure="unavailable")
        for filler in self._up(self._fillers):
            filled = await filler.fill(query, action, schema)
            if filled.failure != "unavailable":
                break
        return filled

    async def ready(self) -> bool:
        return bool(self._up(self._arbiters))

    async def aclose(self) -> None:
        for arbiter in self._arbiters.values():
            await arbiter.aclose()

    def _up(self, several: Mapping[str, T]) -> list[T]:
        snapshot = self._snapshot()
        return [one for target, one in several.items() if snapshot.state(target).health == "up"]
