"""A target that several nodes serve, to the pipeline one backend like any other: it follows its nodes, sends each request to
one of them, and says of all together how they are."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from pointsman.balancing.affinity import prefix_key
from pointsman.balancing.node import SLOW_START, Node
from pointsman.balancing.outlier import pause
from pointsman.domain.attempt import Attempt
from pointsman.domain.node import NodeChoice, NodeReport
from pointsman.domain.said import said
from pointsman.domain.target import BackendState, Target
from pointsman.pipeline.replicas.line import Around, Line
from pointsman.pipeline.replicas.member import Care, Member
from pointsman.pipeline.replicas.stream import NodeStream
from pointsman.pipeline.replicas.together import state_of
from pointsman.ports.backend import BackendFailure, Call, EngineLoad, NodeBackend, Stream
from pointsman.ports.ephemeral import Ephemeral
from pointsman.routing.breaker import outcome_of

EAGER = 1.0
"""Seconds from one look to the next at a node that does not serve, where others are not looked at even more often."""
FIRST = 3.0
"""Seconds that the first question for the pool's state waits for its nodes to be asked."""


class PoolSettings(msgspec.Struct, frozen=True):
    """`limit` requests at a node at a time (None: as it says); `prefix` characters of a conversation's beginning by which it
    returns to the node that has them in its cache (0: none); `slow_start` in seconds; `first_byte` as of a backend;
    `care` how nodes are watched."""

    limit: int | None = None
    prefix: int = 4096
    slow_start: float = SLOW_START
    first_byte: float = 300.0
    care: Care = Care()


