"""How fast targets are, as measured."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol


class Rates(Protocol):
    """As whoever tells of the state of targets sees them."""

    changed: Callable[[str], None] | None
    """Hears that a target has other rates now."""

    def of(self, target: str) -> tuple[float | None, float | None]:
        """Tokens a second that it reads of a prompt, and writes of a reply; None: not measured."""
        ...

    def keep(self, targets: Collection[str]) -> None:
        """Forgets all others."""
        ...
