"""The page *Evaluate*: how true confidences of arbiters are, what they confuse, and models by quality and cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from pointsman.console.evaluate.figures import (
    EDGE,
    HEIGHT,
    SIDE,
    WIDTH,
    Evaluations,
    dots_of,
    points_of,
    square_of,
)
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit

_MOST = 3  # evaluations that are shown
_CONFUSED = 20


class EvaluatePage:
    def __init__(self, templates: Templates, evaluations: Evaluations) -> None:
        self._templates = templates
        self._evaluations = evaluations

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/evaluate", self.page)

    async def page(self, visit: Visit) -> Reply:
        kept = await asyncio.to_thread(self._evaluations.arbiters)
        models = self._evaluations.models()
        dots, ticks = dots_of(models)
        shown = [
            {
                "it": each,
                "before": points_of(each.before),
                "after": points_of(each.after),
                "square": square_of(each),
                "confused": [one for one in each.confusion if one[0] != one[1]][:_CONFUSED],
            }
            for each in kept[:_MOST]
        ]
        return self._templates.page(
            "evaluate.html",
            visit,
            place="evaluate",
            shown=shown,
            models=models,
            dots=dots,
            ticks=ticks,
            size=(WIDTH, HEIGHT, EDGE, SIDE),
        )
