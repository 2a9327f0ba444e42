"""What would be decided on a request, for whoever asks: `explain`, `POST /v1/decide`, the tool `decide`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pointsman.apart import apart
from pointsman.domain.decision import Decision
from pointsman.domain.intent import Hearing
from pointsman.domain.meaning import Meaning
from pointsman.domain.request import Request
from pointsman.domain.target import Load, Snapshot
from pointsman.pipeline.acting import shown
from pointsman.pipeline.decide import decide, only
from pointsman.pipeline.hearing import LONG, Hearings
from pointsman.pipeline.meanings import Meanings
from pointsman.pipeline.policy import Policy


def explained(
    request: Request, policy: Policy, snapshot: Snapshot, spent: Callable[[int], bool] | None = None
) -> Decision:
    """The decision as people may see it: nothing is carried out, and no model is called. `spent` as in `decide`. Raises
    PointsmanError where the client named nothing that exists."""
    return shown(decide(request, policy, snapshot, spent=spent), policy.document.actions)


async def considered(
    request: Request,
    policy: Policy,
    snapshot: Snapshot,
    hearings: Hearings,
    meanings: Meanings,
    spent: Callable[[int], bool] | None = None,
    loads: Mapping[str, Load] | None = None,
    last: str | None = None,
) -> Decision:
    """The same, with arbiters and the embedding model asked; the event loop waits for no long text. `loads` and `last` as in
    `decide`."""
    long = sum(len(turn.text) for turn in request.turns) > LONG

    hearing: Hearing | None = None
    meaning: Meaning | None = None

    async def decided(spent: Callable[[int], bool] | None) -> Decision:
        work = partial(
            decide, request, policy, snapshot, spent=spent, hearing=hearing, loads=loads, last=last, meaning=meaning
        )
        return await apart(work) if long else work()

    decision = await decided(spent)
    while decision.wants is not None:
        if decision.wants == "meaning":
            meaning = await meanings.ask(request, policy)
        else:
            hearing = await hearings.ask(request, policy, decision, hearing)
        decision = await decided(only(decision.rules_cut))
    return shown(decision, policy.document.actions)
