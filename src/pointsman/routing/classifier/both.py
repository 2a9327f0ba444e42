"""The models of tasks and of difficulties as one: what takes the most time is looking a text's pieces up, and that is done
once for both."""

from __future__ import annotations

from functools import lru_cache

from pointsman.learning.lanes import parted
from pointsman.learning.linear import joined
from pointsman.routing.classifier.difficulty import Difficulty
from pointsman.routing.classifier.tasks import Tasks, Told, rows_of


class Both:
    """What it tells is what each of them tells."""

    def __init__(self, tasks: Tasks, difficulty: Difficulty) -> None:
        self._tasks = tasks
        self._difficulty = difficulty
        self._linear = joined(tasks.linear, difficulty.linear)
        self._lanes = len(tasks.linear.heads)

    def of(self, text: str, spelt: str) -> tuple[Told, float] | None:
        """`spelt` as `plain` gives it. None: it has no pieces."""
        row, wish = rows_of(spelt)
        if not row:
            return None
        total, hard = parted(self._linear.total(row), self._lanes)
        wished = total if wish is row else parted(self._linear.total(wish), self._lanes)[0]
        return self._tasks.told(spelt, row, wish, total, wished), self._difficulty.told(text, row, hard)


@lru_cache(maxsize=2)
def both(tasks: Tasks, difficulty: Difficulty) -> Both:
    """Made when it is first wanted, in some 20 ms."""
    return Both(tasks, difficulty)
