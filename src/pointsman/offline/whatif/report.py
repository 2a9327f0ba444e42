"""Whether more machines are needed: signs in the log, and what several numbers of nodes would have made of its traffic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pointsman.admission.scale.minute import LONG, Minute
from pointsman.admission.scale.signals import Sign, Signals
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState
from pointsman.offline.whatif.forecast import SHED, Draws, Row, forecast, share_of
from pointsman.offline.whatif.simulate import Fleet
from pointsman.offline.whatif.slowdown import Slowdown
from pointsman.offline.whatif.traffic import asked_of, gathered, slowdowns
from pointsman.store.figures import BOUNDS
from pointsman.store.log_reader import LogReader
from pointsman.store.rollups import Rollups


class Wanted(msgspec.Struct, frozen=True):
    """`since` and `now` in seconds since the epoch. `nodes` are the numbers to be tried; `goal`: seconds that 99 of 100 may
    wait."""

    since: float
    now: float
    nodes: tuple[int, ...] = (1, 2, 3, 4)
    goal: float = 2.0
    draws: Draws = Draws()


class Scale(msgspec.Struct, frozen=True):
    """`holding` and `over` are signs. `requests` to engines, of which `turned_away` before them, over `seconds`; `waited` is
    the P99 of waits as it was. `slowdowns` by target; `rows` in the order of the nodes."""

    holding: tuple[Sign, ...]
    over: tuple[Sign, ...]
    requests: int
    turned_away: int
    seconds: float
    waited: float
    slowdowns: dict[str, Slowdown]
    rows: tuple[Row, ...]


FleetOf = Callable[[int, dict[str, BackendState], dict[str, Slowdown]], Fleet]
"""(nodes, the newest states, slowdowns) → what is simulated."""


def scale(folder: Path, wanted: Wanted, is_wanted: Callable[[str], bool], fleet_of: FleetOf) -> Scale:
    """Of the targets that are wanted. Raises FileNotFoundError where there is no log, LogError."""
    reader = LogReader(folder)
    try:
        traffic = gathered(reader, wanted.since, is_wanted)
    finally:
        reader.close()
    signals = _signals(folder, wanted)
    known = slowdowns(traffic)
    fleets = [fleet_of(nodes, traffic.states, known) for nodes in wanted.nodes]
    asked = asked_of(traffic, known, fleets[0].targets, wanted.draws.seed)
    times = [each.at for each in traffic.requests]
    return Scale(
        holding=tuple(signals.holding),
        over=tuple(signals.over),
        requests=len(asked),
        turned_away=traffic.guessed,
        seconds=times[-1] - times[0] if times else 0.0,
        waited=share_of([each.waited for each in traffic.requests if each.target is not None], 0.99),
        slowdowns=known,
        rows=tuple(forecast(asked, fleets, wanted.draws)) if asked else (),
    )


def verdict(rows: Sequence[Row], goal: float) -> Said:
    """In one sentence."""
    enough = next((place for place, row in enumerate(rows) if row.suffices(goal)), None)
    if enough is None:
        last = rows[-1]
        return said(
            "{n} nodes are not enough: {why}.", "{n} 个节点仍然不够：{why}。", n=last.nodes, why=_why(last)
        )  # fmt: skip
    row = rows[enough]
    if enough == 0:
        return said("{n} is enough: {why}.", "{n} 个节点就够了：{why}。", n=row.nodes, why=_why(row))
    return said(
        "You need {n} nodes because with {fewer} {before}; with {n} {after}.",
        "需要 {n} 个节点：{fewer} 个时，{before}；{n} 个时，{after}。",
        n=row.nodes,
        fewer=rows[enough - 1].nodes,
        before=_why(rows[enough - 1]),
        after=_why(row),
    )


def _why(row: Row) -> Said:
    return said(
        "the slowest 1 of 100 wait {s:.1f} s ({low:.1f} to {high:.1f}) and {shed:.1%} are turned away",
        "最慢的 1% 要等 {s:.1f} 秒（{low:.1f} 到 {high:.1f}），{shed:.1%} 的请求被拒",
        s=row.p99.value,
        low=row.p99.low,
        high=row.p99.high,
        shed=row.shed.value,
    )


def is_enough(goal: float) -> Said:
    return said(
        "Enough is: 99 of 100 wait {goal:g} s at most, and {shed:.0%} at most are turned away.",
        "够的标准：99% 的请求最多等 {goal:g} 秒，被拒的不超过 {shed:.0%}。",
        goal=goal,
        shed=SHED,
    )


def _signals(folder: Path, wanted: Wanted) -> Signals:
    signals = Signals([bound / 1000 for bound in BOUNDS])
    rollups = Rollups(folder)
    try:
        for each in rollups.between(wanted.since, wanted.now, LONG):
            signals.add(Minute(each.start, each.figures.queued_ms.buckets, each.figures.total_ms.buckets))
    finally:
        rollups.close()
    signals.add(Minute(int(wanted.now // LONG) * LONG))
    return signals
