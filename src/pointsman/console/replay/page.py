"""The page *Replay*: the log decided again, by what may come; what moves, why, and what that comes to."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from pointsman.console.replay.runs import ReplayRuns, ReplayWish
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
    def __init__(self, templates: Templates, runs: ReplayRuns) -> None:
        self._templates = templates
        self._runs = runs

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/replay", self.page)
        yield Route("POST", "/ui/replay", self.begin)
        yield Route("POST", "/ui/replay/stop", self.stop)

    async def page(self, visit: Visit) -> Reply:
        found = self._runs.found
        last = ReplayWish(USUAL) if found is None else found.wish
        return await self._page(visit, last)

    async def begin(self, visit: Visit) -> Reply:
        visit.must_change()
        wish = ReplayWish(USUAL)
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

    async def _page(self, visit: Visit, wish: ReplayWish, error: PointsmanError | None = None) -> Reply:
        runs = self._runs
        return self._templates.page(
            "parts/replay_found.html" if visit.fragment else "replay.html",
            visit,
            place="replay",
            status=200 if error is None else error.status,
            since=runs.since,
            found=runs.found,
            failed=runs.failed,
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