class Pool:
    """`make` makes the adapter of one node; ValueError: it cannot be one, and says why. `changed` hears that the pool's
    state may be another one. For one event loop."""

    def __init__(
        self,
        target: Target,
        make: Callable[[NodeReport], NodeBackend],
        clock: Callable[[], float],
        settings: PoolSettings,
        me: str,
        shared: Ephemeral | None,
        around: Callable[[], Around],
        changed: Callable[[], None],
        draw: Callable[[], int] = lambda: secrets.randbits(32),
    ) -> None:
        self.settings = settings
        self.ejected: Callable[[str, str, int, float], None] | None = None
        """Hears of the pool's name, a node, how often this gateway has ejected it now, and for how many seconds."""
        self.members: dict[str, Member] = {}
        self._target = target
        self._make = make
        self._clock = clock
        self._changed = changed
        self._wrong: dict[str, tuple[NodeReport, str]] = {}
        """Nodes that no adapter could be made for, and why."""
        self._past: Counter[str] = Counter()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._wake: dict[str, asyncio.Event] = {}
        self._seen: dict[str, asyncio.Event] = {}
        self._trials: dict[str, asyncio.Task[None]] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._known = asyncio.Event()
        """Set once it was said which nodes there are."""
        self._shown: BackendState | None = None
        self._closed = False
        self.line = Line(target.name, me, self.nodes, draw, shared, around, settings.slow_start)

    # What nodes there are

    def install(self, reports: Sequence[NodeReport]) -> None:
        """These from now on. Who is gone gets nothing more, and what it is doing goes on."""
        if self._closed:
            return
        self._known.set()
        there = {report.name: report for report in reports}
        for name in [name for name in self.members if name not in there]:
            self._leave(name)
        self._wrong = {name: wrong for name, wrong in self._wrong.items() if name in there}
        for name, report in there.items():
            member = self.members.get(name)
            if member is not None and _same(member.report, report):
                calm = member.report.draining == report.draining
                member.report = report
                if not calm:
                    self._tell()
            else:
                self._leave(name)
                self._join(report)
        self._tell()

    def nodes(self) -> list[Node]:
        """All, for a choice; requests there aside."""
        return [member.view() for member in self.members.values()]

    def ejected_elsewhere(self, node: str, trips: int) -> None:
        """Another gateway saw it fail."""
        member = self.members.get(node)
        if member is not None and self._others(node):
            member.ejected_elsewhere(trips)
            self._tell()

    def told(self, attempt: Attempt) -> bool:
        """What came of a try. Whether it is nothing that the pool as a whole is to blame for: a node failed, and others are
        there."""
        outcome, _ = outcome_of(attempt)
        member = self.members.get(attempt.node or "")
        others = self._others(attempt.node or "")
        if outcome == "failure" and member is not None:
            if member.broke(others):
                self._wake[member.name].set()
                self._out(member)
            return others > 0
        if outcome == "success" and attempt.status is not None and member is not None:
            member.answered()
        return False

    async def take(self, turns: Sequence[tuple[str, str]], avoid: Collection[str]) -> NodeChoice | None:
        """A slot for a conversation of these (role, text), not at those to `avoid` where that can be; see Line.take."""
        return await self.line.take(prefix_key(turns, self.settings.prefix), avoid)

    @property
    def waiting(self) -> int:
        """Requests that passed the gate and wait for a slot."""
        return self.line.waiting

    @property
    def full(self) -> bool:
        """Whether one more would have to wait for a slot."""
        return self.line.full

    def give(self, node: str) -> None:
        """What was taken is over."""
        self.line.give(node)

    # As a backend

    @property
    def target(self) -> Target:
        return self._target

    @property
    def first_byte(self) -> float:
        return self.settings.first_byte

    @property
    def whole(self) -> bool:
        up = [member.backend.whole for member in self.members.values() if member.ready]
        return bool(up) and all(up)

    @property
    def upstream(self) -> Mapping[str, int]:
        return sum((Counter(member.backend.upstream) for member in self.members.values()), self._past.copy())

    async def open(self, call: Call) -> Stream:
        """To the node that the call holds a slot at, or to one that is picked now."""
        name, held = call.node, False
        if name is None:
            choice = self.line.take_now()
            if choice is None:
                raise BackendFailure("connect", self._nobody())
            name, held = choice.node, True
        opened = False
        try:
            member = self.members.get(name)
            if member is None:
                gone = said("node {node} has left", "节点 {node} 已离开", node=name)
                raise BackendFailure("connect", gone, elsewhere=self._others(name) > 0)
            try:
                async with member.under_way() as limit:
                    stream = await member.backend.open(call)
            except TimeoutError:
                if limit.expired():
                    raise self._lost(member) from None
                raise
            except BackendFailure as failure:
                if failure.kind == "connect":
                    member.unreached()
                    self._wake[name].set()
                    self._tell()
                    failure.elsewhere = self._others(name) > 0
                failure.message = said("node {node}: {why}", "节点 {node}：{why}", node=name, why=failure.message)
                raise
            opened = True

            def over(ended: NodeStream) -> None:
                member.unfollow(ended)
                if held:
                    self.line.give(name)

            under_way = NodeStream(stream, name, call.held_back, over)
            member.follow(under_way)
            return under_way
        finally:
            if held and not opened:
                self.line.give(name)

    async def probe(self) -> BackendState:
        """All together, by what each said last."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FIRST):
                await self._known.wait()
                await asyncio.gather(*(seen.wait() for seen in self._seen.values()))
        return self._state()

    async def load(self) -> EngineLoad | None:
        """Of the nodes together, as they said last; of their caches the fullest."""
        loads = [member.load for member in self.members.values() if member.ready and member.load is not None]
        if not loads:
            return None

        def total(values: Sequence[int | None]) -> int | None:
            known = [value for value in values if value is not None]
            return sum(known) if known else None

        return EngineLoad(
            total([each.running for each in loads]),
            total([each.waiting for each in loads]),
            total([each.preemptions for each in loads]),
            max((each.kv_cache_usage for each in loads if each.kv_cache_usage is not None), default=None),
        )

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        """By the first node that serves: they are alike."""
        for member in list(self.members.values()):
            if member.ready:
                return await member.backend.count_tokens(messages)
        return None

    async def close(self) -> None:
        """Streams under way go on."""
        self._closed = True
        for name in list(self.members):
            self._leave(name)
        await self.line.close()
        await asyncio.gather(*self._leaving, return_exceptions=True)

    # Inside

    def _join(self, report: NodeReport) -> None:
        name = report.name
        try:
            backend = self._make(report)
        except ValueError as error:
            self._wrong[name] = (report, error.args[0])
            return
        self._wrong.pop(name, None)
        self.members[name] = Member(
            report,
            backend,
            self._clock,
            limit=self.settings.limit,
            embedding=self._target.embedding,
            fresh=any(member.ready for member in self.members.values()),
            care=self.settings.care,
        )
        self._wake[name], self._seen[name] = asyncio.Event(), asyncio.Event()
        self._tasks[name] = asyncio.create_task(self._follow(self.members[name], self._wake[name], self._seen[name]))

    def _leave(self, name: str) -> None:
        member = self.members.pop(name, None)
        if member is None:
            return
        tasks = [self._tasks.pop(name), *([self._trials.pop(name)] if name in self._trials else [])]
        for task in tasks:
            task.cancel()
        del self._wake[name], self._seen[name]
        closing = asyncio.create_task(self._shut(member, tasks))
        self._leaving.add(closing)
        closing.add_done_callback(self._leaving.discard)

    async def _shut(self, member: Member, tasks: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.gather(*tasks, return_exceptions=True)
        await member.backend.close()
        self._past.update(member.backend.upstream)

    async def _follow(self, member: Member, wake: asyncio.Event, seen: asyncio.Event) -> None:
        while True:
            wake.clear()
            began, ejected = self._clock(), member.standing.ejected
            await member.look()
            seen.set()
            if member.standing.ejected != ejected:
                self._out(member)
            self._tell()
            if member.lost is not None and self._others(member.name):
                member.give_up(partial(self._lost, member))
            if member.due and member.name not in self._trials:
                self._trials[member.name] = asyncio.create_task(self._try_again(member))
            every = self.settings.care.every
            wait = every if member.health in ("up", "draining") else min(every, EAGER)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(max(began + wait - self._clock(), 0.0)):
                    await wake.wait()

    async def _try_again(self, member: Member) -> None:
        ejected = member.standing.ejected
        await member.try_again()
        self._trials.pop(member.name, None)
        if member.standing.ejected is not None and ejected is None:
            self._out(member)
        self._tell()

    def _out(self, member: Member) -> None:
        """It is left alone from now on; the other gateways hear of it where that is for a while."""
        standing = member.standing
        if self.ejected is not None and standing.ejected is not None:
            seconds = pause(standing, self.settings.care.ejection)
            self.ejected(self._target.name, member.name, standing.trips, seconds)
        self._tell()

    def _lost(self, member: Member) -> BackendFailure:
        """For what was under way at a node that is lost."""
        why = said("node {node}: {why}", "节点 {node}：{why}", node=member.name, why=member.lost or "")
        return BackendFailure("reset", why, elsewhere=self._others(member.name) > 0)

    def _others(self, node: str) -> int:
        """Nodes besides it that are ready."""
        return sum(member.ready for name, member in self.members.items() if name != node)

    def _nobody(self) -> str:
        problem = self._state().problem
        return problem or said("no node serves {target}", "没有节点提供 {target}", target=self._target.name)

    def _state(self) -> BackendState:
        return state_of(self._target.name, list(self.members.values()), [why for _, why in self._wrong.values()])

    def _tell(self) -> None:
        """Those who go by what the pool is like, where it is another one."""
        self.line.look()
        state = self._state()
        if state != self._shown:
            self._shown = state
            self._changed()


def _same(one: NodeReport, other: NodeReport) -> bool:
    """Whether it is the same process at the same place with the same models."""
    return _identity(one) == _identity(other)


def _identity(report: NodeReport) -> tuple[object, ...]:
    names = tuple((model.name, model.id) for model in report.models)
    return report.incarnation, report.address, report.engine, names
