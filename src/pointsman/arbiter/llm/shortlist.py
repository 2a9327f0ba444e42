"""Which of many labels a model is shown: those whose examples are spelled most like the query. Pure, and the same for the
same input."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from pointsman.arbiter.ngrams import pieces


class Shortlist:
    """Texts under labels. A piece of spelling weighs the more, the fewer texts have it."""

    def __init__(self, texts: Sequence[tuple[str, str]]) -> None:
        """Pairs of label and text, in the order in which equals are given."""
        counts = [Counter(pieces(text)) for _, text in texts]
        held = Counter(piece for count in counts for piece in count)
        self._rarity = {piece: math.log(1.0 + len(texts) / (1.0 + number)) for piece, number in held.items()}
        self._texts = texts
        self._posted: dict[str, list[tuple[int, float]]] = {}
        for place, count in enumerate(counts):
            for piece, weight in self._weighed(count).items():
                self._posted.setdefault(piece, []).append((place, weight))

    def _weighed(self, counts: Counter[str]) -> dict[str, float]:
        weights = {
            piece: (1.0 + math.log(number)) * self._rarity[piece]
            for piece, number in counts.items()
            if piece in self._rarity
        }
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {piece: weight / length for piece, weight in weights.items()}

    def nearest(self, text: str, labels: int, each: int) -> dict[str, list[str]]:
        """The nearest `labels` labels, nearest first, each with its nearest `each` texts, nearest first."""
        likeness = [0.0] * len(self._texts)
        for piece, weight in self._weighed(Counter(pieces(text))).items():
            for place, other in self._posted[piece]:
                likeness[place] += weight * other
        order = sorted(range(len(self._texts)), key=lambda place: (-round(likeness[place], 9), place))
        found: dict[str, list[str]] = {}
        for place in order:
            label, example = self._texts[place]
            if label not in found and len(found) == labels:
                continue
            shown = found.setdefault(label, [])
            if len(shown) < each:
                shown.append(example)
        return found
