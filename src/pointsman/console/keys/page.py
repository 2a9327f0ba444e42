"""The page *Keys*: who asks, what each may, what it has used; and a new key, shown once."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.console.keys.book import KeyBook, KeyMade, KeyWish
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

    async def _page(
        self, visit: Visit, wish: KeyWish, *, made: KeyMade | None = None, error: PointsmanError | None = None
    ) -> Reply:
        rows = await self._book.rows()
        status = 200 if error is None else error.status
        return self._templates.page(
            "keys.html", visit, place="keys", status=status, rows=rows, wish=wish, made=made, error=error
        )
