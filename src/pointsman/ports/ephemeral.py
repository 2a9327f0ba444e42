"""Small values that gateways tell each other and that nobody misses: where a session went, how much a key has used, what
a breaker saw."""

from __future__ import annotations

from typing import Protocol


class Ephemeral(Protocol):
    """Every value is forgotten `seconds` after it was last written, and may be before: the store may lose all of it at any
    time. What one process wrote, all that share the store read. Keys are any text. Each method is one step that nobody
    else comes between; one that raises StoreError (ports/job_store.py) may have been done, or be done twice. One event
    loop uses a store."""

    async def put(self, key: str, value: bytes, seconds: float) -> None: ...

    async def get(self, key: str) -> bytes | None: ...

    async def delete(self, key: str) -> None: ...

    async def scan(self, prefix: str) -> dict[str, bytes]:
        """All whose keys begin with exactly these characters."""

    async def add(self, key: str, amount: int, seconds: float) -> int:
        """A counter, which begins at 0; what it is now. Its value reads as decimal digits. Raises StoreError where the
        key holds something else. Within 64 bits."""

    async def swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        """`value` in the place of `expected` (None: of nothing), or False, and nothing is changed."""

    async def close(self) -> None:
        """What was begun is done, or refused. After it, StoreError."""
