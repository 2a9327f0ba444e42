"""The limits of backends that say `sequences: auto`: what is seen of them goes to admission/auto.py, and its limit to the
gate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from pointsman.admission.auto import Auto, Seen, Terms, Why, adjusted
from pointsman.domain.attempt import Attempt
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.execution.attempts import Watch
from pointsman.pipeline.gate import Gate
from pointsman.ports.backend import BackendFailure, EngineLoad
from pointsman.routing.breaker import outcome_of

log = logging.getLogger("pointsman")

PERIOD = 1.0
"""Seconds between two looks while a target has something to do."""
_FIRST = 4
Ask = Callable[[], Awaitable[EngineLoad | None]]
"""The engine's own load. Raises BackendFailure."""


class _Target:
    """One target: its limit, and what was seen of it since the last look."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.auto: Auto | None = None
        self.begin()
        self.preemptions: int | None = None

    def begin(self) -> None:
        """A new period."""
        self.delays: list[float] = []
        self.taken = False
        self.out_of_memory = False


class AutoLimits:
    """Watches for the gate's sake, and tells `next` what it is told itself. For one event loop."""

    def __init__(self, gate: Gate, snapshot: Callable[[], Snapshot], next: Watch) -> None:
        self._gate = gate
        self._snapshot = snapshot
        self._next = next
        self._targets: dict[str, _Target] = {}
        self._looking: asyncio.Task[None] | None = None

    def install(self, asks: Mapping[str, Ask]) -> None:
        """These targets find their limits out; those that did before go on from where they are."""
        kept = self._targets
        self._targets = {}
        for name, ask in asks.items():
            target = self._targets[name] = kept.get(name) or _Target(ask)
            target.ask = ask

    def sequences(self, name: str, slots: int | None) -> int | None:
        """The limit now, at most the engine's slots where it tells them; None for a target that is not asked about."""
        target = self._targets.get(name)
        if target is None:
            return None
        if target.auto is None:
            target.auto = Auto(float(_FIRST if slots is None else slots))
        return target.auto.sequences if slots is None else min(target.auto.sequences, slots)

    @property
    def shown(self) -> dict[str, tuple[int, Why]]:
        """The limits so far, and why they are what they are."""
        return {name: (each.auto.sequences, each.auto.why) for name, each in self._targets.items() if each.auto}

    def sent(self, target: str) -> None:
        self._next.sent(target)
        found = self._targets.get(target)
        if found is not None and found.auto is not None:
            inside = self._gate.inside(target)[0]
            found.taken = found.taken or inside >= found.auto.sequences
            if self._looking is None or self._looking.done():
                self._looking = asyncio.create_task(self._look())

    def told(self, attempt: Attempt) -> None:
        self._next.told(attempt)
        found = self._targets.get(attempt.target)
        if found is None or attempt.broke:
            return
        outcome, cause = outcome_of(attempt)
        if outcome == "success" and attempt.failure is None:
            found.delays.append(attempt.took_ms / 1000)
        found.out_of_memory = found.out_of_memory or cause == "out_of_memory"

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        """As long as any of them has something to do."""
        while any(self._gate.inside(name)[0] for name in self._targets) or self._gate.waiting:
            await asyncio.sleep(PERIOD)
            before = self.shown
            await asyncio.gather(*(self._adjust(name, each) for name, each in list(self._targets.items())))
            if self.shown != before:
                self._gate.changed()

    async def _adjust(self, name: str, target: _Target) -> None:
        if target.auto is None:
            return
        try:
            load = await target.ask()
        except BackendFailure:  # the breaker and the prober deal with it
            load = None
        load = load or EngineLoad()
        before, target.preemptions = target.preemptions, load.preemptions
        preempted = before is not None and load.preemptions is not None and load.preemptions > before
        taken = target.taken or self._gate.inside(name)[0] >= target.auto.sequences
        seen = Seen(taken, tuple(target.delays), load.waiting, preempted, target.out_of_memory)
        target.begin()
        old = target.auto
        slots = self._snapshot().state(name).facts.slots
        terms = Terms() if slots is None else msgspec.structs.replace(Terms(), most=slots)
        target.auto = adjusted(old, seen, terms)
        if target.auto.sequences < old.sequences:
            log.debug(_FEWER, name, target.auto.sequences, old.sequences, _WHY.get(target.auto.why, ""))


_WHY: dict[Why, Said] = {
    "engine_waiting": Said("requests wait inside the engine", "有请求在引擎内部排队"),
    "preempted": Said("the engine took a request's cache away", "引擎抢占了请求的缓存"),
    "out_of_memory": Said("it ran out of memory", "内存不足"),
    "slow_start": Said("first bytes take twice as long as before", "首字节耗时达到之前的两倍"),
}
_FEWER = Said("%s: takes %d requests at a time, was %d: %s", "%s：同时接收 %d 个请求（原为 %d 个）：%s")
