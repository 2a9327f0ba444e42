"""What outlives a run of an action and a reload of the config: processes and connections, kept while they are wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar


class Resident(Protocol):
    async def retire(self) -> None:
        """Nobody new will use it: it ends once those are through that use it now."""

    async def close(self) -> None:
        """Ends it at once, with all that is under way."""


R = TypeVar("R", bound=Resident)


class Residents:
    """By a key that says all that they are made of. A reload asks for those that it wants, and then sweeps out the others.
    For one event loop."""

    def __init__(self) -> None:
        self._here: dict[str, Resident] = {}
        self._wanted: set[str] = set()
        self._retiring: dict[asyncio.Task[None], Resident] = {}

    def get(self, key: str, make: Callable[[], R], kind: type[R]) -> R:
        """The one of that key, made where there is none."""
        self._wanted.add(key)
        found = self._here.get(key)
        if not isinstance(found, kind):
            self._here[key] = found = make()
        return found

    def sweep(self) -> None:
        """Retires those that nobody has asked for since the last time."""
        for key in [key for key in self._here if key not in self._wanted]:
            gone = self._here.pop(key)
            task = asyncio.create_task(gone.retire())
            self._retiring[task] = gone
            task.add_done_callback(self._retired)
        self._wanted.clear()

    async def close(self) -> None:
        """Ends all of them."""
        everyone = [*self._here.values(), *self._retiring.values()]
        self._here.clear()
        await asyncio.gather(*(one.close() for one in everyone))
        await asyncio.gather(*self._retiring, return_exceptions=True)

    def _retired(self, task: asyncio.Task[None]) -> None:
        self._retiring.pop(task, None)
