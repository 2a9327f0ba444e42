"""A policy that decided requests of the log, beside the new one."""

from __future__ import annotations

from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.target import BackendState
from pointsman.offline.replay.again import Again
from pointsman.offline.replay.cause import Causes
from pointsman.offline.replay.parts import only_scores, parts_that_differ, spares_rules
from pointsman.pipeline.policy import Policy
from pointsman.store.log_row import Head

_TOO_LONG = "guard.length"


class Old:
    """What the two have in common, and where they differ."""

    def __init__(self, policy: Policy, new: Policy, as_read: PolicyDocument, known: dict[str, BackendState]) -> None:
        """`as_read` is the new document as a log would give it back."""
        self.policy = policy
        self.parts = parts_that_differ(policy.document, as_read)
        same_rules = all(part.group not in ("rules", "frames", "scores") for part in self.parts)
        self.only_scores = only_scores(self.parts)
        self.doubted = False
        """Whether it did not lead to what was logged, for some request."""
        self._spares_rules = spares_rules(self.parts)
        self.again = Again(new, same_rules, policy, known)

        def make(variant: Policy) -> Again:
            return Again(variant, same_rules, policy, known)

        self.causes = Causes(policy.document, as_read, self.parts, make, new)

    def spares(self, head: Head) -> bool:
        """Whether the differing parts cannot touch that decision."""
        taken = self._spares_rules and head.stage != "model" and head.rule != _TOO_LONG
        return not self.parts or taken

    def missed(self, decision: Decision) -> bool:
        """Whether no rule took it or noted anything of it, and so none does now: the rules are the same."""
        noted = decision.rule or decision.marks or decision.shadow or decision.rules_cut is not None
        return self._spares_rules and decision.stage == "model" and not noted
