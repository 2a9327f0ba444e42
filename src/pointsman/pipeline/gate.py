"""The gate before targets: a request goes in, waits for its turn, or is turned away. Carries out what admission/ decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import Admitted, Capacity, Loading, Place, Priority, Ticket, TurnedAway
from pointsman.domain.errors import PointsmanError
from pointsman.domain.node import NodeChoice
from pointsman.domain.request import Request
from pointsman.domain.residence import Demand
from pointsman.domain.said import Said, said
from pointsman.domain.target import Load, Snapshot
from pointsman.ports.clock import Clock

USUAL_REPLY = 1024
"""Tokens that a reply is taken to have whose length the client did not limit."""
LOOK = 0.5
"""Seconds between two looks of one that waits for a slot at a node: another target may have room by then."""
_PRIORITIES: dict[str | None, Priority] = {"high": "high", "low": "low", "batch": "low"}


class GateRules(msgspec.Struct, frozen=True):
    """`capacities` says of a snapshot what its targets hold. At most `most` requests wait, each at most `wait` seconds."""

    capacities: Callable[[Snapshot], Mapping[str, Capacity]]
    most: int = 256
    wait: float = 300.0


class Pool(Protocol):
    """The nodes of one target."""

    @property
    def waiting(self) -> int:
        """Requests that wait for a slot at a node."""
        ...

    @property
    def full(self) -> bool:
        """Whether one more would have to wait for a slot, by requests of this gateway or of others."""
        ...

    async def take(self, turns: Sequence[tuple[str, str]], avoid: Collection[str]) -> NodeChoice | None:
        """A slot for a conversation of these (role, text), once it is its turn; None where no node is ready."""
        ...

    def give(self, node: str) -> None:
        """A slot there is free again."""
        ...


class Gate:
    """For one event loop."""

    def __init__(self, clock: Clock, snapshot: Callable[[], Snapshot]) -> None:
        self._clock = clock
        self._snapshot = snapshot
        self._queue = Queue()
        self._rules = GateRules(lambda snapshot: {})
        self._seen: Snapshot | None = None
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._number = 0
        self._shut: frozenset[str] = frozenset()
        self._coming: frozenset[str] = frozenset()
        self.turned_away: Callable[[str], None] | None = None
        """Is told why, each time."""
        self.pools: Mapping[str, Pool] = {}
        """Targets that several nodes serve: who is let in to one waits there for a slot at a node."""
        self.stirred: Callable[[], None] | None = None
        """Hears that somebody came, waits, or left."""
        self.loading: Callable[[str], Loading] = Loading
        """What is said of a shut target to those that wait for it."""

    @property
    def waiting(self) -> int:
        return self._queue.waiting + sum(pool.waiting for pool in self.pools.values())

    def inside(self, target: str) -> tuple[int, int]:
        """Sequences and cells of it that are taken."""
        return self._queue.inside(target)

    def capacity(self, target: str) -> Capacity:
        """What it holds at a time, as far as is known."""
        return self._queue.capacity(target)

    def loads(self, targets: Iterable[str]) -> dict[str, Load]:
        """What these have to do now, those that are idle aside."""
        now = self._clock.monotonic()
        loads = {}
        for name in targets:
            in_flight, wait = self._queue.load(name, now)
            if in_flight or wait:
                loads[name] = Load(in_flight, round(wait, 1))
        return loads

    def shut(self, targets: frozenset[str], coming: frozenset[str]) -> None:
        """These let nobody in until others are named: their models are not in memory. Those of them in `coming` will
        soon be."""
        self._shut, self._coming = targets, coming
        self._call(self._queue.shut(targets, self._clock.monotonic()))

    def demands(self, targets: Iterable[str]) -> dict[str, Demand]:
        """What is wanted of these. Who may go to several is counted for those that are open, else for the first that comes,
        else for the first."""
        waiting: dict[str, int] = {}
        oldest: dict[str, float] = {}
        for ticket in self._queue.waits:
            for name in self._counts_for(ticket):
                waiting[name] = waiting.get(name, 0) + 1
                oldest[name] = min(oldest.get(name, ticket.arrived), ticket.arrived)
        return {
            name: Demand(waiting.get(name, 0), oldest.get(name), self._queue.inside(name)[0], self._queue.used(name))
            for name in targets
        }

    def all_shut(self, targets: Iterable[str]) -> bool:
        """Whether all of these have to be loaded first."""
        return bool(self._shut) and self._shut.issuperset(targets)

    def _counts_for(self, ticket: Ticket) -> Sequence[str]:
        opened = [name for name in ticket.targets if name not in self._shut]
        if opened:
            return opened
        return (next((name for name in ticket.targets if name in self._coming), ticket.targets[0]),)

    def install(self, rules: GateRules) -> None:
        """From here on these hold; who is inside stays."""
        self._rules, self._seen = rules, None
        self._queue.most = rules.most
        self._look()

    def changed(self) -> None:
        """What targets hold may be another thing now, though their state is not."""
        self._seen = None
        self._look()

    def pass_for(self, request: Request, cells: int) -> Pass:
        """For one request, whose prompt and reply may come to so many cells."""
        self._number += 1
        return Pass(self, f"{request.id}.{self._number}", request, cells)

    async def enter(self, ticket: Ticket) -> str:
        """The target that it may go to. Raises PointsmanError (429, 503). Cancelling it gives the turn back."""
        self._look()
        told = self._queue.arrive(ticket, self._clock.monotonic())
        if isinstance(told, Admitted):
            self._stir()
            return told.target
        if isinstance(told, TurnedAway):
            raise self._turned(told, ticket)
        self._stir()
        turn = self._waiting[ticket.id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(None if ticket.deadline is None else ticket.deadline - self._clock.monotonic()):
                target: str = await turn
                return target
        except TimeoutError:
            place = self._queue.place(ticket, self._clock.monotonic())
            self.leave(ticket.id)
            raise self._turned(TurnedAway("too_late", wait=place.wait), ticket) from None
        except BaseException:
            self.leave(ticket.id)
            raise
        finally:
            self._waiting.pop(ticket.id, None)

    def place(self, ticket: Ticket) -> Place | None:
        """Where one stands that waits; None where it does not."""
        if ticket.id not in self._waiting:
            return None
        place = self._queue.place(ticket, self._clock.monotonic())
        if not self._shut or (name := self._counts_for(ticket)[0]) not in self._shut:
            return place
        return msgspec.structs.replace(place, loading=self.loading(name))

    def holding(self, targets: Sequence[str], cells: int) -> Sequence[str]:
        """Those of them that could hold so many cells if nobody else were there."""
        self._look()
        return [name for name in targets if self._queue.holds(name, cells)]

    def open_first(self, targets: Sequence[str]) -> Sequence[str]:
        """The same, those last whose nodes have no slot free: others may be used by other gateways as well, so this gate's
        own count does not tell."""
        if len(targets) < 2 or not any(name in self.pools for name in targets):
            return targets
        return sorted(targets, key=self._is_full)

    def has_room(self, targets: Sequence[str], cells: int) -> bool:
        """Whether one of them would let it in at once."""
        return any(not self._is_full(name) and self._queue.fits(name, cells) for name in targets)

    def _is_full(self, target: str) -> bool:
        pool = self.pools.get(target)
        return pool is not None and pool.full

    def leave(self, ticket_id: str) -> None:
        """It is through, or does not want to any more."""
        self._call(self._queue.leave(ticket_id, self._clock.monotonic()))
        self._stir()

    def _stir(self) -> None:
        if self.stirred is not None:
            self.stirred()

    def _look(self) -> None:
        """Targets hold as much as the fleet says now."""
        snapshot = self._snapshot()
        if snapshot is not self._seen:
            self._seen = snapshot
            self._call(self._queue.install(self._rules.capacities(snapshot), self._clock.monotonic()))

    def _call(self, admitted: Sequence[Admitted]) -> None:
        for each in admitted:
            turn = self._waiting.get(each.ticket.id)
            if turn is not None and not turn.done():
                turn.set_result(each.target)

    def _turned(self, told: TurnedAway, ticket: Ticket) -> PointsmanError:
        if self.turned_away is not None:
            self.turned_away(told.why)
        if told.why == "never_fits":
            return PointsmanError(
                said(
                    "the prompt and its reply may come to {cells} tokens, and the largest cache holds {most}",
                    "提示词加回复可能达到 {cells} 个 token，而最大的缓存只容纳 {most} 个",
                    cells=ticket.cells,
                    most=told.most,
                ),
                code="never_fits",
            )
        wait = None if told.wait is None else max(round(told.wait), 1)
        about = Said("", "") if wait is None else said(" (about {wait} s)", "（约 {wait} 秒）", wait=wait)
        if told.why == "queue_full":
            en, zh = "{most} requests wait already{about}", "已有 {most} 个请求在排队{about}"
            if not told.most:
                en = "no target has room, and no request may wait (admission.queue: 0){about}"
                zh = "目标都没有空位，也不允许排队（admission.queue: 0）{about}"
            status, code = 429, "queue_full"
            message = said(en, zh, most=told.most, about=about)
        else:
            en, zh = "its turn does not come in time{about}", "无法在期限内轮到这个请求{about}"
            status, code = 503, "shed"
            message = said(en, zh, about=about)
        return PointsmanError(message, status=status, type="overloaded_error", code=code, retry_after=wait or 5)


class Pass:
    """One request at the gate, for as long as it may try targets. It holds at most one place."""

    def __init__(self, gate: Gate, id: str, request: Request, cells: int) -> None:
        self.waited = 0.0
        """Seconds, of all its turns."""
        self.loaded: str | None = None
        """The target whose model was loaded while it waited."""
        self._gate = gate
        self._id = id
        self._request = request
        self._cells = cells
        self._ticket: Ticket | None = None
        self._tries = 0
        self._pool: Pool | None = None
        self.choice: NodeChoice | None = None
        """The node at which it holds a slot, where its target has several."""
        self._tried: list[str] = []

    async def enter(self, targets: Sequence[str]) -> str:
        """The first of these that it may go to; what it held before, it holds no more. Raises as `Gate.enter`."""
        self.leave()
        gate, clock = self._gate, self._gate._clock
        began = clock.monotonic()
        cold = gate.all_shut(targets)
        left = list(targets)
        try:
            while True:
                self._ticket = ticket = self._next_ticket(gate.open_first(left), began)
                try:
                    target = await gate.enter(ticket)
                except BaseException:
                    self._ticket = None
                    raise
                self.loaded = target if cold else self.loaded
                pool = gate.pools.get(target)
                others = [other for other in targets if other != target]
                if pool is None or await self._take(pool, ticket, others):
                    return target
                left = [*others, target]
        finally:
            self.waited += clock.monotonic() - began

    def _next_ticket(self, targets: Sequence[str], began: float) -> Ticket:
        """Its next turn; it waits no longer for all of them together."""
        request, gate = self._request, self._gate
        self._tries += 1
        return Ticket(
            f"{self._id}.{self._tries}",
            request.user or request.caller,
            tuple(targets),
            self._cells,
            _PRIORITIES.get(request.priority, "normal"),
            gate._clock.monotonic(),
            began + gate._rules.wait,
        )

    async def _take(self, pool: Pool, ticket: Ticket, others: Sequence[str]) -> bool:
        """A slot at one of its nodes, not one that failed this request already where that can be. False: others have room
        meanwhile, and what it held is given back: the nodes are full by requests of other gateways."""
        gate, turns = self._gate, [(turn.role, turn.text) for turn in self._request.turns]
        try:
            left = None if ticket.deadline is None else ticket.deadline - gate._clock.monotonic()
            async with asyncio.timeout(left):
                if not others:
                    self.choice = await pool.take(turns, self._tried)
                elif (found := await self._beside(pool, pool.take(turns, self._tried), others)) is _ELSEWHERE:
                    self.leave()
                    return False
                else:
                    self.choice = found
        except TimeoutError:
            self.leave()
            raise gate._turned(TurnedAway("too_late"), ticket) from None
        except BaseException:
            self.leave()
            raise
        self._pool = pool
        return True

    async def _beside(
        self, pool: Pool, take: Coroutine[Any, Any, NodeChoice | None], others: Sequence[str]
    ) -> NodeChoice | None:
        """What `take` gives; _ELSEWHERE, and its turn given up, once one of the others has room."""
        taking = asyncio.create_task(take)
        try:
            while not (await asyncio.wait((taking,), timeout=LOOK))[0]:
                if self._gate.has_room(others, self._cells):
                    return _ELSEWHERE
            return taking.result()
        except asyncio.CancelledError:
            if taking.done() and not taking.cancelled() and (choice := taking.result()) is not None:
                pool.give(choice.node)  # it came at the very moment
            raise
        finally:
            if not taking.done():
                taking.cancel()
                await asyncio.gather(taking, return_exceptions=True)

    def holding(self, targets: Sequence[str]) -> Sequence[str]:
        """Those that could take it if nobody else were there."""
        return self._gate.holding(targets, self._cells)

    @property
    def place(self) -> Place | None:
        """Where it stands, while it waits."""
        return None if self._ticket is None else self._gate.place(self._ticket)

    def leave(self) -> None:
        """Gives back what it holds. Safe to call twice."""
        pool, self._pool, choice, self.choice = self._pool, None, self.choice, None
        if pool is not None and choice is not None:
            self._tried.append(choice.node)
            pool.give(choice.node)
        ticket, self._ticket = self._ticket, None
        if ticket is not None:
            self._gate.leave(ticket.id)


_ELSEWHERE = NodeChoice("", "only")


def cells_of(input_tokens: int, request: Request, context_length: int | None) -> int:
    """What a request may come to hold in a KV cache, in tokens."""
    reply = USUAL_REPLY if request.max_output is None else request.max_output
    if context_length is not None:
        reply = min(reply, max(context_length - input_tokens, 1))
    return input_tokens + reply
