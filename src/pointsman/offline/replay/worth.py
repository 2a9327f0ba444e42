"""What moves do to quality, by what each model is worth at each kind of task."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.target import BackendState, Target
from pointsman.offline.audit.intervals import Z
from pointsman.offline.replay.outcome import Effect
from pointsman.routing.quality import figures_of, quality_of

OF_PRIOR = 0.1
"""The standard error that a quality is taken to have which is known by a model's size alone, our own estimate."""
_MEASURED = ("task", "model")
_Cell = tuple[str, str | None]


class Worth:
    """By the table of the new document, for what was and for what would be: a table that changed tells better of both."""

    def __init__(self, document: PolicyDocument) -> None:
        self._figures = figures_of(document.quality)
        self._weights: dict[_Cell, int] = {}
        for each in document.quality:
            for key in {(each.model, each.task), (each.model, None)}:
                self._weights[key] = self._weights.get(key, 0) + max(each.weight, 1)
        self._cells: dict[_Cell, tuple[float, float]] = {}  # → (moves to it less moves from it, variance of its figure)
        self._before = self._after = 0.0
        self.answered = self.guessed = 0

    def stays(self, target: Target, state: BackendState, task: str | None, difficulty: float | None) -> None:
        value, _ = quality_of(target, state, self._figures, task, difficulty)
        self.answered += 1
        self._before += value
        self._after += value

    def moves(
        self,
        pair: tuple[Target, Target],
        states: Mapping[str, BackendState],
        task: str | None,
        difficulty: float | None,
    ) -> None:
        """From the first target to the second."""
        first, second = pair
        if first.model == second.model:
            self.stays(second, states.get(second.name) or BackendState(second.name), task, difficulty)
            return
        self.answered += 1
        values = []
        guessed = False
        for target, sign in zip(pair, (-1.0, 1.0), strict=True):
            state = states.get(target.name) or BackendState(target.name)
            value, source = quality_of(target, state, self._figures, task, difficulty)
            values.append(value)
            key: _Cell = (target.model, task if source == "task" else None)
            count, _ = self._cells.get(key, (0.0, 0.0))
            if source in _MEASURED:
                variance = value * (1.0 - value) / self._weights[key]
            else:
                variance, guessed = OF_PRIOR * OF_PRIOR, True
            self._cells[key] = count + sign, variance
        self.guessed += guessed
        self._before += values[0]
        self._after += values[1]

    def effect(self) -> Effect:
        """Means over the requests that a model answers before and after. The interval is of the difference: each figure is
        a mean of so many gradings, and off by the same for all requests of its kind."""
        if not self.answered:
            return Effect(0.0, 0.0, 0.0, 0.0)
        before, after = self._before / self.answered, self._after / self.answered
        variance = sum((count / self.answered) ** 2 * each for count, each in self._cells.values())
        reach = Z * sqrt(variance)
        return Effect(before, after, after - reach, after + reach)
