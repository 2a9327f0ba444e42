"""One logged request, decided by another policy, with what was measured of it when it came."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.intent import Hearing
from pointsman.domain.meaning import Meaning
from pointsman.domain.request import Request
from pointsman.domain.rule import Looked
from pointsman.domain.target import BackendState, Load, Snapshot
from pointsman.pipeline.acting import shown
from pointsman.pipeline.classified import unclassified
from pointsman.pipeline.decide import decide, only
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.scored import loads_of
from pointsman.routing.classifier.difficulty import Difficulty
from pointsman.routing.classifier.tasks import Tasks

Unread = Literal["off", "no_key", "older", "no_policy", "no_snapshot", "version", "arbiter", "meaning", "cut"]
"""Why a request cannot be decided again: its prompt was not kept, or the key is not here; another version wrote it in a way
that is not read; the log has its policy or its snapshot no more; its own policy does not lead to what was logged (another
version decided it); an arbiter, or an embedding model, would have to be asked; time for its rules ran out, and how far
others would come is not known."""
Assumed = Literal["last", "hearing", "idle", "no_last", "state"]
"""What a decision was taken to have: the target that its session had, what an arbiter heard, targets that have nothing to
do, a session without a target before, and of a target that was not there what was known of it or its like at another
time."""


_NOTHING = Looked()


class Again:
    """Decides by one policy. `known` are states of targets that the log's snapshots had at some time: what is taken for
    targets that a request's own snapshot has not. `assumed` counts requests."""

    def __init__(self, policy: Policy, same_rules: bool, old: Policy | None, known: dict[str, BackendState]) -> None:
        """`same_rules`: its rules are those that the requests were decided by, `old` the policy that did so. Where both have
        the same model of tasks or difficulties, what it said of a request is taken from the log."""
        self.policy = policy
        self.assumed: Counter[Assumed] = Counter()
        self._old = old
        self._same_rules = same_rules
        self._told = {
            (tasks, difficulty): _AsLogged(policy, tasks, difficulty) if tasks or difficulty else policy
            for tasks in (False, True)
            for difficulty in (False, True)
        }
        self._same_tasks, self._same_difficulty = (False, False) if old is None else _same_models(policy, old)
        self._hears = {name for name in policy.entries if _hears_alike(policy, old, name)}
        self._known = known
        self._filled: tuple[Snapshot, Snapshot, frozenset[str]] | None = None

    def decided(
        self, request: Request, logged: Decision, snapshot: Snapshot, exact_tokens: int | None, missed: bool = False
    ) -> Decision | Unread:
        """As it would have come out; an error that the client would get is a decision too. `missed`: as is known, no rule
        says anything of it, and its features are those that it had."""
        policy = self._policy_for(request, logged)
        if logged.rules_cut is not None and not self._same_rules:
            return "cut"
        hearing = logged.hearing if request.model in self._hears else None
        whole, lacking = self._whole(snapshot)
        last = logged.last if logged.last in policy.targets else None
        loads = loads_of(logged)
        try:
            again = decide(
                request,
                policy,
                whole,
                seed=policy.seed_of(request),
                exact_tokens=exact_tokens,
                spent=only(logged.rules_cut),
                hearing=hearing,
                loads=loads,
                last=last,
                before=logged.features,
                looked=_NOTHING if missed else None,
                meaning=self._meant(logged),
                features=unclassified(logged.features) if missed and logged.features is not None else None,
            )
        except PointsmanError as error:
            return Decision(stage="model", reason="", error=error.code)
        if again.wants is not None and again.wants != logged.wants:
            return "meaning" if again.wants == "meaning" else "arbiter"
        self._note(again, logged, hearing, last, loads, lacking)
        return shown(again, policy.document.actions)

    def _meant(self, logged: Decision) -> Meaning | None:
        """As logged, where the policy wants vectors of that very model."""
        rule, meaning = self.policy.document.classifier, logged.meaning
        return meaning if rule is not None and meaning is not None and meaning.embedder == rule.embedder else None

    def _policy_for(self, request: Request, logged: Decision) -> Policy:
        policy, old = self.policy, self._old
        if old is None or logged.stage != "model":
            return policy
        tasks = self._same_tasks and (old.asks_task(request) or not policy.asks_task(request))
        difficulty = self._same_difficulty and (old.asks_difficulty(request) or not policy.asks_difficulty(request))
        return self._told[tasks, difficulty]

    def _note(
        self,
        again: Decision,
        logged: Decision,
        hearing: Hearing | None,
        last: str | None,
        loads: dict[str, Load],
        lacking: frozenset[str],
    ) -> None:
        if again.stage != "l0" and hearing is not None:
            self.assumed["hearing"] += 1
        if again.scored is not None:
            if last is not None:
                self.assumed["last"] += 1
            elif logged.scored is None:
                self.assumed["no_last"] += 1
            if any(choice.target not in loads for choice in again.targets):
                self.assumed["idle"] += 1
        if again.targets and again.targets[0].target in lacking:
            self.assumed["state"] += 1

    def _whole(self, snapshot: Snapshot) -> tuple[Snapshot, frozenset[str]]:
        """With all targets of the policy, and which of them it had not."""
        if self._filled is None or self._filled[0] is not snapshot:
            there = {state.target for state in snapshot.states}
            lacking = frozenset(self.policy.targets) - there
            states = [*snapshot.states, *(self._state(name) for name in sorted(lacking))]
            whole = Snapshot(tuple(states), snapshot.hash, snapshot.shifts) if lacking else snapshot
            self._filled = snapshot, whole, lacking
        return self._filled[1:]

    def _state(self, name: str) -> BackendState:
        """Of a target that a snapshot has not: as it was at another time, else with what its model has elsewhere."""
        known = self._known.get(name)
        if known is None:
            model = self.policy.targets[name].model
            like = next((state for target, state in self._known.items() if target.rsplit("@", 1)[0] == model), None)
            known = BackendState(name) if like is None else BackendState(name, facts=like.facts)
            if like is not None:
                known = msgspec.structs.replace(known, prefill_rate=like.prefill_rate, decode_rate=like.decode_rate)
        return msgspec.structs.replace(known, health="unknown", problem=None, breaker="closed", cause=None)


