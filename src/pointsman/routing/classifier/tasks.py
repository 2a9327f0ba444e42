"""What kind of work a text asks for, and how sure that is: a sum over its pieces, and over the coordinates of its meaning
where a model knows that too; in whole numbers, so that the same text has the same task on every machine."""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pointsman.learning.descent import length_root, shares
from pointsman.learning.lanes import parted
from pointsman.learning.linear import Linear, Stored, compressed, decompressed, joined, linear_of
from pointsman.learning.pieces import piece_set, piece_sets, pieces
from pointsman.routing.classifier.instruction import instruction
from pointsman.routing.classifier.layout import LAYOUT, layout
from pointsman.routing.classifier.meaning import Embedder, MeaningHeads, StoredMeaning

FORMAT, FORMAT_MEANING = 1, 2
"""Of a file without and with meaning."""
SHIFT = 9
"""Weights in a file are in 2⁹ UNITths."""
WISH = "@i "
"""What pieces of the instruction begin with, so that they weigh apart from the same ones elsewhere."""
WHOLE = 10_000
"""One, in probabilities and confidences."""


class TasksByMeaning(msgspec.Struct, frozen=True):
    """What a vector adds: logits in 2⁻¹⁶, to which `spelled` 256ths of those of the pieces are added. `knots` and `least`
    hold for the sum."""

    heads: StoredMeaning
    spelled: int
    knots: tuple[tuple[int, int], ...]
    least: int


class TasksFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """`knots`: (probability that the model gives its first task, how often that is right), both in WHOLEs and rising;
    straight between them. `least` is the confidence below which nothing is told. `about`: of what it was made and what it
    reached, for people. With `meaning` all the rest is for texts of which there is no vector."""

    format: int
    linear: Stored
    knots: tuple[tuple[int, int], ...]
    least: int
    about: dict[str, str] = {}
    meaning: TasksByMeaning | None = None


class Told(NamedTuple):
    """`task` is the likeliest one, `confidence` 0 to 1 in ten thousandths."""

    task: str
    confidence: float


class Tasks:
    """`version` names the model by `data`, its bytes."""

    def __init__(self, told: TasksFile, data: bytes) -> None:
        """Raises ValueError where it does not fit together."""
        meaning = told.meaning
        wanted = FORMAT if meaning is None else FORMAT_MEANING
        if told.format != wanted or len(told.linear.heads) < 2 or not told.knots:
            raise ValueError("it is no model of task types, or one of another version of Pointsman")
        self.data = data
        self.version = tasks_version(data)
        self.about = told.about
        self.least = (told.least if meaning is None else meaning.least) / WHOLE
        self.names = told.linear.heads
        self.nothing = Told(self.names[0], 0.0)
        self.linear, self._wished_alone = _with_wishes(linear_of(told.linear))
        self._built = Linear(self.names, _of_layouts(self.linear))
        self._knots = told.knots
        self._meaning = meaning
        self._heads = None if meaning is None else MeaningHeads(meaning.heads)
        if meaning is not None and (len(meaning.heads.dense.starts) != len(self.names) or not meaning.knots):
            raise ValueError("its two parts do not tell the same task types")

    @property
    def embedder(self) -> str | None:
        """The embedding model whose vectors `of` takes; None: it goes by spelling alone."""
        return None if self._meaning is None else self._meaning.heads.embedder.name

    @property
    def learnt_with(self) -> Embedder | None:
        """The same, with a hash of its weights."""
        return None if self._meaning is None else self._meaning.heads.embedder

    def of(self, text: str, vector: bytes | None = None) -> Told | None:
        """`text` as `plain` gives it; `vector` what the model's embedding model gave of what is `read` of the text, where it
        goes by that, too. `nothing` of one without any known piece and without vector, None of one without pieces."""
        row, wish = rows_of(text)
        if row and vector is not None:
            return self._of_meaning(text, row, wish, vector)
        return self.told(text, row, wish, self.linear.total(row), self.linear.total(wish)) if row else None

    def told(self, text: str, row: Set[str], wish: Set[str], total: int, wished: int) -> Told:
        """The same, where what `rows_of` gives is known, and the totals of both by `linear`."""
        own, _ = parted(total, len(self.names))
        if not own and not any(piece in self.linear.weights for piece in row - self._wished_alone):
            return self.nothing
        return self._told(self._logits(text, row, wish, total, wished), self._knots)

    def _of_meaning(self, text: str, row: Set[str], wish: Set[str], vector: bytes) -> Told:
        """Also of a text whose pieces are all unknown."""
        assert self._meaning is not None and self._heads is not None
        share = self._meaning.spelled
        spelled = self._logits(text, row, wish, self.linear.total(row), self.linear.total(wish))
        whole = [one + (two * share >> 8) for one, two in zip(self._heads.sums(vector), spelled, strict=True)]
        return self._told(whole, self._meaning.knots)

    def _told(self, logits: Sequence[int], knots: Sequence[tuple[int, int]]) -> Told:
        found = likely(logits)
        most = max(found)
        return Told(self.names[found.index(most)], calibrated(knots, most) / WHOLE)

    def _logits(self, text: str, row: Set[str], wish: Set[str], total: int, wished: int) -> list[int]:
        heads = len(self.names)
        also = layout(text)
        own, _ = parted(total, heads)
        _, asks = parted(wished, heads)
        sums = self._built.numbers(own + asks + self._built.total(also))
        return logits(sums, length_root(len(row) + len(also) + len(wish)), SHIFT)


