"""A request that is a job: where its deciding begins, and what of it is kept."""

from __future__ import annotations

import msgspec

from pointsman.domain.attempt import Outcome
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.job import Job
from pointsman.domain.lifecycle import Event
from pointsman.domain.said import said
from pointsman.pipeline.passage import Passage
from pointsman.ports.action import Effect

_decision = msgspec.msgpack.Decoder(Decision)
_ASKED: tuple[Event, ...] = ("missed", "arbitrated", "clarified")
"""The way of a request whose user was asked, once."""
_NOT_BY_RULE = (
    "it was to be done by a rule, and no rule takes it whole now: {why}",
    "它只能由规则完成，而现在没有规则能完整地接住它：{why}",
)
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


class RequestPassage:
    """`outcome` and `error` are how the run ended, once it has; `made` is what its action made, `decision` what was decided.
    `rules_only`: it is done by a rule, without a question back, or not at all."""

    def __init__(self, passage: Passage, *, rules_only: bool = False) -> None:
        self.outcome: Outcome = "cancelled"
        self.error: str | None = None
        self.made: Effect | None = None
        self.decision: Decision | None = None
        self._passage = passage
        self._rules_only = rules_only

    @property
    def effect(self) -> str:
        """Names what its execution does in the world, the same for each try."""
        return self._passage.effect

    async def tell(self, done: int, of: int) -> None:
        """How far its execution is."""
        await self._passage.tell(done, of)

    async def begin_deciding(self, policy: str) -> Decision | None:
        """The decision that is to be carried out still, where a worker left an action unfinished. None: it is to be
        decided, under the policy of that hash."""
        passage = self._passage
        kept = decision_of(passage.job)
        if passage.place.state == "received":
            await passage.go("admitted")
        elif passage.place.state != "execution" or kept is None:
            await passage.go("restarted", about={"policy": policy})
        elif kept.stage != "model":
            await passage.go("resumed", about={"policy": kept.policy})
            self.decision = kept
            return kept
        elif kept.policy == policy:
            await passage.go("sent_again", about={"policy": policy})
        else:
            await passage.go("restarted", about={"policy": policy})
        return None

    def admit(self, decision: Decision) -> None:
        """Raises PointsmanError (409) for what is to be done by a rule alone, and is not; before any arbiter is asked."""
        if self._rules_only and not by_rule(decision):
            raise PointsmanError(said(*_NOT_BY_RULE, why=decision.reason), status=409, code="not_by_rule")

    async def decided(self, decision: Decision) -> None:
        """On to the execution."""
        self.decision = decision
        passage = self._passage
        if passage.place.state == "execution":
            return
        matched = decision.stage == "l0"
        if passage.place.state == "l0_missed" and matched:
            await passage.go("restarted", about={"policy": decision.policy})
        events: tuple[Event, ...] = ("dispatched",)
        if passage.place.state != "l0_missed":
            events = ("matched" if matched else "missed", *events)
        if decision.arbitrated:
            events = (*events[:-1], "arbitrated", "dispatched")
        if passage.place.state == "l0_routing":
            events = (*_ASKED * (decision.asked - passage.place.asked), *events)
        await passage.go(*events, why=decision.reason, about=_about(decision), data=_encode(decision))

    async def sent_again(self, decision: Decision, target: str, failure: str) -> None:
        """`target` died over it; it goes on by this decision."""
        about = {**_about(decision), "after": target, "failure": failure}
        await self._passage.go("sent_again", "dispatched", why=decision.reason, about=about, data=_encode(decision))


def by_rule(decision: Decision) -> bool:
    """Whether rules alone do it, whole, without a question back."""
    refused = bool(decision.parameters.get("refused"))
    return decision.stage == "l0" and decision.clarification is None and not refused and decision.error is None


def decision_of(job: Job) -> Decision | None:
    """What was last decided of the request that this job is."""
    return _decision.decode(job.data) if job.data else None


def _about(decision: Decision) -> dict[str, str]:
    told = {"policy": decision.policy, "snapshot": decision.snapshot, "stage": decision.stage}
    if decision.rule:
        told["rule"] = decision.rule
    if decision.intent:
        told["intent"] = decision.intent
    if decision.targets:
        told["target"] = decision.targets[0].target
    return told
