"""Which targets are left alone for a while, since too much of what was sent there failed."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from pointsman.domain.target import BreakerState


class Breakers(Protocol):
    """As whoever probes the targets sees them."""

    changed: Callable[[str], None] | None
    """Hears that the state of a target's breaker is another one now."""

    def shown(self, target: str) -> tuple[BreakerState, str | None]:
        """Its state, and why it is open."""
        ...

    def probed(self, target: str, healthy: bool, problem: str | None = None) -> None:
        """What a health probe found, and what it says is wrong."""
        ...

    def keep(self, targets: Collection[str]) -> None:
        """Forgets all others."""
        ...
