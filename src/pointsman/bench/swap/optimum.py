"""The fewest loads with which an order of arrivals can be served by somebody who knows it beforehand: dynamic programming
over all that he could do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

_MOST = 200_000
"""States at a time; three models take a few hundred."""
State = tuple[frozenset[str], tuple[tuple[str, float], ...]]
"""Who is in memory; for each model that somebody waits for, since when the first of them does."""


def fewest_loads(arrivals: Sequence[tuple[float, str]], places: int, wait: float = 0.0) -> int:
    """`arrivals` are (seconds, model) in order; `places` models of the same size are in memory at a time, none at first.
    Each request has to be served within `wait` seconds of its arrival, in any order; with 0 this is serving them as they
    come with Belady's foresight. To load and to serve takes no time at all, so nobody can do with fewer. Raises
    PointsmanError where there are too many models to try all."""
    if places < 1:
        raise ValueError("at least one place")
    states: dict[State, int] = {(frozenset(), ()): 0}
    for at, model in arrivals:
        states = _until(states, at, places, wait)
        arrived: dict[State, int] = {}
        for (resident, pending), loads in states.items():
            waiting = pending
            if model not in resident and all(name != model for name, _ in pending):
                waiting = tuple(sorted((*pending, (model, at))))
            _note(arrived, (resident, waiting), loads)
        states = arrived
    states = _until(states, float("inf"), places, wait)
    return min(states.values())


def _until(states: dict[State, int], at: float, places: int, wait: float) -> dict[State, int]:
    """Those that cannot wait until `at` are served. Nothing is gained by loading anything before the last moment of some
    request; at that moment others that wait may be served as well, in any order, so that the right ones are there then."""
    done: dict[State, int] = {}
    todo = dict(states)
    while todo:
        if len(done) + len(todo) > _MOST:
            raise PointsmanError(Said("too many models to find the optimum", "模型太多，无法求最优解"))
        state = min(todo, key=lambda each: todo[each])
        loads = todo.pop(state)
        resident, pending = state
        first = min((since for _, since in pending), default=float("inf"))
        if not first + wait < at:
            _note(done, state, loads)
            continue
        last_moment = {name for name, since in pending if since == first}
        for served in _subsets([name for name, _ in pending]):
            if last_moment <= served:
                left = tuple(pair for pair in pending if pair[0] not in served)
                for stay in _staying(resident, served, places):
                    _note(todo, (stay, left), loads + len(served))
    return done


def _staying(resident: frozenset[str], served: frozenset[str], places: int) -> Iterator[frozenset[str]]:
    """Who can be there once those have been loaded one after the other: one of them is the last, and the others, as well as
    those that were there before, may have stayed or gone."""
    for new in _subsets(sorted(served)):
        if 1 <= len(new) <= places:
            kept = min(places - len(new), len(resident))
            for old in combinations(sorted(resident), kept):
                yield new | frozenset(old)


def _subsets(names: Sequence[str]) -> Iterator[frozenset[str]]:
    for count in range(len(names) + 1):
        for found in combinations(names, count):
            yield frozenset(found)


def _note(states: dict[State, int], state: State, loads: int) -> None:
    if loads < states.get(state, loads + 1):
        states[state] = loads
