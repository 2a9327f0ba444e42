"""What models of tasks and difficulties look at besides spelling: the vector that an embedding model gave of a text."""

from __future__ import annotations

import msgspec

from pointsman.learning.dense import Dense, StoredDense
from pointsman.learning.pieces import plain
from pointsman.routing.classifier.instruction import instruction

TOKENS = 64
"""Of a text that are embedded: what is wanted is said in few words, and a vector of them is there sooner."""


class Embedder(msgspec.Struct, frozen=True):
    """The embedding model that was learnt with: its name with its version, and a hash of its weights. Vectors of another
    one say nothing."""

    name: str
    digest: str


class StoredMeaning(msgspec.Struct, frozen=True):
    """How a vector speaks for each head: sums of its coordinates by `dense`, in 2^−`shift` of what the head counts in."""

    embedder: Embedder
    dense: StoredDense
    shift: int


class MeaningHeads:
    """`stored`, ready to be asked."""

    def __init__(self, stored: StoredMeaning) -> None:
        """Raises ValueError where its parts do not fit each other."""
        if not 0 <= stored.shift < 64:
            raise ValueError("it shifts by no number of bits")
        self.embedder = stored.embedder
        self._dense = Dense(stored.dense)
        self._shift = stored.shift

    def sums(self, vector: bytes) -> list[int]:
        """One a head. Raises ValueError for a vector of another size."""
        return [each >> self._shift for each in self._dense.sums(vector)]


def read(text: str) -> str:
    """What of a text is embedded."""
    return instruction(plain(text))
