"""Now and then the second best target first, so that something is heard of it too: which requests, their seed decides."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.domain.decision import TargetChoice
from pointsman.domain.target import Snapshot

_ALL = (1 << 64) - 1


def explored(
    targets: Sequence[TargetChoice], snapshot: Snapshot, share: float, seed: int
) -> tuple[TargetChoice, ...] | None:
    """The same with the first two swapped; None where they stay. Only where both have a score, are wanted for the same
    reason, and are up."""
    if share <= 0.0 or len(targets) < 2 or uniform(seed) >= share:
        return None
    first, second, *others = targets
    if first.score is None or second.score is None or first.why != second.why:
        return None
    for choice in (first, second):
        state = snapshot.state(choice.target)
        if state.health not in ("up", "unknown") or state.breaker != "closed":
            return None
    return second, first, *others


def uniform(seed: int) -> float:
    """0 to 1, evenly, also of seeds that follow each other (SplitMix64)."""
    mixed = (seed + 0x9E3779B97F4A7C15) & _ALL
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _ALL
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _ALL
    return (mixed ^ (mixed >> 31)) / 2.0**64
