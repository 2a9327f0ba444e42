"""How an engine's own count of a prompt stands to our estimate, over the last requests of a target. Pure.

The estimate is made without the model's tokenizer, so that a decision needs none. Where it is off for good, limits and costs
are, too."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque

from pointsman.domain.record import Record

WINDOW = 200
LEAST = 50
"""Requests before anything is concluded."""
OFF = 0.25
"""By what share the median has to be off."""
BACK = 0.15
"""By what share it may be off at most before it is taken for right again."""
_SHORT = 24
"""Tokens below which a chat template's own tokens are too much of a prompt."""


def ratio_of(record: Record) -> float | None:
    """Engine's count / estimate; None where a record has not both, or they are not of the same: pictures, kept replies."""
    decision, counted = record.decision, record.input_tokens
    if record.target is None or record.cached or counted is None or decision is None:
        return None
    features = decision.features
    if features is None or features.images or features.exact or features.input_tokens < _SHORT or not counted:
        return None
    return counted / features.input_tokens


class TokenRatio:
    """Of one target. `off` is whether the median of the last requests is off; `median` None before there are enough."""

    def __init__(self) -> None:
        self._seen: deque[float] = deque()
        self._ordered: list[float] = []
        self.median: float | None = None
        self.off = False

    def take(self, ratio: float) -> bool:
        """Whether it is off now though it was not, or no more though it was."""
        self._seen.append(ratio)
        insort(self._ordered, ratio)
        if len(self._seen) > WINDOW:
            del self._ordered[bisect_left(self._ordered, self._seen.popleft())]
        if len(self._seen) < LEAST:
            return False
        self.median = self._ordered[(len(self._ordered) - 1) // 2]
        off = abs(self.median - 1.0) > (BACK if self.off else OFF)
        changed, self.off = off != self.off, off
        return changed
