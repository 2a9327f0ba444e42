"""Whether the targets share the work: who is busy, who waits, who is idle, and which models come and go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from pointsman.domain.target import Target
from pointsman.offline.weekly.looked import Looked
from pointsman.offline.weekly.spans import Span

WAITS = 1000.0
"""Milliseconds in the queue, of the twentieth request that waits longest, from which on it is crowded."""
_SOME = 20
_OFTEN, _LOADS = 0.1, 10
Trouble = Literal["crowded", "idle", "comes_and_goes", "fails"]


class Balance(msgspec.Struct, frozen=True):
    """Of one target in the week. `busy` is how many requests it was at work on, on the average; `share` its part of all
    engine seconds; times are milliseconds, None where nothing waited or was measured. `loads`: how often its model came
    into memory (None: not told)."""

    target: str
    tier: str
    requests: int
    share: float
    seconds: float
    busy: float
    queued_ms: float | None
    whole_ms: float | None
    failures: int
    loads: int | None
    troubles: tuple[Trouble, ...]


def balances(looked: Looked, week: Span, targets: Sequence[Target]) -> list[Balance]:
    """`targets` of the newest policy; those that are gone come after them."""
    worked = {each.target: each for each in looked.worked}
    total = sum(each.seconds for each in looked.worked)
    names = {target.name: target.tier for target in targets}
    names.update((each.target, "-") for each in looked.worked if each.target not in names)
    found = []
    for name, tier in names.items():
        work, sums = worked.get(name), week.targets.get(name)
        queued = sums.queued_ms.quantile(0.95) if sums is not None else None
        requests, failures = (work.requests, work.failures) if work is not None else (0, 0)
        loads = work.loads if work is not None else None
        troubles: list[Trouble] = []
        if queued is not None and queued >= WAITS and sums is not None and sums.queued_ms.count >= _SOME:
            troubles.append("crowded")
        if not requests and tier != "-" and looked.requests >= _SOME:
            troubles.append("idle")
        if loads is not None and loads >= _LOADS and loads >= _OFTEN * max(requests, 1):
            troubles.append("comes_and_goes")
        if failures >= _SOME and failures >= _OFTEN * max(requests, 1):
            troubles.append("fails")
        seconds = work.seconds if work is not None else 0.0
        found.append(
            Balance(
                target=name,
                tier=tier,
                requests=requests,
                share=seconds / total if total else 0.0,
                seconds=seconds,
                busy=seconds / max(week.end - week.start, 1.0),
                queued_ms=queued,
                whole_ms=sums.total_ms.quantile(0.95) if sums is not None else None,
                failures=failures,
                loads=loads,
                troubles=tuple(troubles),
            )
        )
    return found
