"""Questions as sparse vectors: pairs of ideographs and whole words, weighed by how rare they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from pointsman.rules.fold import fold

Vector = dict[int, float]
"""Gram → weight; of length 1."""

_ORDINARY = 300  # texts, at least, that rarity is judged among: in a short log of one topic its words are no filler
_LONGEST = 300  # characters that are looked at
_PIECES = re.compile(r"[a-z]+|[0-9]|[^\W\d_a-z]+|[^\W_]")  # single classes, so linear
_SPACED = re.compile(r"[a-z]+")


def grams(text: str) -> list[str]:
    """Of Chinese every two neighbours, of spaced scripts the words and every two of them; any figure is the same one."""
    found: list[str] = []
    word = ""
    for piece in _PIECES.findall(fold(text[:_LONGEST]).text):
        if _SPACED.fullmatch(piece):
            found.append(piece)
            if word:
                found.append(f"{word} {piece}")
            word = piece
        elif piece.isdigit():
            if found[-1:] != ["0"]:
                found.append("0")
        elif len(piece) == 1:
            found.append(piece)
        else:
            found += [piece[place : place + 2] for place in range(len(piece) - 1)]
    return found


def vectors(texts: Sequence[str], weights: Sequence[int]) -> tuple[list[Vector], bytearray]:
    """A vector for each text, and of each gram whether two texts share it. What only one text has counts for that text's
    length alone, unless it was asked more than once (`weights`): then it is like itself."""
    numbers: dict[str, int] = {}
    holding: Counter[int] = Counter()
    counted: list[list[int]] = []
    for text in texts:
        there = [numbers.setdefault(gram, len(numbers)) for gram in dict.fromkeys(grams(text))]
        counted.append(there)
        holding.update(there)
    total = max(len(texts), _ORDINARY)
    rarity = [log(total / holding[number]) + 0.1 for number in range(len(numbers))]
    shared = bytearray(holding[number] > 1 for number in range(len(numbers)))
    found = []
    for there, weight in zip(counted, weights, strict=True):
        length = sqrt(sum(rarity[number] ** 2 for number in there)) or 1.0
        found.append({number: rarity[number] / length for number in there if weight > 1 or shared[number]})
    return found, shared


def cosine(one: Vector, other: Vector) -> float:
    if len(other) < len(one):
        one, other = other, one
    return sum(weight * other[gram] for gram, weight in one.items() if gram in other)
