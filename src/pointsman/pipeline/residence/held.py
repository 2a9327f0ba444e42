"""One unit as its keeper has it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

from pointsman.domain.residence import Demand, together
from pointsman.ports.model_driver import ModelDriver
from pointsman.residency.unit import Seat, Unit, Where

Cause = Literal["request", "start", "asked", "restart"]
"""Why a model is loaded: somebody waits for it; the config says so; an operator asked; it begins anew."""
Reason = Literal["room", "unused", "asked", "restart", "reload", "lost"]
"""Why it went: another one needed its memory; nobody used it; an operator asked; it begins anew; the config has it no
more; it ended by itself."""
BACKOFF = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds before the first, second, … try after a load that failed; the last one repeats."""


class Held:
    """`work` is the task that loads or unloads it. `fresh`: nothing was ever done to it. `asked`: since when an operator
    waits for it, `anew`: because it was unloaded for that. `letting_go`: it drains for another, and may still stay."""

    def __init__(self, unit: Unit, drivers: Mapping[str, ModelDriver]) -> None:
        self.unit = unit
        self.drivers = drivers
        self.where: Where = "out"
        self.since = 0.0
        self.retry: float | None = None
        self.failures = 0
        self.eager = unit.start or unit.pinned
        self.asked: float | None = None
        self._missing: float | None = None
        self.fresh = True
        self.anew = False
        self.work: asyncio.Task[None] | None = None
        self.letting_go = False

    def same_models(self, unit: Unit, drivers: Mapping[str, ModelDriver]) -> bool:
        return self.unit.models == unit.models and all(self.drivers[name] is drivers[name] for name in unit.models)

    def seat(self, demands: Mapping[str, Demand], now: float) -> Seat:
        """As the decider sees it. One that is pinned and out waits for itself, as somebody who asks for it would."""
        demand = Demand()
        for name in self.unit.models:
            demand = together(demand, demands.get(name, demand))
        waiting, oldest = demand.waiting, demand.oldest
        if self.where == "out":
            if self.eager and self.unit.pinned and self._missing is None:
                self._missing = now
            for since in (self.asked, self._missing):
                if since is not None:
                    waiting, oldest = waiting + 1, since if oldest is None else min(oldest, since)
        return Seat(
            self.where, waiting, oldest, demand.inside, demand.used, self.since, self.retry, self.eager and not waiting
        )

    def cause(self, demands: Mapping[str, Demand]) -> Cause:
        """Why it is loaded now."""
        if self.anew:
            return "restart"
        if self.asked is not None:
            return "asked"
        waits = any(demands[name].waiting for name in self.unit.models if name in demands)
        return "request" if waits or not self.eager else "start"

    @property
    def is_in(self) -> bool:
        return self.where == "in"

    def came(self, now: float) -> None:
        """It is in memory."""
        self.where, self.work, self.since, self.fresh = "in", None, now, False
        self.failures, self.retry, self.asked, self.eager = 0, None, None, False
        self._missing = None

    def failed(self, now: float) -> float:
        """Its load came to nothing, or it ended by itself; seconds until it is tried again."""
        self.where, self.work, self.asked, self.fresh = "out", None, None, False
        self.failures += 1
        delay = BACKOFF[min(self.failures, len(BACKOFF)) - 1]
        self.retry = now + delay
        return delay
