"""Room on the GPU that actions share with models: an action that declares how much it takes waits until that is free, over
all processes of a store; one that takes more than there is beside the models is refused."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar

import msgspec

from pointsman.admission.queue import Queue
from pointsman.admission.ticket import Admitted, Capacity, Ticket, TurnedAway
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed
from pointsman.ports.clock import Clock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError

log = logging.getLogger("pointsman")

_LOOK = 0.5  # seconds between two looks at what other processes hold
_KEPT = 86_400.0  # seconds that nobody has to change it
_MOST = 10_000  # that wait
_GPU = "gpu"
_HOLDS: ContextVar[bool] = ContextVar("holds_gpu", default=False)
"""A chain of actions holds what the largest of them takes."""


class Card(msgspec.Struct, frozen=True):
    """Megabytes (2**20 bytes) of the GPU, and how many of them models take. `device` is the same name in all processes that
    share it."""

    device: str
    total: int
    models: int

    @property
    def room(self) -> int:
        return max(self.total - self.models, 0)


_Held = dict[str, tuple[int, float]]
"""Ticket → megabytes, and when nobody counts them any more: seconds since this machine began."""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Held).decode


class GpuTurns:
    """`card` reads the GPU as it is; None: there is none that anything is known of, and nobody waits. `shared` is where
    other processes say what they hold. For one event loop."""

    def __init__(
        self, clock: Clock, card: Callable[[], Awaitable[Card | None]], shared: Ephemeral | None = None
    ) -> None:
        self.wait = 300.0
        """Seconds that one waits at most."""
        self._clock = clock
        self._card = card
        self._shared = shared
        self._queue = Queue(_MOST)
        self._waiting: dict[str, asyncio.Future[None]] = {}
        self._numbers = itertools.count(1)
        self._name = secrets.token_hex(6)

    @property
    def taken(self) -> int:
        """Megabytes that actions of this process hold."""
        return self._queue.inside(_GPU)[1]

    @contextlib.asynccontextmanager
    async def hold(self, action: str, megabytes: int, caller: str, seconds: float) -> AsyncIterator[None]:
        """So much of it, as long as this lasts, which is about so many seconds. Raises ActionFailed."""
        card = await self._card() if megabytes and not _HOLDS.get() else None
        if card is None:
            yield
            return
        if megabytes > card.room:
            raise ActionFailed("gpu_memory", _never(action, megabytes, card), refused=True)
        ticket = f"{self._name}.{next(self._numbers)}"
        token = _HOLDS.set(True)
        try:
            await self._enter(action, ticket, megabytes, caller, card)
            try:
                await self._claim(action, ticket, megabytes, card, seconds)
                yield
            finally:
                await self._give_back(ticket, card)
        finally:
            _HOLDS.reset(token)
            self._call(self._queue.leave(ticket, self._clock.monotonic()))

    async def _enter(self, action: str, ticket: str, megabytes: int, caller: str, card: Card) -> None:
        """Its turn among those of this process."""
        now = self._clock.monotonic()
        self._call(self._queue.install({_GPU: Capacity(None, card.room)}, now))
        wanted = Ticket(ticket, caller, (_GPU,), megabytes, arrived=now, deadline=now + self.wait)
        told = self._queue.arrive(wanted, now)
        if isinstance(told, Admitted):
            return
        if isinstance(told, TurnedAway):
            raise _busy(action, megabytes, card, told.wait)
        turn = self._waiting[ticket] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(self.wait):
                await turn
        except TimeoutError:
            place = self._queue.place(wanted, self._clock.monotonic())
            raise _busy(action, megabytes, card, place.wait) from None
        finally:
            self._waiting.pop(ticket, None)

    def _call(self, admitted: list[Admitted]) -> None:
        for each in admitted:
            turn = self._waiting.get(each.ticket.id)
            if turn is not None and not turn.done():
                turn.set_result(None)

    async def _claim(self, action: str, ticket: str, megabytes: int, card: Card, seconds: float) -> None:
        """Room beside what other processes hold. Where the store cannot be used, only this one counts."""
        end = self._clock.monotonic() + self.wait

        def with_this(held: _Held, now: float) -> _Held | None:
            others = sum(taken for taken, _ in held.values())
            return {**held, ticket: (megabytes, now + seconds)} if others + megabytes <= card.room else None

        while not await self._changed(card, with_this):
            if self._clock.monotonic() >= end:
                raise _busy(action, megabytes, card, None)
            await asyncio.sleep(_LOOK)

    async def _give_back(self, ticket: str, card: Card) -> None:
        await self._changed(card, lambda held, now: {name: each for name, each in held.items() if name != ticket})

    async def _changed(self, card: Card, change: Callable[[_Held, float], _Held | None]) -> bool:
        """What all processes hold, changed in one step; False where `change` does not want to."""
        if self._shared is None:
            return True
        key = f"{_GPU}/{card.device}"
        try:
            while True:
                old, now = await self._shared.get(key), self._clock.monotonic()
                held = {name: each for name, each in (_decode(old) if old else {}).items() if each[1] > now}
                new = change(held, now)
                if new is None:
                    return False
                if await self._shared.swap(key, old, _encode(new), _KEPT):
                    return True
        except (StoreError, msgspec.DecodeError) as error:
            log.warning(_ALONE, error.args[0])
            return True


def _never(action: str, megabytes: int, card: Card) -> Said:
    return said(*_NEVER, action=action, megabytes=megabytes, total=card.total, models=card.models)


def _busy(action: str, megabytes: int, card: Card, wait: float | None) -> ActionFailed:
    about = Said("", "") if wait is None else said(" (about {wait} s)", "（约 {wait} 秒）", wait=max(round(wait), 1))
    why = said(*_BUSY, action=action, megabytes=megabytes, about=about, total=card.total, models=card.models)
    return ActionFailed("gpu_busy", why, again=True)


_NEVER = (
    "{action} takes {megabytes} MB of GPU memory; the card has {total} MB, and models take {models} MB of them.",
    "{action} 需要 {megabytes} MB 显存；显卡共有 {total} MB，其中模型占用 {models} MB。",
)
_BUSY = (
    "{action} takes {megabytes} MB of GPU memory, and other work has it{about}; please try again later. "
    "(The card has {total} MB, models take {models} MB.)",
    "{action} 需要 {megabytes} MB 显存，目前被其他任务占用{about}；请稍后重试。"
    "（显卡共有 {total} MB，模型占用 {models} MB。）",
)
_ALONE = Said(
    "what other processes hold of the GPU cannot be read, this one counts for itself: %s",
    "无法读取其他进程占用的显存，本进程单独计数：%s",
)
