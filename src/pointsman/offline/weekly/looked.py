"""The pass over the week's requests: who answered what, what people made of it, and what targets had to do."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict

import msgspec

from pointsman.domain.target import BackendState, Snapshot
from pointsman.offline.audit.run import complains, engine_seconds
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Head
from pointsman.store.log_scan import Logged

_DAY = 86_400.0
_SNAPSHOTS = 512
Work = tuple[str | None, str]
"""(type of task, model)."""


class Served(msgspec.Struct, frozen=True):
    """Replies of a model at one kind of task: `rated` of them have feedback, `complaints` of these say that the reply was
    not what was meant; at `hung_up` the client went away."""

    task: str | None
    model: str
    replies: int
    rated: int
    complaints: int
    hung_up: int


class Done(msgspec.Struct, frozen=True):
    """What callers did after replies of whole days (UTC), by the sums that the gateway keeps of it."""

    task: str | None
    model: str
    replies: int
    asked_again: int


class Worked(msgspec.Struct, frozen=True):
    """Of a target: requests that it answered, seconds that its engine was at work on them, tries that failed there, and how
    often its model was loaded, as snapshots of the fleet tell (None: the engine does not say what is in memory)."""

    target: str
    requests: int
    seconds: float
    failures: int
    loads: int | None


class Looked(msgspec.Struct, frozen=True):
    """`clarified` is intent → requests at which the gateway asked back; of `unheard` that the arbiter had it cannot be told.
    `policy` and `snapshot` are hashes of the newest that decided something. `first` is when the first request came."""

    requests: int
    unread: int
    first: float | None
    served: tuple[Served, ...]
    done: tuple[Done, ...]
    worked: tuple[Worked, ...]
    clarified: dict[str, int]
    unheard: int
    feedback: int
    policy: str | None
    snapshot: str | None
    policies: int


def look(reader: LogReader, since: float, until: float) -> Looked:
    """Requests from `since` on, in seconds since the epoch. Holds some numbers a request. Raises LogError."""
    run = _Pass(reader, since)
    for logged in reader.scan(since):
        run.see(logged)
    return run.result(since, until)


class _Pass:
    def __init__(self, reader: LogReader, since: float) -> None:
        self._reader = reader
        self._said = {each.request_id: (each.caller, complains(each)) for each in reader.feedback(since)}
        self._served: defaultdict[Work, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._worked: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0])
        self._clarified: Counter[str] = Counter()
        self._policies: set[str] = set()
        self._newest: tuple[float, str | None, str | None] = (float("-inf"), None, None)
        self._names: dict[str, int] = {}
        self._kept: dict[str, tuple[BackendState, ...]] = {}
        self._times, self._states = array("d"), array("L")
        self._requests = self._unread = self._unheard = self._feedback = 0
        self._first: float | None = None

    def see(self, logged: Logged) -> None:
        head = logged.head
        self._requests += 1
        self._first = head.received if self._first is None else min(self._first, head.received)
        if not logged.is_open or logged.prompts == "off":
            self._unread += 1
        if head.snapshot is not None:
            self._times.append(head.received)
            self._states.append(self._names.setdefault(head.snapshot, len(self._names)))
        if head.policy is not None:
            self._policies.add(head.policy)
            if head.received >= self._newest[0]:
                self._newest = head.received, head.policy, head.snapshot
        if head.stage == "l1":
            self._heard(logged, head)
        for attempt in head.attempts:
            if attempt.get("failure") or (attempt.get("status") or 200) >= 400:
                self._worked[str(attempt.get("target"))][2] += 1
        if head.target is not None and head.cache != "hit":
            self._answered(logged, head, head.target)

    def _heard(self, logged: Logged, head: Head) -> None:
        decision = logged.decision()
        if decision is None:
            self._unheard += 1
        elif decision.clarification is not None:
            self._clarified[decision.intent or "?"] += 1

    def _answered(self, logged: Logged, head: Head, target: str) -> None:
        worked = self._worked[target]
        worked[0] += 1
        worked[1] += engine_seconds(head) or 0.0
        if head.stage != "model":
            return
        counts = self._served[logged.feature("task_type"), target.rpartition("@")[0]]
        counts[0] += 1
        caller, complaint = self._said.get(head.id, ("", False))
        if head.id in self._said and caller == head.caller:
            self._feedback += 1
            counts[1] += 1
            counts[2] += complaint
        counts[3] += head.outcome == "cancelled"

    def result(self, since: float, until: float) -> Looked:
        loads = self._loads()
        signs: defaultdict[Work, list[int]] = defaultdict(lambda: [0, 0])
        for each in self._reader.signs(int(since // _DAY), int(until // _DAY)):
            signs[each.task, each.model][0] += each.replies
            signs[each.task, each.model][1] += each.asked_again
        order = sorted(self._served.items(), key=lambda item: (-item[1][0], item[0][1], item[0][0] or ""))
        return Looked(
            requests=self._requests,
            unread=self._unread,
            first=self._first,
            served=tuple(Served(task, model, *counts) for (task, model), counts in order),
            done=tuple(Done(task, model, *counts) for (task, model), counts in signs.items()),
            worked=tuple(self._worked_of(name, loads) for name in sorted({*loads, *self._worked})),
            clarified=dict(self._clarified.most_common()),
            unheard=self._unheard,
            feedback=self._feedback,
            policy=self._newest[1],
            snapshot=self._newest[2],
            policies=len(self._policies),
        )

    def _worked_of(self, name: str, loads: dict[str, int]) -> Worked:
        count, seconds, failures = self._worked[name]
        return Worked(name, int(count), seconds, int(failures), loads.get(name))

    def _loads(self) -> dict[str, int]:
        """Target → how often it came into memory. Requests are put in the order in which they came."""
        names = list(self._names)
        found: dict[str, int] = {}
        resident: dict[str, bool] = {}
        last = -1
        for place in sorted(range(len(self._times)), key=self._times.__getitem__):
            state = self._states[place]
            if state == last:
                continue
            last = state
            for each in self._known(names[state]):
                if each.resident is None:
                    continue
                was = resident.get(each.target, each.resident)
                resident[each.target] = each.resident
                found[each.target] = found.get(each.target, 0) + (each.resident and not was)
        return found

    def _known(self, name: str) -> tuple[BackendState, ...]:
        if name not in self._kept:
            snapshot: Snapshot | None = self._reader.snapshot(name)
            if len(self._kept) >= _SNAPSHOTS:
                self._kept.clear()
            self._kept[name] = snapshot.states if snapshot is not None else ()
        return self._kept[name]
