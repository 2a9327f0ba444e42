"""What kinds of processes the gateway runs a model in: the embedded llama.cpp, and any command line."""

from __future__ import annotations

import threading
from typing import Protocol

import msgspec

from pointsman.domain.said import Said
from pointsman.domain.target import ModelFacts
from pointsman.ports.model_driver import LoadFailure


class Launch(msgspec.Struct, frozen=True):
    """What a child is started with: its command line, the one line of JSON that it reads first, and what is known of the
    model before it runs. `notes`: what is odd, and does not stop it."""

    command: tuple[str, ...]
    line: bytes
    facts: ModelFacts = ModelFacts()
    notes: tuple[Said, ...] = ()


class ChildKind(Protocol):
    """A child reads the line, prints one line (ChildReport) when its server has been started or cannot be, and then lives
    until stdin ends or SIGTERM comes."""

    @property
    def name(self) -> str:
        """The model's, for people."""
        ...

    @property
    def place(self) -> tuple[str, int]:
        """Host and port where its server is to listen; 0: whatever is free."""
        ...

    @property
    def force(self) -> int:
        """The signal that ends it, and all that it started, at once."""
        ...

    def prepare(self, given_up: threading.Event) -> Launch:
        """Blocking (reads files); once `given_up` is set nobody waits for it any more. Raises LoadFailure where it cannot be
        started, OSError."""
        ...

    async def serving(self, address: str) -> LoadFailure | None:
        """Returns when the server at `address` answers; the failure where it serves what nobody asked for. Never gives up by
        itself."""
        ...

    def silent(self, pid: int, address: str | None) -> str:
        """What may explain that nothing has answered so far, for the end of a sentence; blocking."""
        ...
