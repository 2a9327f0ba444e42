"""What the log tells of traffic: who asked when for how much, how long engines took, and how long models took to load."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from sys import intern

import msgspec

from pointsman.domain.target import BackendState
from pointsman.offline.whatif.asked import Asked, Logged
from pointsman.offline.whatif.slowdown import Slowdown, fitted, works_of
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Head
from pointsman.store.log_scan import Logged as Entry

_AWAY = ("queue_full", "shed")
_LONG = 256  # tokens of a reply that nobody counted


class Traffic(msgspec.Struct, frozen=True):
    """`requests` are those that engines served or that were turned away before them, by the time they came. `states` are the
    newest of each target. `guessed`: how many were turned away, so that nobody knows what they would have taken."""

    requests: tuple[Logged, ...]
    states: dict[str, BackendState]

    @property
    def guessed(self) -> int:
        return sum(each.target is None for each in self.requests)


def gathered(reader: LogReader, since: float, wanted: Callable[[str], bool]) -> Traffic:
    """Of the targets that are `wanted`. Raises LogError."""
    requests: list[Logged] = []
    snapshots: set[str] = set()
    states: dict[str, BackendState] = {}
    for entry in reader.scan(since):
        head = entry.head
        if head.target is None and head.error in _AWAY:
            requests.append(_away(head, entry))
        elif head.target is not None and head.total_ms is not None and head.cache != "hit" and wanted(head.target):
            requests.append(_served(head, entry, head.target, head.total_ms))
        if head.snapshot and head.snapshot not in snapshots:
            snapshots.add(head.snapshot)
            snapshot = reader.snapshot(head.snapshot)
            for state in () if snapshot is None else snapshot.states:
                states[state.target] = _with_load(state, states.get(state.target))
    entries = {each.entry for each in requests if each.target is not None}
    kept = [each for each in requests if each.target is not None or each.entry in entries]
    return Traffic(tuple(sorted(kept, key=lambda each: each.at)), states)


def slowdowns(traffic: Traffic) -> dict[str, Slowdown]:
    """Of each target that the log tells of."""
    by_target: dict[str, list[Logged]] = {}
    for each in traffic.requests:
        if each.target is not None:
            by_target.setdefault(each.target, []).append(each)
    found = {name: fitted(requests) for name, requests in by_target.items()}
    return {name: slowdown for name, slowdown in found.items() if slowdown is not None}


def asked_of(traffic: Traffic, known: Mapping[str, Slowdown], targets: Collection[str], seed: int) -> list[Asked]:
    """What is to be simulated, from the first request on. Who was turned away is taken to want what another one to the same
    entry wanted, drawn by `seed`."""
    rng = random.Random(seed)  # noqa: S311
    served = [each for each in traffic.requests if each.target in known and each.target in targets]
    works = _works(served, known)
    alike: dict[str, list[int]] = {}
    for place, each in enumerate(served):
        alike.setdefault(each.entry, []).append(place)
    found: list[tuple[float, str, int]] = [(each.at, each.caller, place) for place, each in enumerate(served)]
    for each in traffic.requests:
        if each.target is None and each.entry in alike:
            found.append((each.at, each.caller, rng.choice(alike[each.entry])))
    found.sort()
    begin = found[0][0] if found else 0.0
    return [
        Asked(at - begin, caller, served[place].target or "", _cells(served[place]), works[place])
        for at, caller, place in found
    ]


def _works(served: Sequence[Logged], known: Mapping[str, Slowdown]) -> list[float]:
    works = [0.0] * len(served)
    for name, slowdown in known.items():
        places = [place for place, each in enumerate(served) if each.target == name]
        spans = [(served[place].place, served[place].began or 0.0, served[place].ended) for place in places]
        for place, work in zip(places, works_of(spans, slowdown.beside), strict=True):
            works[place] = work
    return works


def _cells(each: Logged) -> int:
    return max(each.read + (_LONG if each.written is None else each.written), 1)


def _away(head: Head, entry: Entry) -> Logged:
    return Logged(head.received, head.model, head.caller, None, "", int(entry.feature("input_tokens") or 0), None)


def _served(head: Head, entry: Entry, target: str, total: float) -> Logged:
    last = head.attempts[-1] if head.attempts else {}
    return Logged(
        at=head.received,
        entry=head.model,
        caller=head.caller,
        target=target,
        place=intern(f"{target} {last.get('node')}"),
        read=int(head.input_tokens or entry.feature("input_tokens") or 0),
        written=head.output_tokens,
        began=head.received + min(last.get("began_ms") or 0.0, total) / 1000,
        ended=head.received + total / 1000,
        waited=(head.queued_ms or 0.0) / 1000,
        good=head.outcome == "ok",
    )


def _with_load(state: BackendState, before: BackendState | None) -> BackendState:
    """What a load took was known earlier, even where it is not any more."""
    if state.load_seconds is not None or before is None:
        return state
    return msgspec.structs.replace(state, load_seconds=before.load_seconds)
