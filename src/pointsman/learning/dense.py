"""Weights of a vector's coordinates for several heads, and their sums: integers, the same everywhere."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from operator import mul

import msgspec

from pointsman.learning.lanes import middle, packed, unpacked

MOST = 32767
"""Size of a weight in a file: 16 bits with its sign."""
_LONGEST = 512
"""Coordinates whose sums are sure to fit a lane, whatever the weights and coordinates are."""


class StoredDense(msgspec.Struct, frozen=True):
    """`weights`: of each coordinate for each head, 16 bits, little end first. `starts`: what each head's sum begins with."""

    size: int
    weights: bytes
    starts: tuple[int, ...]


class Dense:
    """`size` coordinates, as many heads as there are `starts`."""

    def __init__(self, stored: StoredDense) -> None:
        """Raises ValueError where its parts do not fit each other."""
        self.size = stored.size
        self.starts = stored.starts
        heads = len(stored.starts)
        if not 0 < self.size <= _LONGEST or not heads or len(stored.weights) != 2 * heads * self.size:
            raise ValueError("there is not a weight for each coordinate and head")
        numbers = struct.unpack(f"<{heads * self.size}h", stored.weights)
        self._weights = tuple(packed(numbers[at : at + heads]) for at in range(0, len(numbers), heads))
        self._lift = middle(heads)

    def sums(self, vector: bytes) -> list[int]:
        """One number a head, of signed bytes. Raises ValueError for a vector of another size."""
        if len(vector) != self.size:
            raise ValueError(f"a vector of {len(vector)} coordinates, not {self.size}")
        found = unpacked(sum(map(mul, self._weights, memoryview(vector).cast("b"))), len(self.starts), self._lift)
        return [start + each for start, each in zip(self.starts, found, strict=True)]


def stored_dense(weights: Sequence[Sequence[int]], starts: Sequence[int]) -> StoredDense:
    """`weights`: of each coordinate one a head; what is larger than MOST becomes MOST."""
    numbers = [min(max(each, -MOST), MOST) for row in weights for each in row]
    return StoredDense(len(weights), struct.pack(f"<{len(numbers)}h", *numbers), tuple(starts))
