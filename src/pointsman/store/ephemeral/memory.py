"""Ephemeral values of one process."""

from __future__ import annotations

import time
from collections.abc import Callable
from heapq import heappop, heappush

from pointsman.domain.said import Said
from pointsman.ports.job_store import StoreError


class MemoryEphemeral:
    """`clock` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._values: dict[str, tuple[bytes, float]] = {}
        self._ends: list[tuple[float, str]] = []
        self._closed = False

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        self._keep(key, value, self._now() + seconds)

    async def get(self, key: str) -> bytes | None:
        return self._found(key)

    async def delete(self, key: str) -> None:
        self._now()
        self._values.pop(key, None)

    async def scan(self, prefix: str) -> dict[str, bytes]:
        self._now()
        return {key: value for key, (value, _) in self._values.items() if key.startswith(prefix)}

    async def add(self, key: str, amount: int, seconds: float) -> int:
        total = counted(self._found(key)) + amount
        self._keep(key, b"%d" % total, self._now() + seconds)
        return total

    async def swap(self, key: str, expected: bytes | None, value: bytes, seconds: float) -> bool:
        if self._found(key) != expected:
            return False
        self._keep(key, value, self._now() + seconds)
        return True

    async def close(self) -> None:
        self._closed = True

    def _found(self, key: str) -> bytes | None:
        self._now()
        kept = self._values.get(key)
        return kept and kept[0]

    def _keep(self, key: str, value: bytes, end: float) -> None:
        self._values[key] = (value, end)
        heappush(self._ends, (end, key))

    def _now(self) -> float:
        """What is over by then is gone. Raises StoreError where all of it is."""
        if self._closed:
            raise StoreError(Said("the store is closed", "存储已关闭"))
        now = self._clock()
        while self._ends and self._ends[0][0] <= now:
            end, key = heappop(self._ends)
            kept = self._values.get(key)
            if kept is not None and kept[1] == end:
                del self._values[key]
        return now


def counted(value: bytes | None) -> int:
    """What a counter says. Raises StoreError where it is none."""
    try:
        return int(value or b"0")
    except ValueError:
        raise StoreError(Said("a value that is no counter cannot be added to", "不是计数器的值不能累加")) from None
