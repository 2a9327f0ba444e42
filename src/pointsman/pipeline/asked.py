"""What of a request the rules look at, and what they say of it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pointsman.domain.decision import Decision, Framed, Mark, Match, Risk
from pointsman.domain.features import Features
from pointsman.domain.request import Request
from pointsman.domain.rule import Asking, Looked, RuleHit
from pointsman.domain.wording import Tongue, say
from pointsman.pipeline.policy import Policy

_RISKS: tuple[Risk, ...] = ("low", "medium", "high")


class Asked(msgspec.Struct, frozen=True, gc=False):
    """The user's last message, and the question in it, which is the whole of it unless a template wraps the question.
    Both are None where there is no question, as in a tool loop."""

    message: str | None
    question: str | None
    framed: Framed | None = None

    def matched(self, hit: RuleHit) -> tuple[Match, ...]:
        """Where a rule's groups matched, in places of the message."""
        if hit.rule.looks_at == "message":
            text, shift = self.message or "", 0
        else:
            text, shift = self.question or "", self.framed.start if self.framed else 0
        return tuple([Match(group, text[start:end], start + shift, end + shift) for group, start, end in hit.spans])


def ask(request: Request, policy: Policy) -> Asked:
    """System and tool messages are never looked at; embeddings and documents to rank hold no question."""
    message = request.question
    if message is None or request.endpoint not in ("chat", "completions"):
        return Asked(message, message)
    span = policy.frames.question_span(message)
    if span is None:
        return Asked(message, message)
    return Asked(message, message[span.start : span.end], Framed(span.frame, span.start, span.end))


def look(
    asked: Asked, request: Request, policy: Policy, features: Features, spent: Callable[[int], bool] | None = None
) -> Looked:
    """What the rules of the entry say, or the guards' where a model is named."""
    asking = asking_of(request)
    return policy.rules_for(request.model).look(asked.question, features, asking, message=asked.message, spent=spent)


def asking_of(request: Request) -> Asking:
    """Who asks, by which way."""
    return Asking(
        request.model,
        request.endpoint,
        request.caller_role,
        request.caller,
        request.caller_group,
        request.source,
        request.user or request.session,
    )


def noted(decision: Decision, looked: Looked, asked: Asked, tongue: Tongue) -> Decision:
    """The decision with what the rules noted on their way to it."""
    marks = tuple(
        Mark(hit.rule.id, hit.rule.parameters["label"], hit.rule.parameters["risk"], asked.matched(hit))
        for hit in looked.passed
        if not hit.shadow
    )
    reason = decision.reason
    if looked.cut is not None:
        reason = say("cut.reason", tongue, reason=reason, rules=looked.cut)
    return msgspec.structs.replace(
        decision,
        reason=reason,
        marks=marks,
        risk=max([decision.risk, *(mark.risk for mark in marks)], key=_RISKS.index),
        shadow=tuple([hit.rule.id for hit in looked.passed if hit.shadow]),
        rules_cut=looked.cut,
    )


def noted_risk(looked: Looked) -> Risk:
    """The highest that rules noted."""
    risks: list[Risk] = [hit.rule.parameters["risk"] for hit in looked.passed if not hit.shadow]
    return max(risks, key=_RISKS.index, default="low")
