"""Where gateways learn which nodes there are."""

from __future__ import annotations

from typing import Protocol

from pointsman.domain.node import NodeReport
from pointsman.domain.said import Said


class RegistryFailure(Exception):
    """The registry could not be asked. `said` is one sentence for people. Nothing follows from it for the nodes."""

    def __init__(self, said: Said) -> None:
        super().__init__(str(said))
        self.said = said


class Registry(Protocol):
    """One snapshot at a time, without a promise that it is still true. For one event loop."""

    async def nodes(self, model: str) -> tuple[NodeReport, ...]:
        """Those that say that they have that model, and those that do not say what they have, by name. Raises
        RegistryFailure."""
        ...

    async def close(self) -> None:
        """Gives back what it took. Nothing is asked afterwards."""
        ...
