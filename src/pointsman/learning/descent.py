"""Softmax regression over pieces by steps over single texts, in whole numbers: no library, no rounding that depends on a
machine."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from decimal import Decimal, localcontext
from functools import cache
from math import isqrt

from pointsman.learning.lanes import middle, packed, unpacked

UNIT = 1 << 16
"""One, in weights and logits."""
_FINE = 64
"""Steps of the table of exponentials to a unit of logits."""
_FURTHEST = 14 * _FINE
"""Beyond it, exp is taken as nothing."""
_SURE = 999
"""Thousandths of probability from which a text teaches nothing more."""


@cache
def exponentials() -> tuple[int, ...]:
    """exp(−i / 64) · 2¹⁶, i from 0; from decimals, which are computed in the same way everywhere."""
    with localcontext() as context:
        context.prec = 30
        return tuple(int((Decimal(-i) / _FINE).exp() * UNIT + Decimal("0.5")) for i in range(_FURTHEST))


def shares(logits: Sequence[int]) -> tuple[list[int], int]:
    """The exponential of each logit (in UNITs), compared to the largest one, and their sum."""
    table = exponentials()
    most = max(logits)
    found = [table[at] if (at := (most - each) * _FINE // UNIT) < _FURTHEST else 0 for each in logits]
    return found, sum(found)


def fit(
    rows: Sequence[Sequence[str]],
    labels: Sequence[int],
    heads: int,
    *,
    roots: Sequence[int] | None = None,
    rounds: int = 8,
    rate: int = 10,
) -> dict[str, int]:
    """Packed weights by piece, in UNITs, of logits that are sums divided by `roots` (None: those of the rows). Steps are
    long and end at nothing: what is seldom seen is learnt as fast as what is common, and stopping early takes the place of
    a penalty."""
    weights: dict[str, int] = {}
    get, lift = weights.get, middle(heads)
    roots = roots or [root(row) for row in rows]
    total, done = rounds * len(rows), 0
    for turn in range(rounds):
        for place in mixed(len(rows), turn):
            row, length, label = rows[place], roots[place], labels[place]
            sums = unpacked(sum(filter(None, map(get, row))), heads, lift)
            found, whole = shares([16 * each // length for each in sums])
            step = rate * UNIT * 16 * (total - done) // (total * length)
            done += 1
            if found[label] * 1000 > _SURE * whole:
                continue
            change = packed(((head == label) * step * whole - step * each) // whole for head, each in enumerate(found))
            for piece in row:
                weights[piece] = get(piece, 0) + change
    return weights


def root(row: Collection[str]) -> int:
    """The `length_root` of its number of pieces."""
    return length_root(len(row))


def length_root(count: int) -> int:
    """The square root of a number of pieces, in sixteenths: what sums are divided by, so that length tells nothing."""
    return isqrt(256 * (count + 1))


def mixed(count: int, turn: int) -> list[int]:
    """0 to count − 1 in an order that depends on nothing else."""
    seed = hashlib.blake2b(f"turn {turn}".encode(), digest_size=8).digest()
    keys = [hashlib.blake2b(b"%d" % number, key=seed, digest_size=8).digest() for number in range(count)]
    return sorted(range(count), key=keys.__getitem__)


def rounded(weights: dict[str, int], heads: int, shift: int, least: int = 1) -> dict[str, int]:
    """Weights in 2^`shift` UNITths; pieces of which no weight is at least `least` are left out."""
    lift, half = middle(heads), 1 << (shift - 1)
    kept = {}
    for piece, whole in weights.items():
        numbers = [(each + half) >> shift for each in unpacked(whole, heads, lift)]
        if max(map(abs, numbers)) >= least:
            kept[piece] = packed(numbers)
    return kept
