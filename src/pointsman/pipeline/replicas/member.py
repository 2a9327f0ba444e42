"""One node of a pool, as this gateway follows it: what it says, what its engine says, what came of what was sent there."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable

import msgspec

from pointsman.balancing.node import Node
from pointsman.balancing.outlier import FRESH, Ejection, Standing, adopted, due, failed, lost, pause, tried, worked
from pointsman.domain.node import NodeHealth, NodeReport, NodeStatus
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState
from pointsman.pipeline.replicas.stream import NodeStream
from pointsman.ports.backend import BackendFailure, Call, EngineLoad, NodeBackend

TRIAL = 30.0
"""Seconds that a call of the gateway's own may take that tries a node again."""
PROMPT = 0.2
"""Seconds in which most engines answer a probe: only after that their machines are asked whether they are there."""
_LISTED = 8


class ListedModel(msgspec.Struct, frozen=True):
    id: str = ""


class ModelList(msgspec.Struct, frozen=True):
    data: tuple[ListedModel, ...] = ()


class Care(msgspec.Struct, frozen=True):
    """How nodes are watched, in seconds: a look begins `every` so often, and has to be answered within `timeout`. What is
    under way at an engine that answers none for `silent` is given up (None: never). `ejection` is of those that fail."""

    every: float = 2.0
    timeout: float = 1.5
    silent: float | None = 30.0
    ejection: Ejection = Ejection()


class Member:
    """`limit` are requests that it may have at a time whatever it says. `fresh`: it has come while others serve, and starts
    slowly. For one event loop; whoever follows it calls `look` again and again, and `try_again` where that is `due`."""

    def __init__(
        self,
        report: NodeReport,
        backend: NodeBackend,
        clock: Callable[[], float],
        *,
        limit: int | None,
        embedding: bool,
        fresh: bool,
        care: Care,
    ) -> None:
        self.report = report
        self.backend = backend
        self.state: BackendState | None = None
        self.standing: Standing = FRESH
        self.load: EngineLoad | None = None
        self.lost: Said | None = None
        """Why what is under way there should be given up: its machine is cut off, or its engine dead."""
        self._clock = clock
        self._care = care
        self._limit = limit
        self._embedding = embedding
        self._fresh = fresh
        self._up_since: float | None = None
        self._observed: int | None = None
        """Requests that its engine worked on while others waited in it: no more than that are slots."""
        self._lie: Said | None = None
        self._unreached = False
        self._answered = clock()
        self._waiting: set[asyncio.Timeout] = set()
        self._streams: set[NodeStream] = set()

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
        if self.standing.doubted:
            return Said(*_DOUBTED)
        if self.standing.out:
            return said(*_EJECTED, seconds=f"{pause(self.standing, self._care.ejection):g}")
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
        standing = self.standing
        return Node(self.name, self.slots, busy, self.ready, age, standing.success, standing.unproven)

    async def look(self) -> None:
        """Asks its engine how it is, whether it serves the model, and how much it has to do. Never raises."""
        state, there = await self._probed()
        now = self._clock()
        if state.health == "up":
            self._answered = now
            self.lost = None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._care.timeout):
                    self._lie = await self._lies()
                    await self._measure()
            if self._up_since is None or self._unreached:
                self._up_since = self._clock() if self._fresh or self.state is not None else -math.inf
        else:
            self._lie = None
            self._up_since = now
            self.standing = lost(self.standing, now)
            silent = self._care.silent
            if not there:
                self.lost = Said(*_CUT_OFF)
            elif silent is not None and now - self._answered >= silent:
                self.lost = said(*_SILENT, seconds=f"{silent:g}")
        self._unreached = False
        self.state = state

    async def _probed(self) -> tuple[BackendState, bool]:
        """What its engine says, and whether its machine says anything, each within the same time: an engine that is busy
        is none that is gone."""
        probing = asyncio.create_task(self.backend.probe())
        try:
            await asyncio.wait((probing,), timeout=PROMPT)
            if probing.done() and probing.result().health == "up":
                return probing.result(), True
            there, state = await asyncio.gather(
                self.backend.reachable(max(self._care.timeout - PROMPT, PROMPT)), probing
            )
            return state, there or state.health == "up"
        finally:
            probing.cancel()

    @property
    def due(self) -> bool:
        """Whether it is time to try it again: it answers its probes, and is left alone."""
        up = self.state is not None and self.state.health == "up" and not self._unreached
        return up and due(self.standing, self._clock(), self._care.ejection)

    async def try_again(self) -> None:
        """By a call of the gateway's own. Never raises."""
        good = await self._works()
        if self.standing.out:
            returns = self.standing.ejected is not None
            self.standing = tried(self.standing, good, self._clock())
            if returns:
                self._up_since = self._clock()

    @contextlib.asynccontextmanager
    async def under_way(self) -> AsyncIterator[asyncio.Timeout]:
        """Around a call that has no answer yet: TimeoutError once the node is lost, and then the time-out has expired."""
        async with asyncio.timeout(None) as limit:
            self._waiting.add(limit)
            try:
                yield limit
            finally:
                self._waiting.discard(limit)

    def follow(self, stream: NodeStream) -> None:
        """It is under way there, until `unfollow`."""
        self._streams.add(stream)

    def unfollow(self, stream: NodeStream) -> None:
        """It is over."""
        self._streams.discard(stream)

    def give_up(self, failure: Callable[[], BackendFailure]) -> None:
        """What is under way there ends now, with a failure of its own each; see NodeStream.give_up."""
        waiting, self._waiting = self._waiting, set()
        for limit in waiting:
            limit.reschedule(asyncio.get_running_loop().time())
        for stream in list(self._streams):
            stream.give_up(failure())

    def answered(self) -> None:
        """Something that was sent there worked."""
        self.standing = worked(self.standing, self._clock())

    def broke(self, others: int) -> bool:
        """Something that was sent there failed; `others` are ready nodes besides it. Whether it is left alone by that."""
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
_DOUBTED = (
    "a request failed there: it gets none until a call of the gateway's own works",
    "有请求在那里失败：网关自己的试探调用成功之前不再向它发送请求",
)
_EJECTED = (
    "what was sent there failed: it is left alone for {seconds} s and until a call of the gateway's own works",
    "发往那里的请求失败：{seconds} 秒内暂不使用，之后要等网关自己的试探调用成功",
)
_CUT_OFF = (
    "its machine does not answer any more",
    "它所在的机器不再有任何回应",
)
_SILENT = (
    "its engine has answered nothing for {seconds} s",
    "它的引擎已有 {seconds} 秒没有任何回应",
)
_NO_MODEL = (
    'it says that it serves "{model}", and its engine lists {names}: nothing is sent there',
    "自称提供“{model}”，但它的引擎列出的是 {names}：不会向它发送请求",
)
