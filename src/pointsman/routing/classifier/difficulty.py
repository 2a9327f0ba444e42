"""How likely a small model is not enough for a text: a sum over its pieces and its length, and over the coordinates of its
meaning where a model knows that too; in whole numbers, so that the same text has the same difficulty on every machine."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from operator import itemgetter

import msgspec

from pointsman.learning.descent import root
from pointsman.learning.linear import Linear, Stored, compressed, decompressed, linear_of
from pointsman.routing.classifier.meaning import Embedder, MeaningHeads, StoredMeaning

FORMAT, FORMAT_MEANING = 1, 2
"""Of a file without and with meaning."""
UNIT = 1000
"""One, in scores: the spread that the general score has over questions to models."""
WHOLE = 10_000
"""One, in difficulties."""
MOST_LETTERS = 2000
"""Beyond them, a text is not counted as longer in a straight line, but by the logarithm alone."""
_LONGEST = 100_000
"""Characters beyond which none are counted."""
GENERAL, GAP = 0, 1
"""The heads: what is known of any text, and how much a heavy model is worth."""
HEADS = ("general", "gap")


class Layout(msgspec.Struct, frozen=True):
    """What length is worth to a head: thousandths of UNITs a 256th of a power of two of the letters, thousandths of
    UNITs a letter, and UNITs that any text has."""

    doubling: int
    letter: int
    start: int


class DifficultyByMeaning(msgspec.Struct, frozen=True):
    """What a vector tells of the gap, in UNITs, to which `spelled` 256ths of the score of the pieces are added. `knots` hold
    for the sum."""

    heads: StoredMeaning
    spelled: int
    knots: tuple[tuple[int, int], ...]


class DifficultyFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """`knots`: (score, difficulty in WHOLEs), both rising; straight between them. `about`: of what it was made, for
    people. With `meaning` all the rest is for texts of which there is no vector."""

    format: int
    linear: Stored
    layouts: tuple[Layout, ...]
    knots: tuple[tuple[int, int], ...]
    about: dict[str, str] = {}
    meaning: DifficultyByMeaning | None = None


class Difficulty:
    """`version` names the model by `data`, its bytes."""

    def __init__(self, told: DifficultyFile, data: bytes) -> None:
        """Raises ValueError where it does not fit together."""
        meaning = told.meaning
        wanted = FORMAT if meaning is None else FORMAT_MEANING
        if told.format != wanted or told.linear.heads != HEADS or len(told.layouts) != len(HEADS) or not told.knots:
            raise ValueError("it is no model of difficulties, or one of another version of Pointsman")
        self.data = data
        self.version = difficulty_version(data)
        self.about = told.about
        self.layouts = told.layouts
        self.linear: Linear = linear_of(told.linear)
        self.knots = told.knots
        self._meaning = meaning
        self._heads = None if meaning is None else MeaningHeads(meaning.heads)
        if meaning is not None and (len(meaning.heads.dense.starts) != 1 or not meaning.knots):
            raise ValueError("a vector tells of the gap alone")

    @property
    def embedder(self) -> str | None:
        """The embedding model whose vectors `of_meaning` takes; None: it goes by spelling alone."""
        return None if self._meaning is None else self._meaning.heads.embedder.name

    @property
    def learnt_with(self) -> Embedder | None:
        """The same, with a hash of its weights."""
        return None if self._meaning is None else self._meaning.heads.embedder

    def of(self, text: str, row: Collection[str]) -> float:
        """0 to 1: how likely a large model is right where a small one is wrong. `row` are the pieces of the text."""
        return self.told(text, row, self.linear.total(row))

    def told(self, text: str, row: Collection[str], total: int) -> float:
        """The same, where the `total` of the row by `linear` is known."""
        gap = self.linear.numbers(total)[GAP]
        score = gap * 16 // root(row) + by_length(self.layouts[GAP], letters(text))
        return calibrated(self.knots, score) / WHOLE

    def of_meaning(self, text: str, row: Collection[str], vector: bytes) -> float:
        """The same, with the vector that the model's embedding model gave of what is `read` of the text."""
        assert self._meaning is not None and self._heads is not None
        score = self._heads.sums(vector)[0] + (self.scores(text, row)[GAP] * self._meaning.spelled >> 8)
        return calibrated(self._meaning.knots, score) / WHOLE

    def scores(self, text: str, row: Collection[str]) -> tuple[int, int]:
        """Of both heads, in UNITs."""
        general, gap = self.linear.sums(row)
        length, size = root(row), letters(text)
        return (
            general * 16 // length + by_length(self.layouts[GENERAL], size),
            gap * 16 // length + by_length(self.layouts[GAP], size),
        )

    def general_scores(self, texts: Sequence[str], rows: Sequence[Sequence[str]]) -> list[float]:
        """In UNITs as ones: of unit spread or so, for learning."""
        return [self.scores(text, row)[GENERAL] / UNIT for text, row in zip(texts, rows, strict=True)]

    def weights(self, head: int) -> dict[str, int]:
        """Of all pieces that weigh anything for a head."""
        found = {piece: self.linear.sums((piece,))[head] for piece in self.linear.weights}
        return {piece: weight for piece, weight in found.items() if weight}


def calibrated(knots: Sequence[tuple[int, int]], score: int) -> int:
    """In WHOLEs: on the line through `knots`, flat beyond its ends."""
    place = bisect_right(knots, score, key=itemgetter(0))
    if place == 0 or place == len(knots):
        return knots[max(place - 1, 0)][1]
    (low, start), (high, end) = knots[place - 1], knots[place]
    return start + (end - start) * (score - low) // (high - low)


def letters(text: str) -> int:
    """How long a text is, in UTF-8: an ideograph counts three, about as many letters as say the same."""
    return len(text[:_LONGEST].encode("utf-8", "replace"))


def by_length(layout: Layout, size: int) -> int:
    """What a length of so many letters gives, in UNITs."""
    return (layout.doubling * doublings(size) + layout.letter * min(size, MOST_LETTERS)) // 1000 + layout.start


def doublings(size: int) -> int:
    """The logarithm to base two of one more, in 256ths, straight between powers of two."""
    powers = (size + 1).bit_length() - 1
    return (powers << 8) + ((size + 1 << 8) >> powers) - 256


def difficulty_bytes(told: DifficultyFile) -> bytes:
    return compressed(msgspec.msgpack.encode(told))


def difficulty_of(data: bytes) -> Difficulty:
    """Raises ValueError where they are no model."""
    try:
        told = msgspec.msgpack.decode(decompressed(data), type=DifficultyFile)
    except msgspec.MsgspecError:
        raise ValueError("it is no model of difficulties, or one of another version of Pointsman") from None
    return Difficulty(told, data)


def difficulty_version(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


@lru_cache(maxsize=1)
def shipped_difficulty_version() -> str:
    return difficulty_version(_shipped())


@lru_cache(maxsize=1)
def shipped_difficulty() -> Difficulty:
    """The model that comes with Pointsman, read when it is first asked for."""
    return difficulty_of(_shipped())


def _shipped() -> bytes:
    return files("pointsman.routing.classifier").joinpath("difficulty.bin").read_bytes()