def rows_of(text: str) -> tuple[set[str], set[str]]:
    """The pieces of a text as `plain` gives it, and those of what it asks for."""
    asked = instruction(text)
    if asked != text:
        return piece_sets(text, asked)
    row = piece_set(text)
    return row, row


def task_row(text: str, row: Sequence[str]) -> list[str]:
    """All that is known of a text, for training: its pieces, how it is built, the pieces of what it asks for."""
    return [*row, *layout(text), *(f"{WISH}{piece}" for piece in pieces(instruction(text)))]


def _with_wishes(linear: Linear) -> tuple[Linear, frozenset[str]]:
    """Of each piece its weights, and behind them those that it has as a piece of a wish; and what is one there alone."""
    own = {piece: whole for piece, whole in linear.weights.items() if not piece.startswith(WISH)}
    wished = {piece.removeprefix(WISH): whole for piece, whole in linear.weights.items() if piece.startswith(WISH)}
    return joined(Linear(linear.heads, own), Linear(linear.heads, wished)), frozenset(wished.keys() - own.keys())


def _of_layouts(linear: Linear) -> dict[str, int]:
    """What `layout` tells, without wishes: few, so that they are near at hand."""
    lanes = len(linear.heads) // 2
    return {piece: parted(whole, lanes)[0] for piece, whole in linear.weights.items() if piece.startswith(LAYOUT)}


def logits(sums: Sequence[int], length: int, shift: int) -> list[int]:
    """In 2⁻¹⁶, of sums over pieces of which `length` is the `length_root`. Weights are in 2^`shift` UNITths."""
    return [(each << (shift + 4)) // length for each in sums]


def likely(logits: Sequence[int]) -> list[int]:
    """Probabilities in WHOLEs, of logits in 2⁻¹⁶."""
    found, whole = shares(logits)
    return [each * WHOLE // whole for each in found]


def calibrated(knots: Sequence[tuple[int, int]], probability: int) -> int:
    """On the line through `knots`, flat beyond its ends."""
    if probability <= knots[0][0]:
        return knots[0][1]
    for (left, low), (right, high) in pairwise(knots):
        if probability <= right:
            return low + (high - low) * (probability - left) // max(right - left, 1)
    return knots[-1][1]


def encoded_tasks(told: TasksFile) -> bytes:
    return compressed(msgspec.msgpack.encode(told))


def tasks_of(data: bytes) -> Tasks:
    """Raises ValueError."""
    try:
        told = msgspec.msgpack.decode(decompressed(data), type=TasksFile)
    except msgspec.MsgspecError:
        raise ValueError("it is no model of task types") from None
    return Tasks(told, data)


def tasks_version(data: bytes) -> str:
    return blake2b(data, digest_size=8).hexdigest()


def shipped_bytes() -> bytes:
    return files("pointsman.routing.classifier").joinpath("tasks.bin").read_bytes()


@lru_cache(maxsize=1)
def shipped_version() -> str:
    return tasks_version(shipped_bytes())


@lru_cache(maxsize=1)
def shipped_least() -> float:
    """Without its weights, which are most of it."""
    return msgspec.msgpack.decode(decompressed(shipped_bytes()), type=_Least).least / WHOLE


class _Least(msgspec.Struct, frozen=True):
    least: int


@lru_cache(maxsize=1)
def shipped_tasks() -> Tasks:
    """Read when it is first asked for."""
    return tasks_of(shipped_bytes())
