"""Answers of rules to short questions, kept: what people say in few words they say again and again."""

from __future__ import annotations

from pointsman.domain.decision import Decision
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.pipeline.policy import Policy

SHORT = 32
"""Characters of a question up to which its answer is kept."""
_MOST = 256
_KINDS = ("answer", "refuse")
Key = tuple[object, ...]


class Settled:
    """Decisions of one policy by one snapshot; in memory only. A decision follows from the request, the policy and the
    snapshot. One in which a rule answers or refuses follows from less: all that is in `key_of`."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._snapshot: Snapshot | None = None
        self._known: dict[Key, Decision] = {}

    def get(self, key: Key, snapshot: Snapshot) -> Decision | None:
        """What was decided before on such a request."""
        return self._known.get(key) if snapshot is self._snapshot else None

    def keep(self, key: Key, decision: Decision, snapshot: Snapshot) -> None:
        """It is kept if the very rule that took the request says the whole answer, and there was time for all rules."""
        if decision.stage != "l0" or decision.wants is not None or decision.rules_cut is not None or decision.seed:
            return
        if not self._answers(decision):
            return
        if snapshot is not self._snapshot or len(self._known) >= _MOST:
            self._known.clear()
            self._snapshot = snapshot
        self._known[key] = decision

    def _answers(self, decision: Decision) -> bool:
        """Whether a rule of the policy says it, and no limit of the gateway's own."""
        action = decision.action
        if decision.rule is None or decision.rule.startswith("guard.") or action is None:
            return False
        named = self._policy.named_action(action)
        return (action if named is None else named[0]) in _KINDS


def key_of(request: Request) -> Key | None:
    """All of a short request that a rule's answer may depend on; None where it is not of the form whose answers are kept:
    one message of a few characters, and nothing with it."""
    turns = request.turns
    if len(turns) != 1 or request.files:
        return None
    turn = turns[0]
    if len(turn.text) > SHORT or turn.images or turn.tool_calls or turn.role != "user":
        return None
    return (
        turn.text, request.model, request.endpoint, request.tools, request.tool_characters, request.structured,
        request.max_output, request.task, request.priority, request.session, request.user, request.caller,
        request.caller_role, request.caller_group, request.source, request.accept_language,
    )  # fmt: skip
