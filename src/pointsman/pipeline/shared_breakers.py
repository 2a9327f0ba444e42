"""One state of circuit breakers over all gateways and workers of a store: who sees a target fail tells the others, and one
at a time tries it again. Best effort: where the store cannot be used, each goes by what it sees itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Coroutine

import msgspec

from pointsman.domain.said import Said
from pointsman.pipeline.breakers import Breakers
from pointsman.ports.clock import Clock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError
from pointsman.routing.breaker import Breaker, State, reopens
from pointsman.routing.causes import Cause

log = logging.getLogger("pointsman")

EVERY = 1.0
"""Seconds between two looks at what others saw."""
LEASE = 10.0
"""Seconds that one may try a target, unless it says that it still does."""
PATIENCE = 5.0
"""Seconds after which who may try one but has no request for it lets others, if they want to."""
_SEEN, _TURN, _WANTED = "breaker/", "breaker-turn/", "breaker-wanted/"
_REMEMBERED = 30.0


class Told(msgspec.Struct, frozen=True, array_like=True):
    """A breaker that came into this state; `id` is this event's."""

    id: str
    state: State
    trips: int = 0
    cause: Cause | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Told).decode


class SharedBreakers:
    """`Breakers.shared`. For one event loop."""

    def __init__(self, breakers: Breakers, shared: Ephemeral, clock: Clock) -> None:
        self._breakers = breakers
        self._shared = shared
        self._clock = clock
        self._name = secrets.token_hex(8).encode()
        self._heard: dict[str, str] = {}
        self._turns: dict[str, float] = {}
        """Whose turn is ours, and since when."""
        self._asking: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking: asyncio.Task[None] | None = None
        self._fails = False

    def start(self) -> None:
        """From here on it hears the others. Safe to call twice."""
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def close(self) -> None:
        tasks = [*self._tasks, *([] if self._looking is None else [self._looking])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(StoreError):
            for target in list(self._turns):
                await self._shared.delete(_TURN + target)

    def may_try(self, target: str) -> bool:
        """Whether this is the one that may. Where it is not known yet it is asked, and `probed` comes again soon."""
        if target in self._turns:
            return True
        if target not in self._asking:
            self._asking.add(target)
            self._do(self._ask(target))
        return False

    def changed(self, target: str, breaker: Breaker) -> None:
        """Its state is another one, by what was seen here."""
        if breaker.state != "half_open":
            self._do(self._tell(target, breaker))

    # Inside

    def _do(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _ask(self, target: str) -> None:
        try:
            won = await self._shared.swap(_TURN + target, None, self._name, LEASE)
            if not won:
                await self._shared.put(_WANTED + target, self._name, PATIENCE)
            self._works()
        except StoreError as error:
            won = True
            self._broken(error)
        self._asking.discard(target)
        if won:
            self._turns[target] = self._clock.monotonic()
            self._breakers.turn_came(target)

    async def _tell(self, target: str, breaker: Breaker) -> None:
        told = Told(secrets.token_hex(8), breaker.state, breaker.trips, breaker.cause)
        pause = reopens(breaker, self._breakers.rules) - breaker.since
        self._heard[target] = told.id
        try:
            await self._shared.put(_SEEN + target, _encode(told), pause if told.state == "open" else _REMEMBERED)
            if self._turns.pop(target, None) is not None:
                await self._shared.delete(_TURN + target)
            self._works()
        except StoreError as error:
            self._turns.pop(target, None)
            self._broken(error)

    async def _look(self) -> None:
        first = True
        while True:
            try:
                for key, value in (await self._shared.scan(_SEEN)).items():
                    self._hear(key.removeprefix(_SEEN), _decode(value), first)
                await self._keep_turns()
                self._works()
            except (StoreError, msgspec.DecodeError) as error:
                self._broken(error)
            first = False
            await asyncio.sleep(EVERY)

    def _hear(self, target: str, told: Told, first: bool) -> None:
        if self._heard.get(target) == told.id:
            return
        self._heard[target] = told.id
        if not first or told.state == "open":
            self._breakers.adopt(target, told.state, told.trips, told.cause)

    async def _keep_turns(self) -> None:
        """A try that takes long keeps its turn; who has nothing to try it with gives it back."""
        now = self._clock.monotonic()
        for target, since in list(self._turns.items()):
            idle = not self._breakers.of(target).trying and now - since > PATIENCE
            if not idle or await self._shared.get(_WANTED + target) is None:
                await self._shared.put(_TURN + target, self._name, LEASE)
            else:
                del self._turns[target]
                await self._shared.delete(_TURN + target)
                self._breakers.give_turn_back(target)

    def _works(self) -> None:
        self._fails = False

    def _broken(self, error: Exception) -> None:
        if not self._fails:
            log.warning(_ALONE, error.args[0])
        self._fails = True


_ALONE = Said(
    "the store that shares breakers cannot be used, each process goes by what it sees: %s",
    "共享熔断状态的存储暂不可用，各进程各自判断：%s",
)
