"""How often a key may be tried."""

from __future__ import annotations

import math

_BURST = 8
_EVERY = 15.0  # seconds until one more
_MOST = 4096  # addresses that are remembered


class Attempts:
    """Counts failures by the address that they come from: eight at once, then one every 15 s. Who signs in is forgotten."""

    def __init__(self) -> None:
        self._full: dict[str, float] = {}  # address → when all its tries are back

    def wait(self, address: str, now: float) -> int:
        """Seconds until that address may try, 0: it may now."""
        over = self._full.get(address, now) - now - (_BURST - 1) * _EVERY
        return math.ceil(over) if over > 0 else 0

    def failed(self, address: str, now: float) -> None:
        if len(self._full) >= _MOST:
            self._full = {name: at for name, at in self._full.items() if at > now}
            while len(self._full) >= _MOST:
                del self._full[next(iter(self._full))]
        self._full[address] = max(self._full.get(address, now), now) + _EVERY

    def passed(self, address: str) -> None:
        self._full.pop(address, None)
