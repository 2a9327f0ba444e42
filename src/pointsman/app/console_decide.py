"""Deciding for the console's page *Decide*, by the policy, the state of targets and the loads of now."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.apart import apart
from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.pipeline.deciding import RULES_BUDGET
from pointsman.pipeline.explained import considered, explained
from pointsman.pipeline.pipeline import Pipeline


class ConsoleDecider:
    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline

    @property
    def models(self) -> Sequence[str]:
        policy = self._pipeline.policy
        return [*policy.entries, *policy.document.names]

    async def decide(self, request: Request, arbiter: bool) -> Decision:
        pipeline = self._pipeline
        policy, snapshot = pipeline.policy, pipeline.snapshot()
        end = pipeline.clock.monotonic() + RULES_BUDGET

        def spent(looked: int) -> bool:
            return pipeline.clock.monotonic() > end

        if not arbiter:
            return await apart(explained, request, policy, snapshot, spent)
        loads = pipeline.gate.loads(policy.targets) if policy.is_scored(request) else None
        return await considered(request, policy, snapshot, pipeline.hearings, pipeline.meanings, spent, loads)
