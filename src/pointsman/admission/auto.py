"""How many sequences a backend takes, found out: one more after a period in which all places were taken and nothing waited
inside the engine, a quarter fewer after one in which something did (additive increase, multiplicative decrease).
Pure: (state, what was seen, terms) → state."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

import msgspec

Why = Literal["begun", "engine_waiting", "preempted", "out_of_memory", "slow_start", "all_taken", "unchanged"]


class Terms(msgspec.Struct, frozen=True):
    """Limits are between 1 and `most`. Where the engine does not tell its queue, a first byte that takes `tolerance` times
    as long as the best of late, and `slack` seconds, is taken for one."""

    most: int = 512
    more: float = 1.0
    cut: float = 0.75
    tolerance: float = 2.0
    slack: float = 0.1


class Seen(msgspec.Struct, frozen=True):
    """One period. `taken`: all places were, at some time. `delays`: seconds from its place to the first byte, of each
    request that got one. `waiting`: inside the engine, now; None: it does not tell. `preempted`: it took a request's cache
    away. `out_of_memory`: a request failed of that."""

    taken: bool = False
    delays: Sequence[float] = ()
    waiting: int | None = None
    preempted: bool = False
    out_of_memory: bool = False


class Auto(msgspec.Struct, frozen=True):
    """`best` is the shortest usual delay of late, `waited` whether something waited inside the engine at the last look,
    `rests` whether the limit was just cut; `why` is what made it what it is."""

    limit: float = 4.0
    best: float | None = None
    waited: bool = False
    rests: bool = False
    why: Why = "begun"

    @property
    def sequences(self) -> int:
        return int(self.limit)


def adjusted(auto: Auto, seen: Seen, terms: Terms) -> Auto:
    """After one period. What waits inside for a moment is no sign: only two looks in a row are. In the period after a cut is
    seen what was sent before it, so nothing changes."""
    delay = median(seen.delays) if seen.delays else None
    best = auto.best
    if delay is not None:
        best = delay if best is None else min(best * 1.01, delay)
    waits = bool(seen.waiting)
    if auto.rests:
        return Auto(min(auto.limit, float(terms.most)), best, waits, False, auto.why)
    why: Why = "unchanged"
    if seen.out_of_memory:
        why = "out_of_memory"
    elif seen.preempted:
        why = "preempted"
    elif waits and auto.waited:
        why = "engine_waiting"
    elif seen.waiting is None and delay is not None and best is not None:
        slow = delay > terms.tolerance * best + terms.slack
        why = "slow_start" if slow else why
    if why != "unchanged":
        return Auto(max(auto.limit * terms.cut, 1.0), best, False, True, why)
    known = seen.waiting is not None or delay is not None
    if seen.taken and known and not waits and auto.limit < terms.most:
        return Auto(min(auto.limit + terms.more, float(terms.most)), best, waits, False, "all_taken")
    return Auto(min(auto.limit, float(terms.most)), best, waits, False, auto.why)
