"""How sure an arbiter was of late: the mean that one confidence is held against, and when the whole of it has sunk."""

from __future__ import annotations

from collections import deque

_STEADY = 25
"""Windows that the usual mean reaches back over."""


class Window:
    """The last confidences of one arbiter. `size` of them make a mean."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._last: deque[float] = deque(maxlen=size)
        self._usual: float | None = None
        self._seen = 0
        self._low = False

    @property
    def mean(self) -> float | None:
        """Of the last `size`; None until there are so many."""
        if len(self._last) < self.size:
            return None
        return round(sum(self._last) / self.size, 6)

    def put(self, confidence: float, drop: float) -> bool:
        """Whether the mean has sunk more than `drop` below what it usually is, just now: said once, until it has come up
        again."""
        self._last.append(confidence)
        self._seen += 1
        mean = self.mean
        if mean is None:
            return False
        if self._usual is None:
            self._usual = mean
        low = self._seen >= 3 * self.size and mean < self._usual - drop
        if not low:
            weight = 1.0 / min(self._seen, _STEADY * self.size)
            self._usual += weight * (confidence - self._usual)
        sunk, self._low = low and not self._low, low
        return sunk
