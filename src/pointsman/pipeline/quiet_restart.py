"""Models that begin anew at a quiet hour: a process that ran for weeks has its memory in pieces.

At its time a model waits to be idle: nobody inside or in line for it, and nobody served for a while. Then it is restarted as
for an operator: nobody new goes in, it is unloaded, its memory is known to be free, it is loaded again; whoever comes
meanwhile waits in line. One at a time. Where it is not idle within an hour it goes on as it is until its next time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping

from pointsman.domain.residence import Demand, Residence
from pointsman.domain.said import Said, said
from pointsman.pipeline.schedules.times import Timing, in_zone, next_after
from pointsman.ports.clock import Clock
from pointsman.ports.model_driver import LoadFailure

log = logging.getLogger("pointsman")

WITHIN = 3600.0
"""Seconds that a model has to become idle."""
QUIET = 30.0
"""Seconds without a request that make it so."""
EVERY = 5.0
"""Seconds between two looks."""


class QuietRestarts:
    """For one event loop. `demand` tells what is wanted of a target, `state` how it is, `restart` restarts it; `tell` hears
    what is planned, or what came of it, for people."""

    def __init__(
        self,
        clock: Clock,
        demand: Callable[[str], Demand],
        state: Callable[[str], Residence | None],
        restart: Callable[[str], Awaitable[object]],
        tell: Callable[[str, Said | None], None],
    ) -> None:
        self._clock = clock
        self._demand = demand
        self._state = state
        self._restart = restart
        self._tell = tell
        self._timings: dict[str, Timing] = {}
        self._next: dict[str, float | None] = {}
        self._due: dict[str, float] = {}
        self._task: asyncio.Task[None] | None = None

    def install(self, timings: Mapping[str, Timing]) -> None:
        """From here on these, by target. What waits to be idle goes on to, where its time is as before."""
        old, self._timings = self._timings, dict(timings)
        now = self._clock.wall()
        for name in [name for name in old if old[name] != timings.get(name)]:
            self._next.pop(name, None)
            self._due.pop(name, None)
            if name not in timings:
                self._tell(name, None)
        for name in timings:
            if name not in self._due:
                self._plan(name, now, None)
        if timings and self._task is None:
            self._task = asyncio.create_task(self._go_on(), name="quiet restarts")

    async def look(self) -> None:
        """What is due now is done, or given up. Wall clocks jump: the times are compared at each look."""
        now = self._clock.wall()
        for name, at in list(self._next.items()):
            if at is not None and now >= at:
                self._next[name] = next_after(self._timings[name], now)
                self._due[name] = at
                self._tell(name, self._waits(name, at))
        for name, at in list(self._due.items()):
            if name not in self._timings:
                continue
            residence = self._state(name)
            if residence is None or residence.stage != "ready":
                self._settle(name, None)  # it begins anew with its next load
            elif self._idle(name):
                await self._anew(name)
            elif now >= at + WITHIN:
                busy = said(
                    "it was never idle within {minutes:g} minutes", "{minutes:g} 分钟内一直不空闲", minutes=WITHIN / 60
                )
                log.warning(_GIVEN_UP, name, busy)
                self._settle(name, busy)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _go_on(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(EVERY)

    async def _anew(self, name: str) -> None:
        log.info(_BEGINS, name)
        try:
            await self._restart(name)
        except LoadFailure as failure:
            log.warning(_FAILED, name, failure.said)
            self._settle(name, failure.said)
        except KeyError:
            self._settle(name, None)  # a reload has taken it away meanwhile
        else:
            self._settle(name, None)

    def _idle(self, name: str) -> bool:
        demand = self._demand(name)
        return not demand.inside and not demand.waiting and self._clock.monotonic() - demand.used >= QUIET

    def _settle(self, name: str, why_not: Said | None) -> None:
        self._due.pop(name, None)
        if name in self._timings:
            self._plan(name, self._clock.wall(), why_not)

    def _plan(self, name: str, now: float, why_not: Said | None) -> None:
        timing = self._timings[name]
        at = self._next[name] = next_after(timing, now)
        if at is None:
            return
        when = in_zone(at, timing.zone)
        if why_not is None:
            self._tell(name, said("begins anew at {when}", "将在 {when} 重新启动", when=when))
            return
        later = said(
            "did not begin anew: {why}; it is tried again at {when}",
            "没有重新启动：{why}；下次在 {when} 再试",
            why=why_not,
            when=when,
        )
        self._tell(name, later)

    def _waits(self, name: str, at: float) -> Said:
        when = in_zone(at, self._timings[name].zone)
        return said("begins anew once it is idle (since {when})", "一空闲就重新启动（从 {when} 起等待）", when=when)


_BEGINS = Said("%s is idle at its quiet hour, and begins anew", "%s 在低峰时段空闲，现在重新启动")
_GIVEN_UP = Said("%s does not begin anew today: %s", "%s 今天不重新启动：%s")
_FAILED = Said("%s could not begin anew: %s", "%s 重新启动失败：%s")
