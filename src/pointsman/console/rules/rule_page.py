"""A rule's own page: how it is written, what it did, what it missed, what was changed; and how a change is taken
back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from urllib.parse import quote

from pointsman.console.edits.history import Change, History, difference
from pointsman.console.rules.books import Books
from pointsman.console.rules.list_page import RulesPage
from pointsman.console.rules.publishing import Publishing
from pointsman.console.rules.rows import rows_of
from pointsman.console.rules.shelf import Shelf, Shelved
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit, see_other
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import said

_CHANGES = 20


class RulePage:
    def __init__(
        self,
        templates: Templates,
        books: Books,
        shelf: Shelf,
        publishing: Publishing,
        history: History,
        listed: RulesPage,
    ) -> None:
        self._templates = templates
        self._books = books
        self._shelf = shelf
        self._publishing = publishing
        self._history = history
        self._listed = listed

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/rules/{id}", self.page)
        yield Route("POST", "/ui/rules/{id}/undo", self.undo)

    async def page(self, visit: Visit) -> Reply:
        document, policy = self._books.policy
        rule = next((each for each in document.rules if each.id == visit.named), None)
        shelved = await asyncio.to_thread(self._shelf.find, visit.named)
        if rule is None:
            raise no_rule(visit.named, [each.id for each in document.rules])
        hits = await self._listed.hits()
        [row] = rows_of([rule], document.guard_packs, hits, self._books.review())
        changes = await asyncio.to_thread(self._changes, shelved, visit.named)
        took = hits.get(rule.id)
        return self._templates.page(
            "rule.html",
            visit,
            place="rules",
            rule=rule,
            row=row,
            shelved=shelved,
            days=took.days if took else (),
            highest=max([many for _, many in took.days], default=0) if took else 0,
            changes=changes,
            done=next((change for change, _ in changes if change.id == visit.query.get("done")), None),
            policy=policy,
        )

    async def undo(self, visit: Visit) -> Reply:
        visit.must_change()
        shelved = await asyncio.to_thread(self._shelf.find, visit.named)
        if shelved is None:
            document, _ = self._books.policy
            raise no_rule(visit.named, [each.id for each in document.rules])
        change = visit.form.get("change", "")
        done = await self._publishing.undo(visit.named, shelved.place.path, change, visit.who.name)
        if done.rule is None:
            return see_other("/ui/rules")
        return see_other(f"{address_of(done.rule)}?done={done.change.id}")

    def _changes(self, shelved: Shelved | None, rule: str) -> list[tuple[Change, str]]:
        """Each with its difference."""
        if shelved is None:
            return []
        path = shelved.place.path
        found = []
        for change in self._history.changes(path, rule)[:_CHANGES]:
            texts = self._history.texts(path, change.id)
            found.append((change, difference(*texts, path.name) if texts else ""))
        return found


def address_of(rule: str) -> str:
    """Of a rule's page."""
    return f"/ui/rules/{quote(rule, safe='')}"


def no_rule(name: str, known: list[str]) -> PointsmanError:
    return PointsmanError(
        said(
            'no rule "{id}" is in force{hint}; the list has all of them',
            "没有生效的规则“{id}”{hint}；列表里有全部规则",
            id=name[:100],
            hint=did_you_mean(name[:100], known),
        ),
        status=404,
        type="not_found_error",
        code="rule_not_found",
    )
