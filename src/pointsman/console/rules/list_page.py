"""*Rules*: all that are in force, what each did in 30 days, and which ought to be looked at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from typing import Any

from pointsman.console.edits.drafts import Draft, Drafts
from pointsman.console.rules.books import Books, Hits
from pointsman.console.rules.rows import MOST, SHOWS, rows_of, shown
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit

MONTH = 30 * 86_400.0
_GOOD = 15.0  # seconds for which hits that were read are new enough


class RulesPage:
    def __init__(self, templates: Templates, books: Books, drafts: Drafts) -> None:
        self._templates = templates
        self._books = books
        self._drafts = drafts
        self._hits: tuple[float, Mapping[str, Hits]] = (-_GOOD, {})

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/rules", self.page)

    async def page(self, visit: Visit) -> Reply:
        """A fragment is the table, for which the review was awaited."""
        hits = await self.hits()
        reviewed = self._books.review()
        document, _ = self._books.policy
        rows = rows_of(document.rules, document.guard_packs, hits, reviewed)
        query = visit.query
        text, show, order = query.get("text", ""), query.get("show", ""), query.get("order", "")
        found = shown(rows, text, show, order)
        values: dict[str, Any] = {
            "rows": found[:MOST],
            "more": max(0, len(found) - MOST),
            "all": len(rows),
            "reviewed": reviewed,
            "failed": self._books.review_failed() if reviewed is None else None,
            "dead": sum(row.dead for row in rows),
            "doubtful": sum(row.doubtful for row in rows),
            "asked": {"text": text, "show": show, "order": order},
        }
        if visit.fragment:
            return Reply(self._templates.part("parts/rules_table.html", visit, **values))
        drafts = await asyncio.to_thread(self._unpublished, visit)
        return self._templates.page("rules.html", visit, place="rules", shows=SHOWS, drafts=drafts, **values)

    async def hits(self) -> Mapping[str, Hits]:
        now = time.monotonic()
        if now - self._hits[0] > _GOOD:
            wall = time.time()
            self._hits = now, await asyncio.to_thread(self._books.hits, wall - MONTH, wall)
        return self._hits[1]

    def _unpublished(self, visit: Visit) -> list[Draft]:
        if not visit.who.may_change:
            return []
        return [draft for draft in self._drafts.all(visit.who.name) if draft.text != draft.base]
