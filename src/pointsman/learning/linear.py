"""Weights of pieces for several heads, and their sums over a text: integers, the same everywhere."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pointsman.learning.lanes import behind, middle, packed, unpacked

MOST = 32767
"""Size of a weight in a file: 16 bits with its sign."""


class Stored(msgspec.Struct, frozen=True):
    """`pieces` joined by line breaks; `weights` of each for each head, 16 bits, little end first."""

    heads: tuple[str, ...]
    pieces: str
    weights: bytes


class Linear:
    """Pieces that are not in it weigh nothing."""

    def __init__(self, heads: Sequence[str], weights: Mapping[str, int]) -> None:
        """`weights` are packed, a number a head."""
        self.heads = tuple(heads)
        self.weights = weights
        self._lift = middle(len(self.heads))

    def sums(self, pieces: Iterable[str]) -> Sequence[int]:
        """One number a head."""
        return self.numbers(self.total(pieces))

    def total(self, pieces: Iterable[str]) -> int:
        """The sums, packed: totals of several pieces may be added."""
        return sum(filter(None, map(self.weights.get, pieces)))

    def numbers(self, total: int) -> Sequence[int]:
        """One a head, of a total."""
        return unpacked(total, len(self.heads), self._lift)

    def stored(self) -> Stored:
        """Raises ValueError where a weight is larger than MOST."""
        numbers: list[int] = []
        order = sorted(self.weights)
        for piece in order:
            numbers += unpacked(self.weights[piece], len(self.heads), self._lift)
        if max(map(abs, numbers), default=0) > MOST:
            raise ValueError(f"a weight is larger than {MOST}")
        return Stored(self.heads, "\n".join(order), struct.pack(f"<{len(numbers)}h", *numbers))


def linear_of(stored: Stored) -> Linear:
    """Raises ValueError where pieces and weights do not fit each other."""
    pieces = stored.pieces.split("\n") if stored.pieces else []
    heads = len(stored.heads)
    if len(stored.weights) != 2 * heads * len(pieces):
        raise ValueError("there is not a weight for each piece and head")
    numbers = struct.unpack(f"<{heads * len(pieces)}h", stored.weights)
    rows = (packed(numbers[at : at + heads]) for at in range(0, len(numbers), heads))
    return Linear(stored.heads, dict(zip(pieces, rows, strict=True)))


def joined(first: Linear, second: Linear) -> Linear:
    """Both as one, whose totals are those of `first`, and behind them those of `second`."""
    lanes = len(first.heads)
    weights = dict(first.weights)
    for piece, whole in second.weights.items():
        weights[piece] = weights.get(piece, 0) + behind(whole, lanes)
    return Linear((*first.heads, *second.heads), weights)


def compressed(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def decompressed(data: bytes) -> bytes:
    """Raises ValueError."""
    try:
        return zlib.decompress(data)
    except zlib.error:
        raise ValueError("it is no compressed data, or not all of it") from None
