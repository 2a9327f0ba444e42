"""The page *Playground*. The browser itself asks `/v1/chat/completions`, so that what is tried here is what clients get;
the conversation is kept nowhere but in the page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence

from pointsman.console.rows import Requests
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

_LATE = (0.2, 0.8, 1.0)  # seconds between looks for a request that has just ended: the log gets it a moment later
_LONGEST_ID = 100


class PlaygroundPage:
    """`models` are the names that a client may ask for, entries first."""

    def __init__(self, templates: Templates, models: Callable[[], Sequence[str]], requests: Requests) -> None:
        self._templates = templates
        self._models = models
        self._requests = requests

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/playground", self.page)
        yield Route("GET", "/ui/playground/trace/{id}", self.trace)

    def page(self, visit: Visit) -> Reply:
        return self._templates.page("playground.html", visit, place="playground", models=self._models())

    async def trace(self, visit: Visit) -> Reply:
        """The way of one reply, as a piece of the page."""
        for wait in (*_LATE, None):
            whole = None
            if len(visit.named) <= _LONGEST_ID:
                whole = await asyncio.to_thread(self._requests.whole, visit.named)
            if whole is not None and not whole.row.under_way:
                return Reply(
                    self._templates.part(
                        "parts/playground_trace.html",
                        visit,
                        whole=whole,
                        row=whole.row,
                        request=whole.request,
                        decision=whole.decision,
                    )
                )
            if wait is not None:
                await asyncio.sleep(wait)
        raise PointsmanError(
            Said(
                "its way is not in the log yet; the list of requests has it in a moment",
                "日志里还没有它的路径；稍后可在请求列表里查看",
            ),
            status=404,
            type="not_found_error",
            code="request_not_found",
        )
