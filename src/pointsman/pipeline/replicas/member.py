"""One node of a pool, as this gateway follows it: what it says, what its engine says, what came of what was sent there."""

from __future__ import annotations

import math
from collections.abc import Callable

import msgspec

from pointsman.balancing.node import Node
from pointsman.balancing.outlier import FRESH, Standing, adopted, due, failed, tried, worked
from pointsman.domain.node import NodeHealth, NodeReport, NodeStatus
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState
from pointsman.ports.backend import Backend, BackendFailure, Call, EngineLoad

TRIAL = 30.0
"""Seconds that a call of the gateway's own may take that tries a node again."""
_LISTED = 8


class ListedModel(msgspec.Struct, frozen=True):
    id: str = ""


class ModelList(msgspec.Struct, frozen=True):
    data: tuple[ListedModel, ...] = ()


class Member:
    """`limit` are requests that it may have at a time whatever it says. `fresh`: it has come while others serve, and starts
    slowly. For one event loop; whoever follows it calls `look` again and again."""

    def __init__(
        self,
        report: NodeReport,
        backend: Backend,
        clock: Callable[[], float],
        *,
        limit: int | None,
        embedding: bool,
        fresh: bool,
    ) -> None:
        self.report = report
        self.backend = backend
        self.state: BackendState | None = None
        self.standing: Standing = FRESH
        self.load: EngineLoad | None = None
        self._clock = clock
        self._limit = limit
        self._embedding = embedding
        self._fresh = fresh
        self._up_since: float | None = None
        self._observed: int | None = None
        """Requests that its engine worked on while others waited in it: no more than that are slots."""
        self._lie: Said | None = None
        self._unreached = False

    @property
    def name(self) -> str:
        return self.report.name

    @property
    def claimed(self) -> int | None:
        """Slots as it, its engine and the config say: the least of them."""
        facts = self.state.facts.slots if self.state is not None else None
        told = [slots for slots in (self.report.slots, facts, self._limit) if slots is not None]
        return min(told, default=None)

    @property
    def slots(self) -> int | None:
        """The same, but no more than what was seen to be true."""
        told = [slots for slots in (self.claimed, self._observed) if slots is not None]
        return min(told, default=None)

    @property
    def health(self) -> NodeHealth:
        if self._lie is not None:
            return "refused"
        if self.report.draining:
            return "draining"
        if self.standing.out:
            return "ejected"
        if self._unreached:
            return "down"
        return "unknown" if self.state is None else self.state.health

    @property
    def ready(self) -> bool:
        return self.health == "up"

    @property
    def problem(self) -> str | None:
        """A sentence for people, also of a node that serves."""
        if self._lie is not None:
            return self._lie
        claimed = self.claimed
        if self._observed is not None and claimed is not None and self._observed < claimed:
            return said(*_FEWER, claimed=claimed, observed=self._observed)
        if self.standing.out:
            return said(*_EJECTED, failures=self.standing.row)
        if self.report.draining:
            return Said("it is leaving", "正在退出")
        told = self.state.problem if self.state is not None else None
        return told or self.report.problem

    def status(self) -> NodeStatus:
        problem = self.problem
        return NodeStatus(self.name, self.health, self.slots, None if problem is None else problem)

    def view(self, busy: int = 0) -> Node:
        """For the choice of a node."""
        age = math.inf if self._up_since is None else self._clock() - self._up_since
        return Node(self.name, self.slots, busy, self.ready, age, self.standing.success)

    async def look(self) -> None:
        """Asks its engine how it is, whether it serves the model, and how much it has to do; tries it again where that is
        due. Never raises."""
        state = await self.backend.probe()
        self._lie = await self._lies() if state.health == "up" else None
        if state.health == "up":
            await self._measure()
            if due(self.standing, self._clock()):
                self.standing = tried(self.standing, await self._works(), self._clock())
                self._up_since = self._clock()
            elif self._up_since is None or self._unreached:
                self._up_since = self._clock() if self._fresh or self.state is not None else -math.inf
        else:
            self._up_since = self._clock()
        self._unreached = False
        self.state = state

    def answered(self) -> None:
        """Something that was sent there worked."""
        self.standing = worked(self.standing)

    def broke(self, others: int) -> bool:
        """Something that was sent there failed; `others` are ready nodes besides it. Whether it is ejected by that."""
        before = self.standing.out
        self.standing = failed(self.standing, self._clock(), others)
        return self.standing.out and not before

    def unreached(self) -> None:
        """Nobody answers there: it gets nothing until a probe has found it well."""
        self._unreached = True

    def ejected_elsewhere(self, trips: int) -> None:
        """Another gateway has ejected it."""
        if not self.standing.out:
            self.standing = adopted(self.standing, self._clock(), trips)

    async def _lies(self) -> Said | None:
        """Whether it says that it has a model that its engine does not know; a node that the config lists says nothing."""
        model = self.report.model(self.backend.target.model)
        if model is None:
            return None
        try:
            stream = await self.backend.open(Call("/models", b"", method="GET", first_byte=5.0, idle=5.0))
            listed = msgspec.json.decode(await stream.read(4 << 20), type=ModelList) if stream.status == 200 else None
        except (BackendFailure, msgspec.DecodeError):
            return None
        names = [entry.id for entry in listed.data] if listed is not None else []
        if not names or (model.id or model.name) in names:
            return None
        return said(*_NO_MODEL, model=model.id or model.name, names=", ".join(names[:_LISTED]))

    async def _measure(self) -> None:
        try:
            load = self.load = await self.backend.load()
        except BackendFailure:  # the next probe tells
            return
        if load is None or load.running is None:
            return
        if load.waiting and self.claimed is not None and load.running < self.claimed:
            self._observed = max(load.running, 1)
        elif self._observed is not None and load.running > self._observed:
            self._observed = load.running

    async def _works(self) -> bool:
        """One token of the gateway's own: whoever is ejected is tried without somebody's request."""
        model = self.backend.target.model
        path, asked = "/chat/completions", dict[str, object](_PING, model=model)
        if self._embedding:
            path, asked = "/embeddings", {"model": model, "input": "ping"}
        try:
            stream = await self.backend.open(Call(path, msgspec.json.encode(asked), first_byte=TRIAL, idle=TRIAL))
            await stream.read(1 << 20)
        except BackendFailure:
            return False
        return stream.status < 500


_PING: dict[str, object] = {"messages": [{"role": "user", "content": "ping"}], "max_tokens": 1}
_FEWER = (
    "it says that it has {claimed} slots, and worked on {observed} requests while others waited in it: it gets {observed}",
    "自称有 {claimed} 个槽位，却在有请求排队时只处理 {observed} 个：按 {observed} 个计",
)
_EJECTED = (
    "{failures} tries in a row failed: it is left alone until a call of the gateway's own works",
    "连续 {failures} 次失败：暂不使用，直到网关自己的试探调用成功",
)
_NO_MODEL = (
    'it says that it serves "{model}", and its engine lists {names}: nothing is sent there',
    "自称提供“{model}”，但它的引擎列出的是 {names}：不会向它发送请求",
)
