"""One model on one engine that can be brought into memory and taken out of it again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from pointsman.domain.said import Said

LoadFault = Literal["memory", "damaged", "missing", "port", "exited", "timeout", "refused", "unconfirmed"]
"""Why a load or an unload failed: no room in memory; the file is damaged, or not there (or no model); another process has
the port; the process ended; a deadline passed; the engine said no; nobody could confirm that memory came back."""


class LoadFailure(Exception):
    """`said` is one sentence for people: what was wrong, where, and what to do."""

    def __init__(self, fault: LoadFault, said: Said) -> None:
        super().__init__(str(said))
        self.fault = fault
        self.said = said


class NoRoom(LoadFailure):
    """Nothing was begun, since it would not fit beside what is in memory now; `free` are the bytes that are free."""

    def __init__(self, said: Said, free: int) -> None:
        super().__init__("memory", said)
        self.free = free


class ModelDriver(Protocol):
    """Does what somebody else decided; decides nothing, and restarts nothing. Its methods are never called at the same time
    for one model. Cancelling `load` ends what it began; `unload` goes on until it is known what became of it. All three
    raise LoadFailure; their deadlines are the driver's own."""

    async def load(self, tell: Callable[[Said], None]) -> None:
        """Returns when the engine serves the model. `tell` hears how far it is, for those who wait."""
        ...

    async def unload(self) -> None:
        """Returns when the memory that it took is known to be free again."""
        ...

    @property
    def ended(self) -> Said | None:
        """Why the engine is gone though nobody told it to go; None where it is not, or nobody can say."""
        ...

    async def resident(self) -> bool | None:
        """Whether the engine has it in memory now; None where it does not say."""
        ...
