"""To which channels what a decision makes is delivered: those of its rule, and the one that the request names. Pure."""

from __future__ import annotations

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.report_decision import resumed_report

_TURNS = 13  # of a conversation about one report: six questions, their answers, and the request


def delivered_to(decision: Decision, request: Request, question: str | None, policy: Policy) -> Decision:
    """The decision with its channels. `question` is the text that was decided on."""
    if decision.stage == "model" or not decision.execution_path or not policy.document.channels:
        return decision
    channels = policy.wishes.by_rule(decision.rule)
    if decision.action == "report":
        texts = [question or ""]
        if resumed_report(request, policy) is not None:
            texts += [turn.text for turn in reversed(request.turns[-_TURNS:]) if turn.role == "user"]
        wishes = (policy.wishes.in_text(text, request.caller_role) for text in texts)
        wish = next((found for found in wishes if found is not None), None)
        channels = (*channels, wish.channel) if wish is not None else channels
    if not channels:
        return decision
    return msgspec.structs.replace(decision, deliver=tuple(dict.fromkeys(channels)))
