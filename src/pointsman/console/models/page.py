"""The page *Models & nodes*: what is in memory, how busy and how well it is, and loading and unloading it."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.console.models.fleet import VERBS, Fleet, map_of
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit, see_other
from pointsman.domain.errors import PointsmanError
from pointsman.domain.residence import STAGES
from pointsman.domain.said import said


class ModelsPage:
    def __init__(self, templates: Templates, fleet: Fleet) -> None:
        self._templates = templates
        self._fleet = fleet

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/models", self.page)
        yield Route("POST", "/ui/models", self.manage)

    async def page(self, visit: Visit) -> Reply:
        """A fragment is the part of it that changes."""
        seen = await self._fleet.seen()
        template = "parts/models_now.html" if visit.fragment else "models.html"
        return self._templates.page(template, visit, place="models", seen=seen, map=map_of(seen), stages=STAGES)

    async def manage(self, visit: Visit) -> Reply:
        visit.must_change()
        asked = visit.form.get("verb", "")
        verb = next((each for each in VERBS if each == asked), None)
        if verb is None:
            raise PointsmanError(
                said(
                    "there is nothing like {verb} to be done; valid: {valid}",
                    "没有 {verb} 这种操作（可用的有：{valid}）",
                    verb=asked[:40],
                    valid=", ".join(VERBS),
                ),
                code="unknown_verb",
            )
        await self._fleet.manage(verb, visit.form.get("target", ""))
        return see_other("/ui/models")
