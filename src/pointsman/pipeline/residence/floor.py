"""Where requests wait for models: the gate of this process, or those of several."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Protocol

from pointsman.domain.residence import Demand, Residence
from pointsman.pipeline.residence.board import Board


class Floor(Protocol):
    def demands(self, targets: Iterable[str]) -> Mapping[str, Demand]:
        """What is wanted of each of them now."""
        ...

    def tell(self, residences: Mapping[str, Residence]) -> None:
        """How they are from now on: nobody new goes in to one that is not ready."""
        ...

    async def emptied(self, target: str) -> None:
        """Returns when nobody is inside; it must not be ready."""
        ...


class GateFloor:
    """The gate of this process. `stirred` is to be called whenever somebody came or left there."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._leaving: dict[str, list[asyncio.Future[None]]] = {}

    def demands(self, targets: Iterable[str]) -> Mapping[str, Demand]:
        return self._board.gate.demands(targets)

    def tell(self, residences: Mapping[str, Residence]) -> None:
        self._board.take(residences)

    async def emptied(self, target: str) -> None:
        while self._board.gate.inside(target)[0]:
            left = asyncio.get_running_loop().create_future()
            self._leaving.setdefault(target, []).append(left)
            await left

    def stirred(self) -> None:
        """Somebody came or left."""
        if not self._leaving:
            return
        for target in [name for name in self._leaving if not self._board.gate.inside(name)[0]]:
            for left in self._leaving.pop(target):
                if not left.done():
                    left.set_result(None)
