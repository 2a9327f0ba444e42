"""What kind of work a text asks for, and how sure that is: a sum over its pieces, in whole numbers, so that the same text
has the same task on every machine."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

import msgspec

from pointsman.learning.descent import length_root, shares
from pointsman.learning.linear import Linear, Stored, compressed, decompressed, linear_of
from pointsman.learning.pieces import piece_set, pieces
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
        linear = linear_of(told.linear)
        self.own = Linear(linear.heads, _without(linear.weights))
        self.wished = Linear(linear.heads, _of_wishes(linear.weights))
        self._built = Linear(linear.heads, _of_layouts(linear.weights))
        self._knots = told.knots

    def of(self, text: str, row: Collection[str]) -> Told:
        """`text` as `plain` gives it, `row` its pieces. Of a text without any known piece nothing is told."""
        asked = instruction(text)
        wish = row if asked == text else piece_set(asked)
        return self.told(text, row, wish, self.own.total(row), self.wished.total(wish))

    def told(self, text: str, row: Collection[str], wish: Collection[str], own: int, wished: int) -> Told:
        """The same, where the pieces of its instruction are known, and the totals of both by the Linears of these names."""
        if not own and self.own.weights.keys().isdisjoint(row):
            return Told(self.names[0], 0.0)
        also = layout(text)
        sums = self.own.numbers(own + wished + self._built.total(also))
        likely = _likely(sums, length_root(len(row) + len(also) + len(wish)), SHIFT)
        most = max(likely)
        return Told(self.names[likely.index(most)], calibrated(self._knots, most) / WHOLE)


def task_row(text: str, row: Sequence[str]) -> list[str]:
    """All that is known of a text, for training: its pieces, how it is built, the pieces of what it asks for."""
    return [*row, *layout(text), *(f"{WISH}{piece}" for piece in pieces(instruction(text)))]


def _without(weights: Mapping[str, int]) -> dict[str, int]:
    return {piece: whole for piece, whole in weights.items() if not piece.startswith(WISH)}


def _of_wishes(weights: Mapping[str, int]) -> dict[str, int]:
    return {piece.removeprefix(WISH): whole for piece, whole in weights.items() if piece.startswith(WISH)}


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
