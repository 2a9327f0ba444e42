"""What kind of work a text asks for, and how sure that is: a sum over its pieces, in whole numbers, so that the same text
has the same task on every machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
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

FORMAT = 1
SHIFT = 9
"""Weights in a file are in 2⁹ UNITths."""
WISH = "@i "
"""What pieces of the instruction begin with, so that they weigh apart from the same ones elsewhere."""
WHOLE = 10_000
"""One, in probabilities and confidences."""


class TasksFile(msgspec.Struct, frozen=True):
    """`knots`: (probability that the model gives its first task, how often that is right), both in WHOLEs and rising;
    straight between them. `least` is the confidence below which nothing is told. `about`: of what it was made and what it
    reached, for people."""

    format: int
    linear: Stored
    knots: tuple[tuple[int, int], ...]
    least: int
    about: dict[str, str] = {}


class Told(NamedTuple):
    """`task` is the likeliest one, `confidence` 0 to 1 in ten thousandths."""

    task: str
    confidence: float


class Tasks:
    """`version` names the model by `data`, its bytes."""

    def __init__(self, told: TasksFile, data: bytes) -> None:
        """Raises ValueError where it does not fit together."""
        if told.format != FORMAT or len(told.linear.heads) < 2 or not told.knots:
            raise ValueError("it is no model of task types, or one of another version of Pointsman")
        self.data = data
        self.version = tasks_version(data)
        self.about = told.about
        self.least = told.least / WHOLE
        self.names = told.linear.heads
        self.nothing = Told(self.names[0], 0.0)
        self.linear, self._wished_alone = _with_wishes(linear_of(told.linear))
        self._built = Linear(self.linear.heads, _of_layouts(self.linear.weights))
        self._knots = told.knots

    def of(self, text: str) -> Told | None:
        """`text` as `plain` gives it. `nothing` of one without any known piece, None of one without pieces."""
        row, wish = rows_of(text)
        return self.told(text, row, wish, self.linear.total(row), self.linear.total(wish)) if row else None

    def told(self, text: str, row: Set[str], wish: Set[str], total: int, wished: int) -> Told:
        """The same, where what `rows_of` gives is known, and the totals of both by `linear`."""
        heads = len(self.names)
        own, _ = parted(total, heads)
        if not own and not any(piece in self.linear.weights for piece in row - self._wished_alone):
            return self.nothing
        also = layout(text)
        _, asks = parted(wished, heads)
        sums = self.linear.numbers(own + asks + self._built.total(also))[:heads]
        likely = _likely(sums, length_root(len(row) + len(also) + len(wish)), SHIFT)
        most = max(likely)
        return Told(self.names[likely.index(most)], calibrated(self._knots, most) / WHOLE)


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


def _of_layouts(weights: Mapping[str, int]) -> dict[str, int]:
    """Few, so that they are near at hand."""
    return {piece: whole for piece, whole in weights.items() if piece.startswith(LAYOUT)}


def likely(linear: Linear, row: Sequence[str], shift: int) -> list[int]:
    """Probabilities in WHOLEs. Weights are in 2^`shift` UNITths."""
    return _likely(linear.sums(row), length_root(len(row)), shift)


def _likely(sums: Sequence[int], length: int, shift: int) -> list[int]:
    found, whole = shares([(each << (shift + 4)) // length for each in sums])
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
