"""How good a target's reply is likely to be, 0 to 1: as measured on this kind of task, as measured over all kinds, or what
models of its size reach.

The prior is a straight line through public gradings (ulab-uiuc/LLMRouter, MIT: 5,608 questions; qwen2.5-7b, llama-3.1-8b,
gemma-2-9b, mistral-7b beside nemotron-51b and nemotron-super-49b; the RAG and code models of that set left out): a large
model is right 0.60 of the time, one of 8 billion 0.50; on 0.19 of the questions the large one alone is right, on 0.09 the
small one alone. So a model of 8 billion falls short of one of 50 billion by `difficulty` less 0.09, and each halving of the
size loses as much again as each of the halvings between these two. Outside of 7 to 51 billion that is a guess."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from pointsman.domain.decision import QualitySource
from pointsman.domain.quality import Quality
from pointsman.domain.target import BackendState, Target
from pointsman.routing.sizes import doublings, size_of

USUAL_DIFFICULTY = 0.19
_REACHED = 0.60
_SMALL_ALONE = 0.087
_LARGE, _SMALL = doublings(50.0), doublings(8.0)
_LEAST, _MOST = 0.02, 0.98
Figures = dict[tuple[str, str | None], float]
"""(model, task; None: over all) → quality."""


def figures_of(table: Iterable[Quality]) -> Figures:
    """Of several for the same model and task the mean, by how many gradings each is of. Where a model has figures for tasks
    only, their mean is the one over all."""
    sums: dict[tuple[str, str | None], tuple[float, int]] = {}
    overall: dict[str, tuple[float, int]] = {}
    for each in sorted(table, key=lambda each: (each.model, each.task or "", each.value, each.weight)):
        weight = max(each.weight, 1)
        total, count = sums.get((each.model, each.task), (0.0, 0))
        sums[each.model, each.task] = total + each.value * weight, count + weight
        if each.task is not None:
            total, count = overall.get(each.model, (0.0, 0))
            overall[each.model] = total + each.value * weight, count + weight
    figures = {key: total / count for key, (total, count) in sums.items()}
    for model, (total, count) in overall.items():
        figures.setdefault((model, None), total / count)
    return figures


def quality_of(
    target: Target, state: BackendState, figures: Figures, task: str | None, difficulty: float | None
) -> tuple[float, QualitySource]:
    """Without what feedback moved, and whence it is known."""
    if task is not None:
        measured = figures.get((target.model, task))
        if measured is not None:
            return measured, "task"
    measured = figures.get((target.model, None))
    if measured is not None:
        return measured, "model"
    size, source = size_of(target, state)
    return prior(size, difficulty), source


@lru_cache(maxsize=4096)
def prior(size: float, difficulty: float | None) -> float:
    """What models of so many billions of parameters reach at so difficult a request."""
    hard = USUAL_DIFFICULTY if difficulty is None else min(max(difficulty, 0.0), 1.0)
    top = _REACHED + (1.0 - _REACHED) * max(hard - USUAL_DIFFICULTY, 0.0) / (1.0 - USUAL_DIFFICULTY)
    falls = max(hard - _SMALL_ALONE, 0.0) * (_LARGE - doublings(size)) / (_LARGE - _SMALL)
    return min(max(top - falls, _LEAST), _MOST)
