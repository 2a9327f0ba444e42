"""The gateway's decision on a request, as an `Outcome`."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.domain.said import Tongue
from pointsman.domain.target import Snapshot
from pointsman.domain.wording import say, tongue_of
from pointsman.library.outcome import Outcome
from pointsman.library.ruling import KINDS, Ruling
from pointsman.pipeline.decide import decide

NOWHERE = Snapshot.of(())
_NONE: dict[Tongue, str] = {"zh": "没有规则命中", "en": "no rule took it"}


def outcome_of(request: Request, ruling: Ruling, language: Tongue | None) -> Outcome:
    """Pure. `language` is that of the texts, where it is not to be the question's."""
    policy = ruling.policy
    decision = decide(
        msgspec.structs.replace(request, model=ruling.entry(request.model)), policy, NOWHERE, tongue=language
    )
    features = decision.features
    assert features is not None
    tongue = language or tongue_of(features.language, policy.document.language)
    rule = ruling.rules.get(decision.rule or "")
    seen: dict[str, Any] = {
        "marks": decision.marks,
        "risk": decision.risk,
        "shadow": decision.shadow,
        "language": tongue,
        "rules": policy.hash,
    }
    if rule is None:  # nobody's rule: an empty text is the caller's own matter
        return Outcome(taken=False, reason=_NONE[tongue], **seen)
    steers = decision.action == "route"
    named = not steers and rule.action not in KINDS
    return Outcome(
        taken=not steers,
        reason=_why(decision, tongue) if steers or named else decision.reason,
        rule=rule.id,
        action=decision.action,
        text=None if steers or named else decision.parameters["text"],
        parameters=_own(decision.parameters if steers else rule.parameters if named else {}),
        matched=decision.matched,
        slots=_slots(decision, request),
        **seen,
    )


def _why(decision: Decision, tongue: Tongue) -> str:
    """Without what the gateway would add: which of its targets comes next, what its config lacks."""
    words = ", ".join(dict.fromkeys([match.text for match in decision.matched]))
    if words:
        return say("rule.reason", tongue, rule=decision.rule, words=words)
    return say("rule.plain", tongue, rule=decision.rule)


def _slots(decision: Decision, request: Request) -> dict[str, str]:
    question = request.question or ""
    if decision.framed:
        question = question[decision.framed.start : decision.framed.end]
    return {"question": question, **{match.group: match.text for match in reversed(decision.matched)}}


def _own(value: Any) -> Any:
    """A copy that its reader may change."""
    if isinstance(value, dict):
        return {key: _own(item) for key, item in value.items()}
    return [_own(item) for item in value] if isinstance(value, list) else value
