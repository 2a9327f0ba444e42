"""The page *Evaluate*: how true confidences of arbiters are, what they confuse, and models by quality and cost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

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
from pointsman.console.rows import Requests
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

_MOST = 3  # evaluations that are shown
_CONFUSED = 20


class EvaluatePage:
    def __init__(self, templates: Templates, evaluations: Evaluations, requests: Requests) -> None:
        self._templates = templates
        self._evaluations = evaluations
        self._requests = requests

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/evaluate", self.page)
        yield Route("GET", "/ui/evaluate/texts", self.texts)

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
                "confused": wrong[:_CONFUSED],
                "left": sum(many for _, _, _, many in wrong[_CONFUSED:]),
            }
            for each in kept[:_MOST]
            for wrong in ([(pair, *one) for pair, one in enumerate(each.confusion) if one[0] != one[1]],)
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

    async def texts(self, visit: Visit) -> Reply:
        """Those behind a figure of an arbiter's."""
        query, kept = visit.query, await asyncio.to_thread(self._evaluations.arbiters)
        found = next((each for each in kept if each.heads == query.get("of")), None)
        names: Sequence[str] = ()
        what: dict[str, Any] = {}
        if found is not None and (pair := _place(query.get("pair"), found.confused)) is not None:
            names, (meant, heard, many) = found.confused[pair], found.confusion[pair]
            what = {"meant": meant, "heard": heard, "many": many, "bin": None}
        elif found is not None and (place := _place(query.get("bin"), found.binned)) is not None:
            names, each = found.binned[place], found.after[place]
            what = {"bin": each, "many": each.texts}
        if found is None or not names:
            raise PointsmanError(
                Said(
                    "its texts are not known: the arbiter was calibrated since; go back to Evaluate and choose it there",
                    "没有它的文本：之后又校准过；请回到评测页再点开",
                ),
                status=404,
                type="not_found_error",
                code="no_such_figure",
            )
        rows = await asyncio.to_thread(self._requests.some, names) if found.labels is None else []
        return self._templates.page(
            "evaluate_texts.html", visit, place="evaluate", it=found, names=names, rows=rows, more=None, **what
        )


def _place(text: str | None, of: Sequence[object]) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 9 and int(text) < len(of) else None
