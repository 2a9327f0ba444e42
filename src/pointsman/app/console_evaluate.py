"""What the console's page *Evaluate* shows: what `pointsman calibrate` kept; the table of qualities, and measured rates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pointsman.app.setup import Setup
from pointsman.arbiter.evaluation import Evaluation
from pointsman.arbiters.calibrations import kept_evaluations
from pointsman.console.evaluate.figures import ModelWorth
from pointsman.pipeline.pipeline import Pipeline
from pointsman.routing.quality import figures_of, quality_of

_TOKENS = 100


class ConsoleEvaluations:
    """`folder` is the data folder."""

    def __init__(self, setup: Callable[[], Setup], pipeline: Pipeline, folder: Path) -> None:
        self._setup = setup
        self._pipeline = pipeline
        self._folder = folder

    def arbiters(self) -> Sequence[Evaluation]:
        return kept_evaluations(self._folder / "arbiter")

    def models(self) -> Sequence[ModelWorth]:
        document, snapshot = self._setup().policy.document, self._pipeline.snapshot()
        figures = figures_of(document.quality)
        found = []
        for target in document.targets:
            if target.embedding:
                continue
            state = snapshot.state(target.name)
            quality, source = quality_of(target, state, figures, None, None)
            rows = [each for each in document.quality if each.model == target.model]
            # one over all counts those of the tasks, too
            counted = [each for each in rows if each.task is None] or rows
            found.append(
                ModelWorth(
                    target.name,
                    target.model,
                    quality,
                    sum(max(each.weight, 1) for each in counted) if source == "model" else 0,
                    snapshot.shift(target.model, None),
                    _TOKENS / state.decode_rate if state.decode_rate else None,
                )
            )
        return sorted(found, key=lambda each: -each.quality)
