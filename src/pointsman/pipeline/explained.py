"""What would be decided on a request, for whoever asks: `explain`, `POST /v1/decide`, the tool `decide`."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.pipeline.acting import shown
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy


def explained(
    request: Request, policy: Policy, snapshot: Snapshot, spent: Callable[[int], bool] | None = None
) -> Decision:
    """The decision as people may see it: nothing is carried out, and no model is called. `spent` as in `decide`. Raises
    PointsmanError where the client named nothing that exists."""
    return shown(decide(request, policy, snapshot, spent=spent), policy.document.actions)
