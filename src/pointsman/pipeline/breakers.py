"""The circuit breakers of all targets, kept as tries and probes tell of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from pointsman.domain.attempt import Attempt
from pointsman.domain.said import Said
from pointsman.domain.target import BreakerState
from pointsman.ports.clock import Clock
from pointsman.routing.breaker import CLOSED, Breaker, BreakerRules, Cause, after, probed, reopens, sent

log = logging.getLogger("pointsman")
CAUSES: dict[Cause, str] = {
    "connect": "连接失败",
    "timeout": "超时",
    "out_of_memory": "内存不足",
    "load": "模型加载失败",
    "broke_off": "回复中断",
    "error": "引擎报错",
}


class Breakers:
    """`changed` hears that the state of one is another one now."""

    def __init__(self, clock: Clock, rules: BreakerRules | None = None) -> None:
        self.rules = rules or BreakerRules()
        self.changed: Callable[[str], None] | None = None
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}

    def of(self, target: str) -> Breaker:
        return self._breakers.get(target, CLOSED)

    def shown(self, target: str) -> tuple[BreakerState, str | None]:
        breaker = self.of(target)
        return ("trying" if breaker.trying else breaker.state), breaker.cause

    def keep(self, targets: Collection[str]) -> None:
        """Forgets all others."""
        self._breakers = {name: breaker for name, breaker in self._breakers.items() if name in targets}

    def sent(self, target: str) -> None:
        """A request goes there."""
        self._put(target, sent(self.of(target)))

    def told(self, attempt: Attempt) -> None:
        """What came of a try."""
        self._put(attempt.target, after(self.of(attempt.target), attempt, self._clock.monotonic(), self.rules))

    def probed(self, target: str, healthy: bool) -> None:
        """What a health probe found."""
        self._put(target, probed(self.of(target), healthy, self._clock.monotonic(), self.rules))

    def _put(self, target: str, breaker: Breaker) -> None:
        before = self.of(target)
        if breaker is before:
            return
        self._breakers[target] = breaker
        if breaker.state == before.state and breaker.trying == before.trying:
            return
        if breaker.state != before.state:
            self._say(target, breaker)
        if self.changed is not None:
            self.changed(target)

    def _say(self, target: str, breaker: Breaker) -> None:
        if breaker.state == "open":
            cause = breaker.cause or "error"
            pause = reopens(breaker, self.rules) - breaker.since
            en = "%s: too many failures (%s); the breaker is open for at least %.0f s"
            zh = "%s：失败过多（%s），熔断打开，至少 %.0f 秒"
            log.warning(Said(en, zh), target, Said(cause.replace("_", " "), CAUSES[cause]), pause)
        elif breaker.state == "half_open":
            log.info(Said("%s: the breaker is half open", "%s：熔断半开，放一个请求试探"), target)
        else:
            log.info(Said("%s: the breaker is closed again", "%s：熔断恢复关闭"), target)
