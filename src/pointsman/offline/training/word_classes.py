"""Words that say the same of a task, Chinese and English: what is learnt of one goes over to the others of its class. Only
training reads them; a model holds the sums."""

from __future__ import annotations

from importlib.resources import files
from itertools import pairwise

from pointsman.learning.pieces import pieces, plain


def word_classes() -> dict[str, tuple[str, ...]]:
    """A piece of a text → the names of its classes. A word of more ideographs than a piece holds stands by its pairs."""
    lines = files("pointsman.offline.training").joinpath("word_classes.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, dict[str, None]] = {}
    for line in lines:
        name, _, words = line.partition(": ")
        for word in words.split():
            spelt = plain(word)
            parts = [spelt] if len(spelt) <= 2 or spelt.isascii() else list(map("".join, pairwise(spelt)))
            for part in parts:
                if part in pieces(part):
                    found.setdefault(part, {})[name] = None
    return {part: tuple(names) for part, names in found.items()}
