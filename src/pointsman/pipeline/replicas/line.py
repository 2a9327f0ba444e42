"""Whose turn it is at the nodes of one pool. Where this gateway is alone, it decides at once by what it knows; where others
use the pool as well and its slots are known, all of them stand in one line in the store (balancing/ledger.py), so that a
request waits until a node really has a slot for it. Where the store cannot be used, each goes by what it sees itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from pointsman.balancing.ledger import EMPTY, Grant, Ledger, Waiter, turn
from pointsman.balancing.node import Node, has_room, load
from pointsman.balancing.pick import pick, preferred
from pointsman.domain.node import NodeChoice
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError

POLL = 0.004
"""Seconds between two looks of a gateway whose requests wait in the line: another one may have given them a slot."""
KEPT = 3600.0
"""Seconds that a ledger is kept in which nothing changes; each turn of somebody renews it."""
_OTHERS = "others"
_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_decode = msgspec.msgpack.Decoder(Ledger).decode


class Around(msgspec.Struct, frozen=True):
    """Who else uses the pool: gateways that are `alive`, this one included; None: this one goes by itself. `outside` are the
    requests that the others had at each node a moment ago."""

    alive: Collection[str] | None = None
    outside: Mapping[str, int] = {}


class _Waiting(msgspec.Struct):
    waiter: Waiter
    turn: asyncio.Future[NodeChoice | None]
    key: str
    avoid: Collection[str]


class Line:
    """`nodes` tells those of the pool as they are now, `draw` gives a number to draw two of them by. For one event loop."""

    def __init__(
        self,
        pool: str,
        me: str,
        nodes: Callable[[], Sequence[Node]],
        draw: Callable[[], int],
        shared: Ephemeral | None,
        around: Callable[[], Around],
        slow_start: float,
    ) -> None:
        self._key = f"pool/{pool}"
        self._me = me
        self._nodes = nodes
        self._draw = draw
        self._shared = shared
        self._around = around
        self._slow_start = slow_start
        self._held: dict[str, int] = {}
        self._waiting: dict[int, _Waiting] = {}
        self._number = 0
        self._known: bytes | None = None
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._chosen: dict[int, NodeChoice] = {}
        self.failed: Callable[[StoreError], None] = _ignored
        """Hears that the store cannot be used."""

    @property
    def held(self) -> Mapping[str, int]:
        """Requests of this gateway at each node."""
        return self._held

    @property
    def waiting(self) -> int:
        """Requests of this gateway that have no slot yet."""
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Whether one more would have to wait, as far as is known: nodes serve, and none of them has room."""
        nodes = self._busy(self._nodes())
        return bool(self._waiting) or (
            any(node.ready for node in nodes) and not any(has_room(node, self._slow_start) for node in nodes)
        )

    async def take(self, key: str = "", avoid: Collection[str] = ()) -> NodeChoice | None:
        """A slot at a node, once it is this one's turn; it is held until it is given back. None where no node is ready.
        Cancelling it gives up the turn."""
        self._number += 1
        number = self._number
        nodes = self._nodes()
        if not any(node.ready for node in nodes):
            return None
        home = preferred(self._busy(nodes), key, self._slow_start) if key else None
        waiting = self._waiting[number] = _Waiting(
            Waiter(self._me, number, home.name if home is not None else ""),
            asyncio.get_running_loop().create_future(),
            key,
            avoid,
        )
        self.look()
        try:
            return await waiting.turn
        except BaseException:
            self._waiting.pop(number, None)
            if waiting.turn.done() and not waiting.turn.cancelled() and (choice := waiting.turn.result()) is not None:
                self.give(choice.node)
            else:
                self.look()
            raise

    def take_now(self, avoid: Collection[str] = ()) -> NodeChoice | None:
        """The same without a turn: for calls that did not pass the gate."""
        choice = pick(self._busy(self._nodes()), self._draw(), "", avoid, self._slow_start)
        if choice is not None:
            self._held[choice.node] = self._held.get(choice.node, 0) + 1
        return choice

    def give(self, node: str) -> None:
        """What was held there is over."""
        left = self._held.get(node, 0) - 1
        if left > 0:
            self._held[node] = left
        else:
            self._held.pop(node, None)
        self.look()

    def look_again(self) -> None:
        """Whatever may have become of the ledger."""
        self._known = None
        self.look()

    def look(self) -> None:
        """Something changed: a node, another gateway, who waits."""
        nodes = self._nodes()
        if self._waiting and not any(node.ready for node in nodes):
            for waiting in self._waiting.values():
                _tell(waiting, None)
            self._waiting.clear()
        if not self._together(nodes):
            self._turn_alone(nodes)
            return
        self._wake.set()
        if self._task is None:
            self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for waiting in self._waiting.values():
            _tell(waiting, None)
        self._waiting.clear()

    # Inside

    def _together(self, nodes: Sequence[Node]) -> bool:
        """Whether the line is in the store."""
        alive = self._around().alive
        return (
            self._shared is not None
            and alive is not None
            and len(alive) > 1
            and all(node.slots is not None for node in nodes if node.ready)
        )

    def _busy(self, nodes: Sequence[Node]) -> list[Node]:
        outside = self._around().outside
        return [
            msgspec.structs.replace(node, in_flight=self._held.get(node.name, 0) + outside.get(node.name, 0))
            for node in nodes
        ]

    def _turn_alone(self, nodes: Sequence[Node]) -> None:
        if not self._waiting:
            return
        others = Ledger({_OTHERS: dict(self._around().outside)})
        granted = self._turn(others, nodes, (self._me, _OTHERS))[1]
        self._hand_out(granted)

    def _turn(self, ledger: Ledger, nodes: Sequence[Node], alive: Collection[str]) -> tuple[Ledger, list[Grant]]:
        self._chosen.clear()
        waiters = [each.waiter for each in self._waiting.values() if not each.turn.done()]
        return turn(ledger, self._me, self._held, waiters, nodes, alive, self._choose, self._slow_start)

    def _choose(self, room: Sequence[Node], waiter: Waiter) -> str:
        own = self._waiting.get(waiter.number) if waiter.gateway == self._me else None
        if own is None:
            return next((node.name for node in room if node.name == waiter.want), min(room, key=load).name)
        choice = pick(room, self._draw(), own.key, own.avoid, self._slow_start)
        assert choice is not None
        self._chosen[waiter.number] = choice
        return choice.node

    def _hand_out(self, granted: Sequence[Grant]) -> None:
        for grant in granted:
            waiting = self._waiting.pop(grant.number, None)
            if (
                waiting is None or waiting.turn.done()
            ):  # it gave up meanwhile: the next turn writes what is held without it
                self._wake.set()
                continue
            self._held[grant.node] = self._held.get(grant.node, 0) + 1
            _tell(waiting, self._chosen.get(grant.number) or NodeChoice(grant.node, "turn", 0, (grant.node,)))

    async def _work(self) -> None:
        while True:
            try:
                async with asyncio.timeout(POLL if self._waiting else None):
                    await self._wake.wait()
            except TimeoutError:
                self._known = None
            self._wake.clear()
            nodes = self._nodes()
            if not self._together(nodes):
                self._turn_alone(nodes)
                continue
            try:
                await self._turn_together()
            except (StoreError, msgspec.DecodeError) as error:
                self._known = None
                if isinstance(error, StoreError):
                    self.failed(error)
                self._turn_alone(self._nodes())

    async def _turn_together(self) -> None:
        """Until nobody came between reading and writing."""
        assert self._shared is not None
        known, read, lost = self._known, False, 0
        while True:
            if known is None and not read:
                known, read = await self._shared.get(self._key), True
            ledger = _decode(known) if known is not None else EMPTY
            alive = self._around().alive or (self._me,)
            after, granted = self._turn(ledger, self._nodes(), alive)
            if after == ledger and not granted:  # a slot that is free here and taken again leaves it as it was
                self._known = known
                return
            value = _encode(after)
            if await self._shared.swap(self._key, known, value, KEPT):
                self._known = value
                self._hand_out(granted)
                return
            known, read, lost = None, False, lost + 1
            if lost > 1:  # others are as eager: let one of them go first
                await asyncio.sleep(POLL * lost * (self._draw() % 100) / 100)


def _tell(waiting: _Waiting, choice: NodeChoice | None) -> None:
    if not waiting.turn.done():
        waiting.turn.set_result(choice)


def _ignored(error: StoreError) -> None:
    """Nobody wants to know."""
