"""A logged decision, computed again."""

from __future__ import annotations

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.pipeline.acting import shown
from pointsman.pipeline.decide import decide, only
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.scored import loads_of


def recomputed(
    request: Request, decision: Decision, policy: Policy, snapshot: Snapshot, exact_tokens: int | None
) -> Decision:
    """With what was measured for that very request: how far the rules came, what arbiters heard, what its text meant to an
    embedding model, what targets had to do, who served its session before. Equal to `decision`, which the log has by that
    policy and snapshot. Raises PointsmanError where the client named nothing that exists."""
    again = decide(
        request,
        policy,
        snapshot,
        seed=decision.seed,
        exact_tokens=exact_tokens,
        spent=only(decision.rules_cut),
        hearing=decision.hearing,
        loads=loads_of(decision),
        last=decision.last,
        before=decision.features,
        meaning=decision.meaning,
    )
    return shown(again, policy.document.actions)
