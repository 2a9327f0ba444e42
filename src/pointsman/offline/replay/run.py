"""The pass over the log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.target import BackendState, Snapshot
from pointsman.offline.audit.run import engine_seconds
from pointsman.offline.replay.again import Again, Assumed, Unread
from pointsman.offline.replay.forecast import Forecasting
from pointsman.offline.replay.gathered import Gathered
from pointsman.offline.replay.lately import Lately
from pointsman.offline.replay.moved import MOVES, Aspect, Place, aspect_of, place_of
from pointsman.offline.replay.old import Old
from pointsman.offline.replay.outcome import Replay, Sample
from pointsman.offline.replay.parts import Part
from pointsman.offline.replay.rescored import rescored
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Content, Head
from pointsman.store.log_scan import Logged

_ENDPOINTS = frozenset(("chat", "completions", "embeddings", "rerank"))
_ENDED = frozenset(("ok", "refused", "handed_over"))
_LATE = 60.0
"""Seconds by which a request may be stamped later than now."""
_EVERY = 16
"""So many requests that do not move, one is decided by its own policy too; of those that move, all are."""
_RARER = 4
"""Where the logged terms tell, so much rarer."""
_LONGEST = 400
_POLICIES, _SNAPSHOTS = 8, 512
"""That are kept at a time: those of a log follow each other."""
ALL = 1
"""For `every`: all requests are decided by both policies, nothing is spared or told by terms."""


class Asked(msgspec.Struct, frozen=True):
    """`now` and `since` in seconds since the epoch; `shown` samples of each move, with their `text` or not. `every`: of so
    many requests that do not move, one is decided by its own policy, too."""

    now: float
    since: float | None = None
    shown: int = 3
    text: bool = False
    every: int = _EVERY


def replay(
    reader: LogReader, policy: Policy, asked: Asked, passed: Callable[[float], None] = lambda share: None
) -> Replay:
    """`passed` is told again and again which share of the log has been gone through, 0 to 1. Raises LogError."""
    began = time.process_time()
    run = _Pass(reader, policy, asked)
    for logged in reader.scan(asked.since, passed):
        run.see(logged)
    return run.result(time.process_time() - began)


class _Pass:
    def __init__(self, reader: LogReader, policy: Policy, asked: Asked) -> None:
        self._reader = reader
        self._asked = asked
        self._policy = policy
        self._as_read = msgspec.msgpack.decode(policy.document.encode(), type=PolicyDocument)
        self._known: dict[str, BackendState] = {}
        self._forecast = Forecasting(policy.document, self._known)
        self._gathered = Gathered(asked.shown)
        self._olds = Lately(_POLICIES, self._made, self._over)
        self._snapshots = Lately(_SNAPSHOTS, self._noted)
        self._parts: dict[Part, None] = {}
        self._assumed: Counter[Assumed] = Counter()
        self._approximated = 0
        self._unread: Counter[Unread] = Counter()
        self._unread_ids: dict[Unread, list[str]] = {}
        self._kinds: Counter[str] = Counter()
        self._policies: Counter[str] = Counter()
        self._requests = self._undecided = self._rescored = self._spared = self._checked = self._future = 0
        self._first: float | None = None
        self._last: float | None = None

    def see(self, logged: Logged) -> None:
        head = logged.head
        self._requests += 1
        received = head.received
        if received > self._asked.now + _LATE:
            self._future += 1
        self._first = received if self._first is None else min(self._first, received)
        self._last = received if self._last is None else max(self._last, received)
        if head.policy is None or head.snapshot is None or head.endpoint not in _ENDPOINTS:
            self._undecided += 1
            return
        why = self._compare(logged, head)
        if why is not None:
            self._unread[why] += 1
            if self._unread[why] <= self._asked.shown:
                self._unread_ids.setdefault(why, []).append(head.id)

    def _compare(self, logged: Logged, head: Head) -> Unread | None:
        """None where it was compared, else why it could not be."""
        old = self._olds.of(head.policy or "")
        if old is None:
            return "no_policy"
        snapshot = self._snapshots.of(head.snapshot or "")
        if snapshot is None:
            return "no_snapshot"
        self._policies[head.policy or ""] += 1
        every = 1 if old.doubted else self._asked.every
        if every > 1 and old.spares(head):
            content = logged.content() if self._requests % every == 0 else None
            if content is not None and content.decision is not None and not self._holds(old, content, snapshot, head):
                return "version"
            self._spared += 1
            self._stays(logged, head)
            return None
        if every > 1 and old.only_scores and self._told_by_terms(old, logged, snapshot, every):
            return None
        content = logged.content()
        if content is None or content.decision is None:
            return _why_closed(logged)
        missed = every > 1 and old.missed(content.decision)
        again = old.again.decided(content.request, content.decision, snapshot, head.exact_tokens, missed)
        if not isinstance(again, Decision):
            return again
        aspect = aspect_of(content.decision, again)
        if (aspect in MOVES or self._requests % every == 0) and not self._holds(old, content, snapshot, head):
            return "version"
        self._settle(old, logged, (content.decision, again), aspect, snapshot)
        return None

    def _told_by_terms(self, old: Old, logged: Logged, snapshot: Snapshot, every: int) -> bool:
        """Whether the logged terms tell where it goes, and that its own policy sent it where it went; then that is all that
        is looked at, but for one now and then."""
        head = logged.head
        decision = None if self._requests % (every * _RARER) == 0 else logged.decision()
        found = decision and rescored(head.id, decision, self._policy, snapshot)
        if decision is None or found is None:
            return False
        aspect = aspect_of(decision, found)
        if aspect in MOVES and rescored(head.id, decision, old.policy, snapshot) is not decision:
            return False
        self._rescored += 1
        if decision.last is not None:
            self._assumed["last"] += 1
        self._settle(old, logged, (decision, found), aspect, snapshot)
        return True

    def _settle(
        self, old: Old, logged: Logged, decisions: tuple[Decision, Decision], aspect: Aspect | None, snapshot: Snapshot
    ) -> None:
        """Counts it: the logged decision, and the one that is made now."""
        head = logged.head
        if aspect is not None:
            self._kinds["moved" if aspect in MOVES else aspect] += 1
        if aspect is None or aspect not in MOVES:
            self._stays(logged, head)
            return
        was, now = decisions
        before, after = place_of(was), place_of(now)
        cause = old.causes.of(was, now, head.model, _deciding(logged, snapshot))
        key = (before, after, aspect, cause)
        sample = self._sample(logged) if self._gathered.wants(key) else None
        self._gathered.took(was.rule, now.rule)
        self._gathered.add(key, sample, (was.rule, now.rule))
        self._moves(logged, head, before, after)

    def _holds(self, old: Old, content: Content, snapshot: Snapshot, head: Head) -> bool:
        """Whether its own policy leads to what was logged, bit for bit. Where one does not, all of that policy are looked
        at from there on."""
        assert content.decision is not None
        self._checked += 1
        try:
            again = recomputed(content.request, content.decision, old.policy, snapshot, head.exact_tokens)
        except PointsmanError:
            again = None
        if again == content.decision:
            return True
        old.doubted = True
        return False

    def _made(self, name: str) -> Old | None:
        document = self._reader.policy(name)
        if document is None:
            return None
        own = self._policy
        policy = Policy(document, name, own_tasks=own.own_tasks, own_difficulty=own.own_difficulty)
        self._forecast.know(policy.targets)
        old = Old(policy, own, self._as_read, self._known)
        self._parts.update(dict.fromkeys(old.parts))
        return old

    def _over(self, old: Old | None) -> None:
        """Nothing more is decided beside it."""
        if old is not None:
            self._assumed += old.again.assumed
            self._approximated += old.causes.approximated

    def _noted(self, name: str) -> Snapshot | None:
        found = self._reader.snapshot(name)
        for state in found.states if found is not None else ():
            self._known[state.target] = _fuller(state, self._known.get(state.target))
        return found

    def _stays(self, logged: Logged, head: Head) -> None:
        self._gathered.took(head.rule, head.rule)
        known = self._note(logged, head, _place_of(head))
        if known is not None:
            self._forecast.stays(known[0])
            target = self._forecast.target(head.target or "")
            if target is not None and head.stage == "model":
                state = self._known.get(target.name) or BackendState(target.name)
                self._forecast.worth.stays(target, state, *_work(logged))

    def _moves(self, logged: Logged, head: Head, before: Place, after: Place) -> None:
        forecast = self._forecast
        known = self._note(logged, head, before)
        if known is None:
            return
        whole, engine = known
        served = head.target if engine is not None else None
        if after.kind != "target":
            if served is not None:
                forecast.leaves(served, engine or 0.0)
            forecast.settled(after)
            return
        if head.cache == "hit" or served == after.name:  # a kept reply stays kept; whom it fell back to it goes to now
            forecast.stays(whole)
        else:
            if served is not None:
                forecast.leaves(served, engine or 0.0)
            forecast.comes(after.name, logged.feature("input_tokens") or 0, head.output_tokens)
        was, now = forecast.target(head.target or before.name), forecast.target(after.name)
        if was is not None and now is not None and before.kind == "target":
            forecast.worth.moves((was, now), self._known, *_work(logged))

    def _note(self, logged: Logged, head: Head, place: Place) -> tuple[float, float | None] | None:
        """What it took: seconds from arrival to its end, and of an engine, None where none was busy with it. None where it
        did not come to a good end."""
        if head.outcome not in _ENDED or head.total_ms is None:
            self._forecast.left_out += 1
            return None
        whole, engine = head.total_ms / 1000, engine_seconds(head)
        target = head.target if engine is not None else None
        self._forecast.was(place, target, whole, engine or 0.0)
        if target is not None and engine is not None and head.outcome == "ok":
            self._forecast.speeds.add(target, logged.feature("input_tokens") or 0, head.output_tokens, engine, whole)
        return whole, engine

    def _sample(self, logged: Logged) -> Sample:
        request = logged.request() if self._asked.text else None
        text = None if request is None else request.question
        return Sample(
            id=logged.head.id,
            received=logged.head.received,
            language=logged.feature("language"),
            input_tokens=logged.feature("input_tokens"),
            task=logged.feature("task_type"),
            difficulty=logged.feature("difficulty"),
            text=None if text is None else text[:_LONGEST],
        )

    def result(self, seconds: float) -> Replay:
        self._olds.clear()
        span = 0.0 if self._first is None or self._last is None else self._last - self._first
        return Replay(
            since=self._asked.since,
            until=self._asked.now,
            began=self._first,
            ended=self._last,
            requests=self._requests,
            undecided=self._undecided,
            unread=dict(self._unread.most_common()),
            unread_ids={why: tuple(ids) for why, ids in self._unread_ids.items()},
            compared=self._requests - self._undecided - self._unread.total(),
            moved=self._kinds["moved"],
            reordered=self._kinds["order"],
            reworded=self._kinds["words"],
            noted=self._kinds["notes"],
            rescored=self._rescored,
            spared=self._spared,
            checked=self._checked,
            approximated=self._approximated,
            future=self._future,
            assumed=dict(self._assumed),
            policies=dict(self._policies.most_common()),
            parts=tuple(self._parts),
            moves=self._gathered.moves(),
            rules=self._gathered.rules(),
            forecast=self._forecast.result(span),
            seconds=seconds,
        )


def _why_closed(logged: Logged) -> Unread:
    if logged.prompts == "off":
        return "off"
    return "older" if logged.is_open else "no_key"


def _deciding(logged: Logged, snapshot: Snapshot) -> Callable[[Again], object]:
    """What decides that very request; nothing where its content is not here."""

    def decide(again: Again) -> object:
        content = logged.content()
        if content is None or content.decision is None:
            return None
        return again.decided(content.request, content.decision, snapshot, logged.head.exact_tokens)

    return decide


def _place_of(head: Head) -> Place:
    """As far as a head tells it."""
    if head.stage == "l0":
        return Place("rule", head.rule or "")
    if head.stage == "l1":
        return Place("intent", head.intent or "")
    return Place("target", head.target) if head.target else Place("none", head.error or "")


def _work(logged: Logged) -> tuple[str | None, float | None]:
    """(type of its task, difficulty)."""
    return logged.feature("task_type"), logged.feature("difficulty")


def _fuller(state: BackendState, before: BackendState | None) -> BackendState:
    """The newer state; where it lacks measured rates, those from before."""
    if before is None:
        return state
    prefill, decode = state.prefill_rate or before.prefill_rate, state.decode_rate or before.decode_rate
    load = state.load_seconds if state.load_seconds is not None else before.load_seconds
    return msgspec.structs.replace(state, prefill_rate=prefill, decode_rate=decode, load_seconds=load)
