"""Targets scored for one request, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.features import Features
from pointsman.domain.policy import EntryRule
from pointsman.domain.request import Request
from pointsman.domain.target import Load
from pointsman.domain.wording import Tongue, say
from pointsman.pipeline.policy import Policy
from pointsman.routing.score import Scoring

_SHOWN = 2
"""Targets whose terms a reason has; `explain` and the trace have all."""


def scoring_of(
    entry: EntryRule | None,
    policy: Policy,
    request: Request,
    features: Features,
    loads: Mapping[str, Load],
    last: str | None,
) -> Scoring | None:
    """By what targets are scored; None where they are not."""
    if entry is None or entry.policy is None or request.endpoint not in ("chat", "completions"):
        return None
    weights = policy.document.weights[entry.policy]
    return Scoring(entry.policy, weights, policy.figures, features, request.max_output, loads, last)


def loads_of(decision: Decision) -> dict[str, Load]:
    """What its targets had to do when it was decided: what it is computed again with, along with its `last`."""
    return {
        choice.target: Load(choice.in_flight, choice.wait or 0.0)
        for choice in decision.targets
        if choice.in_flight is not None
    }


def score_reason(targets: Sequence[TargetChoice], last: str | None, tongue: Tongue) -> str:
    """Whose score was the best, beside the next ones; and where a session moves from its target to another, or stays for
    that alone, so much."""
    first, *others = [choice for choice in targets if choice.score is not None]
    beside = [say("score.beside", tongue, other=_terms(other, tongue)) for other in others[: _SHOWN - 1]]
    reason = _terms(first, tongue) + "".join(beside)
    if last is None:
        return reason
    return reason + _of_session(first, [first, *others], last, tongue)


def _of_session(first: TargetChoice, targets: Sequence[TargetChoice], last: str, tongue: Tongue) -> str:
    if first.target == last:
        bonus = first.terms.bonus if first.terms else 0.0
        without = (first.score or 0.0) - bonus
        better = next((other for other in targets if (other.score or 0.0) > without and other is not first), None)
        return "" if better is None else say("score.stays", tongue, target=last, other=better.target)
    before = next((choice for choice in targets if choice.target == last), None)
    if before is None or before.score is None:
        return say("score.left", tongue, target=last)
    if before.score >= (first.score or 0.0):
        return say("score.down", tongue, target=last)
    return say("score.moves", tongue, target=last, score=f"{before.score:.3f}")


def _terms(choice: TargetChoice, tongue: Tongue) -> str:
    terms = choice.terms
    assert terms is not None
    return say(
        "score.terms",
        tongue,
        target=choice.target,
        score=f"{choice.score:.3f}",
        quality=f"{choice.quality:.2f}",
        source=say(f"score.from.{terms.quality_from}", tongue),
        latency=f"{choice.latency:.2f}",
        cost=cost_text(choice, tongue),
    )


def cost_text(choice: TargetChoice, tongue: Tongue) -> str:
    """The cost with its unit."""
    unit = choice.terms.cost_unit if choice.terms else "gpu_seconds"
    return say(f"score.unit.{unit}", tongue, cost=f"{choice.cost or 0.0:.3g}")
