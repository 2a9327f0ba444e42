"""The pass over the log."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from pointsman.domain.feedback import Feedback
from pointsman.offline.audit.cost import Costs
from pointsman.offline.audit.followups import Followups, Next, Reply
from pointsman.offline.audit.near import near_misses
from pointsman.offline.audit.outcome import Audit, ShadowAudit, Trial
from pointsman.offline.audit.policies import Named
from pointsman.offline.audit.sample import QuestionSample
from pointsman.offline.audit.sessions import Sessions
from pointsman.offline.audit.tally import Tally, TrialTally
from pointsman.offline.audit.without import Instead
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Head
from pointsman.store.log_scan import Logged, Sketch

_ENDPOINTS = ("chat", "completions")
_EMPTY = "guard.empty"
_SAMPLED = 10_000
_LONGEST = 2000  # characters of a request that may be a near miss
_REMEMBERED = 200_000
LOW = 2
"""The highest rating that is a complaint."""


def audit(
    reader: LogReader, since: float | None, *, now: float, traced: str | None = None, sampled: int = _SAMPLED
) -> Audit:
    """`since` and `now` are seconds since the epoch; with `traced`, the ids behind every number of that rule. Memory is
    bounded whatever the log holds, but for 8 bytes a request that a rule took, and some for each caller, person on trial
    and complaint. Raises LogError."""
    run = _Pass(reader, since, traced, sampled)
    for logged in reader.scan(since):
        run.see(logged)
    return run.result(since, now)


class _Pass:
    def __init__(self, reader: LogReader, since: float | None, traced: str | None, sampled: int) -> None:
        self._traced = traced
        self._trace: dict[str, list[str]] = {}
        self._named = Named(reader)
        self._complaints = {each.request_id: each.caller for each in reader.feedback(since) if complains(each)}
        self._costs = Costs()
        self._followups = Followups()
        self._sessions = Sessions(traced)
        self._sample = QuestionSample(sampled, traced is not None)
        self._rules: dict[str, Tally] = {}
        self._shadows: dict[str, Counter[str]] = {}
        self._shadow_seconds: defaultdict[str, float] = defaultdict(float)
        self._marks: Counter[str] = Counter()
        self._trials: dict[str, TrialTally] = {}
        self._instead: dict[tuple[Any, ...], Instead | None] = {}
        self._requests = self._reached = self._unread = 0
        self._newest = 0.0

    def see(self, logged: Logged) -> None:
        head = logged.head
        self._requests += 1
        self._newest = max(self._newest, head.received)
        if head.stage is None or head.policy is None or head.endpoint not in _ENDPOINTS:
            return
        self._named.decided(head.policy, head.received)
        seconds = engine_seconds(head)
        tokens = logged.feature("input_tokens") or 0
        if seconds is not None and head.outcome == "ok" and head.target:
            self._costs.add(head.target, (tokens, head.output_tokens, seconds))
        if head.rule == _EMPTY:
            return
        self._reached += 1
        if head.marks:
            self._marks.update(head.marks)
        sketch = logged.sketch()
        question = None if sketch is None else sketch.question
        if sketch is None:
            self._unread += 1
        who = _who(head, sketch)
        if sketch is not None and question is not None and self._followups.anyone(who):
            self._judge(who, Next(head.id, head.received, head.rule, question, sketch.earlier))
        trials = self._shadowed(head, seconds)
        if head.rule is not None:
            self._taken(logged, head, sketch, tokens, seconds)
        for rule in trials if head.rule is None else [*trials, head.rule]:
            self._replied(rule, logged, who, question or "", seconds, sketch is not None)
        if sketch is None:
            return
        if sketch.session:
            in_l0 = head.rule if head.stage == "l0" else None
            self._sessions.add(head.caller, sketch.session, head.received, in_l0, head.id)
        if head.rule is None and question and not head.shadow:
            self._maybe_near(logged, sketch)

    def _judge(self, who: tuple[str, ...], coming: Next) -> None:
        for reply, reason in self._followups.judge(who, coming):
            if reply.taken:
                self._rules[reply.rule].doubted(reply, reason, coming.question)
            if reply.rule in self._trials:
                self._trials[reply.rule].doubted(reply, reason)

    def _shadowed(self, head: Head, seconds: float | None) -> list[str]:
        """Counts for rules in shadow; the rules of them that are on trial."""
        on_trial = []
        for rule in head.shadow:
            policy = self._named.policy(head.policy or "")
            if policy is not None and rule in policy.shares:
                on_trial.append(rule)
                continue
            whom = self._shadows.setdefault(rule, Counter())
            whom[_taker(head)] += 1
            if head.stage == "model" and seconds is not None:
                self._shadow_seconds[rule] += seconds
            if rule == self._traced:
                self._trace.setdefault("shadow", []).append(head.id)
        return on_trial

    def _taken(self, logged: Logged, head: Head, sketch: Sketch | None, tokens: int, seconds: float | None) -> None:
        assert head.rule is not None
        tally = self._rules.get(head.rule)
        if tally is None:
            tally = self._rules[head.rule] = Tally(head.rule, self._trace if head.rule == self._traced else None)
        tally.hit(head.id, head.outcome, head.decided_ms)
        spent = 0.0 if head.stage == "l0" or head.cache == "hit" else seconds
        tally.went(head.id, self._without(logged, head, sketch), tokens, spent)

    def _without(self, logged: Logged, head: Head, sketch: Sketch | None) -> Instead | None:
        """Questions that are decided alike are decided once."""
        policy = self._named.policy(head.policy or "")
        if sketch is None or policy is None:
            return None
        asker = (head.caller, sketch.person) if policy.by_caller else None
        key = (head.rule, head.policy, head.snapshot, head.exact_tokens, sketch.essence, asker)
        if key not in self._instead:
            if len(self._instead) >= _REMEMBERED:
                self._instead.clear()
            request, snapshot = logged.request(), self._named.snapshot(head.snapshot or "")
            if request is None or snapshot is None:
                self._instead[key] = None
            else:
                self._instead[key] = policy.without(head.rule or "", request, snapshot, head.exact_tokens)
        return self._instead[key]

    def _replied(
        self, rule: str, logged: Logged, who: tuple[str, ...], question: str, seconds: float | None, read: bool
    ) -> None:
        """From here on the person's next requests are looked at, for the sake of that rule. A question that the gateway asks
        back waits for an answer, which may well be like the question."""
        head = logged.head
        policy = self._named.policy(head.policy or "")
        written = policy.as_written.get(rule) if policy is not None else None
        reply = Reply(rule, head.rule, head.id, head.received, question, who)
        taken = reply.taken
        on_trial = policy is not None and rule in policy.shares
        if written is not None and on_trial:
            trial = self._trials.setdefault(rule, TrialTally())
            trial.share = written.share or 0
            trial.add(taken, who, 0.0 if head.stage == "l0" else seconds or 0.0)
        complained = self._complaints.get(head.id) == head.caller
        if taken and (read or complained):
            self._rules[rule].looked()
        if complained:
            reply.reasons["feedback"] = head.id
            if taken:
                self._rules[rule].doubted(reply, "feedback", None)
            if on_trial:
                self._trials[rule].doubted(reply, "feedback")
        if not read or not question:
            return
        is_report = policy is not None and written is not None and policy.kind_of(written) == "report"
        if is_report and (content := logged.content()) and content.decision and content.decision.clarification:
            return
        self._followups.wait(reply)

    def _maybe_near(self, logged: Logged, sketch: Sketch) -> None:
        essence = sketch.essence
        if not self._sample.wants(essence) or sum(len(turn.text) for turn in sketch.turns) > _LONGEST:
            return
        asked = self._sample.known(essence)
        if asked is None:
            request = logged.request()
            if request is None:
                return
            asked = self._sample.begin(essence, request)
        self._sample.note(asked, logged.head.id)

    def result(self, since: float | None, now: float) -> Audit:
        self._sessions.finish(self._newest)
        costs = self._costs.fitted()
        newest = self._named.newest
        near = near_misses(newest, self._sample) if newest is not None else []
        rules = []
        for rule, tally in sorted(self._rules.items()):
            abandoned, ids = self._sessions.abandoned(rule)
            rules.append(tally.result(self._reached, costs, abandoned))
            if rule == self._traced and ids:
                self._trace["abandoned"] = ids
        for miss in near:
            if miss.rule == self._traced:
                self._trace[f"near: {miss.group}"] = list(miss.ids)
        return Audit(
            since=since,
            until=now,
            requests=self._requests,
            reached=self._reached,
            unread=self._unread,
            sessions=self._sessions.count,
            costs=costs,
            rules=tuple(rules),
            shadows=tuple(
                ShadowAudit(rule, whom.total(), dict(whom.most_common()), self._shadow_seconds[rule])
                for rule, whom in sorted(self._shadows.items())
            ),
            marks=dict(sorted(self._marks.items())),
            trials=tuple(
                Trial(rule, trial.share, trial.arm(True), trial.arm(False))
                for rule, trial in sorted(self._trials.items())
            ),
            near=tuple(near),
            sampled=len(self._sample),
            sampled_share=self._sample.share,
            known=self._named.known(),
            trace=self._trace if self._traced is not None else None,
        )


def complains(feedback: Feedback) -> bool:
    """Whether it says that the reply was not what was meant."""
    return feedback.adopted is False or feedback.retried or (feedback.rating is not None and feedback.rating <= LOW)


def engine_seconds(head: Head) -> float | None:
    """From the beginning of the last try at a target until the reply had ended; None where no engine worked at it. What
    the request waited for before that (other tries, a place in a queue) is not the engine's; how long it waited inside the
    engine, nobody says."""
    if head.target is None or head.total_ms is None or head.cache == "hit":
        return None
    began = head.attempts[-1].get("began_ms") if head.attempts else None
    return max(0.0, head.total_ms - (began or 0.0)) / 1000


def _who(head: Head, sketch: Sketch | None) -> tuple[str, ...]:
    """The person as far as it is told: the caller's own user, else the session, else the caller."""
    if sketch is not None and sketch.user:
        return "user", head.caller, sketch.user
    if sketch is not None and sketch.session:
        return "session", head.caller, sketch.session
    return "caller", head.caller


def _taker(head: Head) -> str:
    return head.rule or head.target or head.error or "none"
