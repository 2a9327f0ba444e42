"""The light and the heavy model between which a router chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy

from pointsman.bench.route.scored import Scored, mean_of, models_of
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.learning.recovery import Doubles


class Pair(NamedTuple):
    """`why` these two, for people."""

    light: str
    heavy: str
    why: Said


class Answered(NamedTuple):
    """Questions that both models answered, with the quality of each."""

    rows: tuple[Scored, ...]
    light: Doubles
    heavy: Doubles

    @property
    def gaps(self) -> Doubles:
        return self.heavy - self.light


def chosen_pair(rows: Sequence[Scored], light: str | None, heavy: str | None) -> Pair:
    """As named; else those of lowest and highest mean cost where every answer has a cost; else of lowest and highest mean
    quality. Raises PointsmanError."""
    models = models_of(rows)
    for name in (light, heavy):
        if name is not None and name not in models:
            message = said(
                "there is no model {name} (valid: {models})",
                "没有 {name} 这个模型（合法取值：{models}）",
                name=name,
                models=", ".join(models),
            )
            raise PointsmanError(message)
    costs = {model: mean_of(rows, model, "cost") for model in models}
    if all(cost is not None for cost in costs.values()):
        figures = {model: cost or 0.0 for model, cost in costs.items()}
        why = said("lowest and highest mean cost", "平均成本最低和最高的")
    else:
        figures = {model: mean_of(rows, model, "scores") or 0.0 for model in models}
        why = said("lowest and highest mean quality", "平均质量最低和最高的")
    rising = sorted(models, key=lambda model: (figures[model], model))
    if light and heavy:
        why = said("as named", "按参数指定")
    first = light or next(model for model in rising if model != heavy)
    last = heavy or next(model for model in reversed(rising) if model != first)
    if first == last:
        raise PointsmanError(said("--light and --heavy are the same model", "--light 和 --heavy 是同一个模型"))
    return Pair(first, last, why)


def answered(rows: Sequence[Scored], light: str, heavy: str) -> Answered:
    both = tuple(row for row in rows if light in row.scores and heavy in row.scores)
    return Answered(
        both,
        numpy.array([row.scores[light] for row in both], numpy.float64),
        numpy.array([row.scores[heavy] for row in both], numpy.float64),
    )


def check_pair(found: Answered, light: str, heavy: str) -> None:
    """Raises PointsmanError where there is nothing to route for."""
    names = {"light": light, "heavy": heavy}
    if len(found.rows) < 2:
        raise PointsmanError(
            said("{light} and {heavy} share no questions", "{light} 和 {heavy} 没有共同的问题", **names)
        )
    gaps = found.gaps
    if len(set(gaps.tolist())) == 1:
        message = said(
            "one class only: {heavy} differs from {light} by the same on all questions, there is nothing to route by",
            "只有一类：{heavy} 和 {light} 在所有问题上的差都一样，没有可以路由的依据",
            **names,
        )
        raise PointsmanError(message)
    if gaps.sum() <= 0:
        message = said(
            "{heavy} is no better than {light} over all ({strong:.3f} and {weak:.3f}): there is no gap to recover;"
            " choose others with --light and --heavy",
            "{heavy} 总体上不比 {light} 好（{strong:.3f} 和 {weak:.3f}），没有差距可挽回；请用 --light、--heavy 另选",
            strong=float(found.heavy.mean()),
            weak=float(found.light.mean()),
            **names,
        )
        raise PointsmanError(message)
