"""The page *Keys*: who asks, what each may, what it has used; a new key, shown once; and one taken back."""

from __future__ import annotations

import time
from collections.abc import Iterator

from pointsman.console.keys.book import MONTH, KeyBook, KeyLeaving, KeyMade, KeyWish
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit
from pointsman.domain.errors import PointsmanError

_MAY = ("", "read", "admin")


class KeysPage:
    def __init__(self, templates: Templates, book: KeyBook) -> None:
        self._templates = templates
        self._book = book

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/keys", self.page)
        yield Route("POST", "/ui/keys", self.make)
        yield Route("GET", "/ui/keys/take-back", self.leaving)
        yield Route("POST", "/ui/keys/take-back", self.take_back)

    async def page(self, visit: Visit) -> Reply:
        return await self._page(visit, KeyWish(""))

    async def make(self, visit: Visit) -> Reply:
        """The key stands in this answer, which no cache keeps, and in no other."""
        visit.must_change()
        form = {name: value.strip() for name, value in visit.form.items()}
        may = form.get("may", "")
        wish = KeyWish(form.get("name", ""), form.get("role", ""), form.get("group", ""), may if may in _MAY else "")
        try:
            made = await self._book.make(wish, visit.who.name)
        except PointsmanError as error:
            return await self._page(visit, wish, error=error)
        return await self._page(visit, KeyWish(""), made=made)

    async def leaving(self, visit: Visit) -> Reply:
        """What would change in the file, and what follows from it, before anything does."""
        visit.must_change()
        return await self._leaving(visit, visit.query.get("name", ""))

    async def take_back(self, visit: Visit) -> Reply:
        visit.must_change()
        name = visit.form.get("name", "")
        try:
            gone = await self._book.take_back(name, visit.form.get("mark", ""), visit.who.name)
        except PointsmanError as error:
            if error.status == 404:
                raise
            return await self._leaving(visit, name, error)
        return await self._page(visit, KeyWish(""), gone=gone)

    async def _leaving(self, visit: Visit, name: str, error: PointsmanError | None = None) -> Reply:
        leaving = await self._book.leaving(name)
        own = visit.who.by_key and visit.who.name == name
        status = 200 if error is None else error.status
        return self._templates.page(
            "keys_take_back.html",
            visit,
            place="keys",
            status=status,
            leaving=leaving,
            own=own,
            since=int(time.time() - MONTH),
            error=error,
        )

    async def _page(
        self,
        visit: Visit,
        wish: KeyWish,
        *,
        made: KeyMade | None = None,
        gone: KeyLeaving | None = None,
        error: PointsmanError | None = None,
    ) -> Reply:
        rows, now = await self._book.rows(), time.time()
        status = 200 if error is None else error.status
        return self._templates.page(
            "keys.html",
            visit,
            place="keys",
            status=status,
            rows=rows,
            wish=wish,
            made=made,
            gone=gone,
            since=int(now - MONTH),
            minute=int(now // 60 * 60),
            error=error,
        )
