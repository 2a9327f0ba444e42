"""What is known in this process of models that come and go: for its gate, its probes, and who asks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping

import msgspec

from pointsman.admission.ticket import Loading
from pointsman.domain.residence import Residence
from pointsman.pipeline.gate import Gate
from pointsman.ports.clock import Clock


class Board:
    """`changed` hears the target's name when its model came or went."""

    def __init__(self, gate: Gate, clock: Clock, changed: Callable[[str], None]) -> None:
        self.gate = gate
        self._clock = clock
        self._changed = changed
        self._residences: Mapping[str, Residence] = {}
        self._news = asyncio.Event()
        gate.loading = self._loading

    def __iter__(self) -> Iterator[Residence]:
        return iter(self._residences.values())

    def of(self, target: str) -> Residence | None:
        """None for a model that is always there, as far as anybody knows."""
        return self._residences.get(target)

    def failing(self, residence: Residence) -> bool:
        """It has failed, and nobody tries again yet: who wants it is told so at once."""
        return residence.blocked(self._clock.wall())

    async def settled(self, timeout: float) -> None:
        """Waits until nothing is being loaded, at most `timeout` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while any(each.stage == "loading" for each in self):
                    await self._news.wait()

    def take(self, residences: Mapping[str, Residence]) -> None:
        """From now on they are so: who waits for one that is ready goes in, and for one that is not nobody does."""
        before, self._residences = self._residences, residences
        out = [each for each in residences.values() if each.stage != "ready" and not self.failing(each)]
        coming = frozenset(each.target for each in out if each.stage == "loading")
        self.gate.shut(frozenset(each.target for each in out), coming)
        self._news.set()
        self._news = asyncio.Event()
        for name in {**before, **residences}:
            if _plain(before.get(name)) != _plain(residences.get(name)):
                self._changed(name)

    def _loading(self, target: str) -> Loading:
        residence = self._residences.get(target)
        if residence is None:
            return Loading(target)
        begun = max(self._clock.wall() - residence.since, 0.0) if residence.stage == "loading" else None
        return Loading(target, residence.load_seconds, begun)


def _plain(residence: Residence | None) -> Residence | None:
    return None if residence is None else msgspec.structs.replace(residence, progress=None)
