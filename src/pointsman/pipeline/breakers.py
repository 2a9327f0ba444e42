"""The circuit breakers of all targets, kept as tries and probes tell of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from typing import Protocol

from msgspec.structs import replace

from pointsman.domain.attempt import Attempt
from pointsman.domain.said import Said
from pointsman.domain.target import BreakerState
from pointsman.ports.clock import Clock
from pointsman.routing.breaker import CLOSED, Breaker, BreakerRules, State, after, explained, probed, reopens, sent
from pointsman.routing.causes import Cause

log = logging.getLogger("pointsman")
CAUSES: dict[Cause, str] = {
    "connect": "连接失败",
    "timeout": "超时",
    "out_of_memory": "内存不足",
    "load": "模型加载失败",
    "broke_off": "回复中断",
    "error": "引擎报错",
}


_WHY = Said("%s: it failed because of this: %s", "%s：失败的原因：%s")
_HEARD: dict[State, Said] = {
    "open": Said("%s: another gateway saw it fail; the breaker is open", "%s：另一个网关发现它失败，熔断打开"),
    "closed": Said("%s: another gateway found it well; the breaker is closed", "%s：另一个网关确认它已恢复，熔断关闭"),
}


class Shared(Protocol):
    """Other gateways and workers that keep breakers of the same targets."""

    def may_try(self, target: str) -> bool: ...

    def changed(self, target: str, breaker: Breaker) -> None: ...


class Breakers:
    """`changed` hears that the state of one is another one now; `shared` are others that keep them, if there are any."""

    def __init__(self, clock: Clock, rules: BreakerRules | None = None) -> None:
        self.rules = rules or BreakerRules()
        self.changed: Callable[[str], None] | None = None
        self.shared: Shared | None = None
        self._clock = clock
        self._breakers: dict[str, Breaker] = {}
        self._known: frozenset[str] = frozenset()
        self._said: dict[str, int] = {}

    def of(self, target: str) -> Breaker:
        return self._breakers.get(target, CLOSED)

    def shown(self, target: str) -> tuple[BreakerState, str | None]:
        breaker = self.of(target)
        return ("trying" if breaker.trying else breaker.state), breaker.cause

    def keep(self, targets: Collection[str]) -> None:
        """Forgets all others."""
        self._known = frozenset(targets)
        self._breakers = {name: breaker for name, breaker in self._breakers.items() if name in targets}

    def sent(self, target: str) -> None:
        """A request goes there."""
        self._put(target, sent(self.of(target)))

    def told(self, attempt: Attempt) -> None:
        """What came of a try."""
        self._put(attempt.target, after(self.of(attempt.target), attempt, self._clock.monotonic(), self.rules))

    def probed(self, target: str, healthy: bool, problem: str | None = None) -> None:
        """What a health probe found, and what it says is wrong. Of all that keep it, one tries it at a time."""
        before = self.of(target)
        told = explained(before, problem)
        if told is not before:
            self._breakers[target] = before = told
            if before.state != "closed" and self.changed is not None:
                log.warning(_WHY, target, Said((told.cause or "").replace("_", " "), CAUSES[told.cause or "error"]))
                self.changed(target)
        now = probed(before, healthy, self._clock.monotonic(), self.rules)
        if now.state == before.state or self.shared is None or self.shared.may_try(target):
            self._put(target, now)

    def turn_came(self, target: str) -> None:
        """It is this process's turn to try it: a probe has found it well just now."""
        self.probed(target, True)

    def give_turn_back(self, target: str) -> None:
        """No request came for the one that is to be tried: another process may have one."""
        breaker = self.of(target)
        if breaker.state == "half_open" and not breaker.trying:
            now = self._clock.monotonic()
            back = replace(breaker, state="open", since=now)
            self._breakers[target] = replace(back, since=2 * now - reopens(back, self.rules) + 1.0)
            if self.changed is not None:
                self.changed(target)

    def adopt(self, target: str, state: State, trips: int, cause: Cause | None) -> None:
        """What another process saw: that it opened, or closed again."""
        before, now = self.of(target), self._clock.monotonic()
        if target not in self._known or before.trying or (state == before.state == "closed"):
            return
        self._breakers[target] = Breaker(state, since=now, trips=trips if state == "open" else 0, cause=cause)
        if state != before.state:
            log.info(_HEARD[state], target)
        if self.changed is not None:
            self.changed(target)

    def _put(self, target: str, breaker: Breaker) -> None:
        before = self.of(target)
        if breaker is before:
            return
        self._breakers[target] = breaker
        if breaker.state == before.state and breaker.trying == before.trying:
            return
        if breaker.state != before.state:
            self._say(target, breaker)
            if self.shared is not None:
                self.shared.changed(target, breaker)
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
            if self._said.get(target) == breaker.trips:  # its turn came and went without a request
                return
            self._said[target] = breaker.trips
            log.info(Said("%s: the breaker is half open", "%s：熔断半开，放一个请求试探"), target)
        else:
            self._said.pop(target, None)
            log.info(Said("%s: the breaker is closed again", "%s：熔断恢复关闭"), target)
