"""The page *Replay*: the log decided again, by what may come; what moves, why, and what that comes to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from urllib.parse import urlencode

from pointsman.console.replay.runs import ReplayRuns, ReplayWish
from pointsman.console.replay.shown import ALL_MOVED, behind_of, period, shown
from pointsman.console.rows import Requests
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit, see_other
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said

SPANS = {
    "1h": Said("1 hour", "1 小时"),
    "1d": Said("1 day", "1 天"),
    "7d": Said("7 days", "7 天"),
    "30d": Said("30 days", "30 天"),
}
USUAL = "7d"
KINDS = ("quality", "latency", "cost")
_MOST = 1000.0
_ID = re.compile(r"\b(req_[0-9a-z]+)\b")


class ReplayPage:
    def __init__(self, templates: Templates, runs: ReplayRuns, requests: Requests) -> None:
        self._templates = templates
        self._runs = runs
        self._requests = requests

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/replay", self.page)
        yield Route("POST", "/ui/replay", self.begin)
        yield Route("GET", "/ui/replay/requests", self.requests)
        yield Route("POST", "/ui/replay/stop", self.stop)

    async def page(self, visit: Visit) -> Reply:
        return await self._page(visit)

    async def requests(self, visit: Visit) -> Reply:
        """Those behind a figure of the last replay."""
        found = (await self._runs.seen()).found
        behind = None if found is None else behind_of(found, visit.query)
        if found is None or behind is None:
            raise PointsmanError(
                Said(
                    "the last replay has no such figure: another one was made since; go back to Replay and choose it there",
                    "最近一次重放里没有这个数字：之后又重放过；请回到重放页再点开",
                ),
                status=404,
                type="not_found_error",
                code="no_such_figure",
            )
        part, figure = behind
        ids = list(figure.ids or ())
        rows = await asyncio.to_thread(self._requests.some, ids)
        line = figure.column is None
        return self._templates.page(
            "replay_requests.html",
            visit,
            place="replay",
            part=part,
            line=part.lines[figure.row] if line else None,
            row=() if line else part.rows[figure.row],
            found=found,
            rows=rows,
            gone=len(ids) - len(rows),
            more=None,
        )

    async def begin(self, visit: Visit) -> Reply:
        visit.must_change()
        wish = None
        try:
            wish = self._wish(visit)
            self._runs.begin(wish)
        except PointsmanError as error:
            return await self._page(visit, wish, error)
        return see_other("/ui/replay")

    async def stop(self, visit: Visit) -> Reply:
        visit.must_change()
        await self._runs.stop()
        return see_other("/ui/replay")

    def _wish(self, visit: Visit) -> ReplayWish:
        """Raises PointsmanError for weights that are none, and where nothing would differ."""
        form, weights = visit.form, {}
        for name, present in self._runs.weights.items():
            given = tuple(_weight(form.get(f"{name}.{kind}", ""), present[at]) for at, kind in enumerate(KINDS))
            weights[name] = given[0], given[1], given[2]
        file = form.get("file") or None
        changed = {} if weights == dict(self._runs.weights) else weights
        span = form.get("span", USUAL)
        if file is None and not changed:
            raise PointsmanError(
                Said(
                    "choose another config, or change a weight: else nothing differs",
                    "请选择另一份配置或修改权重：否则没有差别",
                ),
                code="nothing_differs",
            )
        return ReplayWish(span if span in SPANS else USUAL, file, changed)

    async def _page(self, visit: Visit, wish: ReplayWish | None = None, error: PointsmanError | None = None) -> Reply:
        """`wish` is what the form has; that of the last replay where there is none."""
        runs = self._runs
        seen = await runs.seen()
        found = seen.found
        if wish is None:
            wish = ReplayWish(USUAL) if found is None else found.wish
        return self._templates.page(
            "parts/replay_found.html" if visit.fragment else "replay.html",
            visit,
            place="replay",
            status=200 if error is None else error.status,
            seen=seen,
            found=found,
            report=() if found is None else shown(found),
            elsewhere=ALL_MOVED,
            period="" if found is None else urlencode(period(found)),
            wish=wish,
            weights=runs.weights,
            scored=runs.scored,
            files=() if visit.fragment else await asyncio.to_thread(runs.files),
            spans=SPANS,
            kinds=KINDS,
            pieces=_ID.split,
            error=error,
        )


def _weight(text: str, present: float) -> float:
    if not text.strip():
        return present
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _MOST:
        raise PointsmanError(
            said("a weight is 0 to 1000, not {text}", "权重是 0 到 1000 的数，而不是 {text}", text=text[:40]),
            code="no_weight",
        )
    return value
