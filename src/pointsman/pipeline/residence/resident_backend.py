"""A backend whose model comes and goes: the same, and what is known of that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pointsman.domain.said import Said
from pointsman.domain.target import BackendState, ModelFacts, Target, merge_facts
from pointsman.pipeline.residence.board import Board
from pointsman.ports.backend import Backend, BackendFailure, Call, EngineLoad, Stream


class ResidentBackend:
    """A Backend. One whose model can be loaded counts as up, and not resident; one whose model failed answers at once with
    why. `local`: without its model there is no server at all. `facts` are those that are known before it is there."""

    def __init__(self, inner: Backend, board: Board, *, local: bool, facts: ModelFacts) -> None:
        self._inner = inner
        self._board = board
        self._local = local
        self._facts = facts

    @property
    def target(self) -> Target:
        return self._inner.target

    @property
    def first_byte(self) -> float:
        return self._inner.first_byte

    @property
    def whole(self) -> bool:
        return self._inner.whole

    @property
    def upstream(self) -> Mapping[str, int]:
        return self._inner.upstream

    async def open(self, call: Call) -> Stream:
        residence = self._board.of(self.target.name)
        if residence is not None and self._board.failing(residence):
            raise BackendFailure("connect", residence.problem or Said("its model was not loaded", "模型没有加载"))
        return await self._inner.open(call)

    async def probe(self) -> BackendState:
        residence = self._board.of(self.target.name)
        if residence is None:
            return await self._inner.probe()
        name, took = self.target.name, residence.load_seconds
        if self._board.failing(residence):
            return BackendState(name, "down", self._facts, residence.problem, load_seconds=took, resident=False)
        there = residence.stage == "ready"
        if self._local and not there:
            return BackendState(name, "up", self._facts, load_seconds=took, resident=False)
        state = await self._inner.probe()
        self._facts = merge_facts(state.facts, self._facts)
        took = state.load_seconds if took is None else took
        return replace(state, facts=self._facts, load_seconds=took, resident=there)

    async def load(self) -> EngineLoad | None:
        return await self._inner.load() if self._is_there() else None

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        return await self._inner.count_tokens(messages) if self._is_there() else None

    async def close(self) -> None:
        await self._inner.close()

    def _is_there(self) -> bool:
        """Whether there is a server that could be asked."""
        residence = self._board.of(self.target.name)
        return not self._local or residence is None or residence.stage == "ready"
