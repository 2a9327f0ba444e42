"""Numbers of one rule while the log is gone through."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping

from pointsman.offline.audit.cost import Cost, size_of
from pointsman.offline.audit.followups import Reason, Reply
from pointsman.offline.audit.intervals import quantile
from pointsman.offline.audit.outcome import Arm, Moved, RuleAudit, Suspected, Wrong
from pointsman.offline.audit.without import Instead

_TEXTS = 8
_LONGEST = 200


class Tally:
    """Of one rule. `trace` gets the ids where they are asked for."""

    def __init__(self, rule: str, trace: dict[str, list[str]] | None) -> None:
        self.rule = rule
        self.hits = 0
        self._trace = trace
        self._decided = array("d")
        self._outcomes: Counter[str] = Counter()
        self._moved: dict[Instead, _Going] = {}
        self._untold = 0
        self._looked = 0
        self._reasons: Counter[Reason] = Counter()
        self._any = 0
        self._texts: list[Wrong] = []

    def hit(self, request_id: str, outcome: str, decided_ms: float | None) -> None:
        self.hits += 1
        self._outcomes[outcome] += 1
        if decided_ms is not None:
            self._decided.append(decided_ms)
        self._note("hits", request_id)
        self._note(f"outcome {outcome}", request_id)

    def went(self, request_id: str, instead: Instead | None, input_tokens: int, spent: float | None) -> None:
        """Where it would have gone; None where that cannot be told. `spent` is None where the reply took an engine for a
        time that is not known: then nothing is saved by it, nor lost."""
        if instead is None:
            self._untold += 1
            self._note("without it: unknown", request_id)
            return
        going = self._moved.get(instead)
        if going is None:
            going = self._moved[instead] = _Going()
        going.add(input_tokens, spent)
        self._note(f"without it: {instead.kind} {instead.name}".rstrip(), request_id)

    def looked(self) -> None:
        """One more whose replies' reception is known."""
        self._looked += 1

    def doubted(self, reply: Reply, reason: Reason, next_question: str | None) -> None:
        self._reasons[reason] += 1
        if len(reply.reasons) == 1:
            self._any += 1
            self._note("suspected", reply.request_id)
        self._note(reason, reply.request_id)
        if len(self._texts) < _TEXTS:
            cut = None if next_question is None else next_question[:_LONGEST]
            self._texts.append(Wrong(reply.question[:_LONGEST], reason, reply.request_id, cut))

    def _note(self, what: str, request_id: str) -> None:
        if self._trace is not None:
            self._trace.setdefault(what, []).append(request_id)

    def result(self, reached: int, costs: Mapping[str, Cost], abandoned: int) -> RuleAudit:
        moved = [going.result(instead, costs) for instead, going in self._moved.items()]
        if self._untold:
            moved.append(Moved("unknown", "", self._untold, None, 0.0))
        reasons = self._reasons
        return RuleAudit(
            rule=self.rule,
            hits=self.hits,
            share=self.hits / reached if reached else 0.0,
            median_ms=quantile(self._decided, 0.5),
            p95_ms=quantile(self._decided, 0.95),
            outcomes=dict(sorted(self._outcomes.items())),
            moved=tuple(sorted(moved, key=lambda each: (-each.requests, each.kind, each.name))),
            suspected=Suspected(
                reasons["asked_again"], reasons["said_so"], reasons["feedback"], self._any, self._looked, abandoned,
                tuple(self._texts),
            ),
        )  # fmt: skip


class _Going:
    """Requests to one place: a target's cost is linear in tokens but for the typical length of replies, which goes by the
    size of the prompt; so sums by size are all that is needed of them."""

    __slots__ = ("count", "sizes", "spent")

    def __init__(self) -> None:
        self.count = 0
        self.spent = 0.0
        self.sizes: dict[int, list[int]] = {}

    def add(self, input_tokens: int, spent: float | None) -> None:
        self.count += 1
        if spent is None:
            return
        self.spent += spent
        sums = self.sizes.setdefault(size_of(input_tokens), [0, 0])
        sums[0] += 1
        sums[1] += input_tokens

    def result(self, instead: Instead, costs: Mapping[str, Cost]) -> Moved:
        seconds: float | None = 0.0
        if instead.kind == "target":
            cost = costs.get(instead.name) or costs.get("")
            sums = self.sizes.items()
            seconds = None if cost is None else sum(cost.several(count, tokens, size) for size, (count, tokens) in sums)
        return Moved(instead.kind, instead.name, self.count, seconds, self.spent)


class TrialTally:
    """Both sides of a rule with a share, by person."""

    def __init__(self) -> None:
        self.share = 0
        self._arms: dict[bool, dict[int, list[float]]] = {True: {}, False: {}}

    def add(self, taken: bool, person: tuple[str, ...], seconds: float) -> None:
        sums = self._arms[taken].setdefault(hash(person), [0, 0, 0, 0.0])
        sums[0] += 1
        sums[3] += seconds

    def doubted(self, reply: Reply, reason: Reason) -> None:
        sums = self._arms[reply.taken][hash(reply.person)]
        sums[1] += len(reply.reasons) == 1
        sums[2] += reason == "asked_again"

    def arm(self, taken: bool) -> Arm:
        people = self._arms[taken].values()
        return Arm(tuple(sorted((int(a), int(b), int(c), d) for a, b, c, d in people)))