class _AsLogged(Policy):
    """A policy whose model of tasks, of difficulties, or both are not at hand, so that what they said is taken from the
    features that a request was decided by."""

    def __init__(self, policy: Policy, tasks: bool, difficulty: bool) -> None:
        self.__dict__.update(policy.__dict__)
        self._without_tasks = tasks
        self._without_difficulty = difficulty

    @property
    def tasks(self) -> Tasks | None:
        return None if self._without_tasks else super().tasks

    @property
    def difficulty(self) -> Difficulty | None:
        return None if self._without_difficulty else super().difficulty


def _same_models(policy: Policy, old: Policy) -> tuple[bool, bool]:
    """Whether both have the same model of tasks, and of difficulties, and the same text to look at."""
    new, before = policy.document.classifier, old.document.classifier
    if policy.document.frames != old.document.frames or new is None or before is None:
        return False, False
    return (new.version, new.least) == (before.version, before.least), new.difficulty == before.difficulty


def _hears_alike(policy: Policy, old: Policy | None, entry: str) -> bool:
    """Whether what was heard for that entry is what would be heard now: the same arbiter, choosing from the same intents."""
    before = None if old is None else old.entries.get(entry)
    if old is None or before is None or before.arbiter != policy.entries[entry].arbiter:
        return False
    sets = [document.arbiter.intents if document.arbiter else () for document in (old.document, policy.document)]
    return {(i.name, _said(i.about)) for i in sets[0]} == {(i.name, _said(i.about)) for i in sets[1]}


def _said(about: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(about.items()))
