"""The models of tasks and of difficulties as one: what takes the most time is looking a text's pieces up, and that is done
once for both."""

from __future__ import annotations

from functools import lru_cache

from pointsman.learning.lanes import parted
from pointsman.learning.linear import joined
from pointsman.learning.pieces import piece_set, piece_sets
from pointsman.routing.classifier.difficulty import Difficulty
from pointsman.routing.classifier.instruction import instruction
from pointsman.routing.classifier.tasks import Tasks, Told


class Both:
    """What it tells is what each of them tells."""

    def __init__(self, tasks: Tasks, difficulty: Difficulty) -> None:
        self._tasks = tasks
        self._difficulty = difficulty
        self._linear = joined(joined(tasks.own, tasks.wished), difficulty.linear)

    def of(self, text: str, spelt: str) -> tuple[Told, float] | None:
        """`spelt` as `plain` gives it. None: it has no pieces."""
        asked = instruction(spelt)
        if asked == spelt:
            row = wish = piece_set(spelt)
        else:
            row, wish = piece_sets(spelt, asked)
        if not row:
            return None
        heads = len(self._tasks.names)
        total = self._linear.total(row)
        own, behind = parted(total, heads)
        wished, hard = parted(behind, heads)
        if wish is not row:
            wished, _ = parted(parted(self._linear.total(wish), heads)[1], heads)
        return self._tasks.told(spelt, row, wish, own, wished), self._difficulty.told(text, row, hard)


@lru_cache(maxsize=2)
def both(tasks: Tasks, difficulty: Difficulty) -> Both:
    """Made when it is first wanted, in some 20 ms."""
    return Both(tasks, difficulty)
