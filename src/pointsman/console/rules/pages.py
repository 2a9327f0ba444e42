"""All pages of rules, and what they share."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.console.edits.drafts import Drafts
from pointsman.console.edits.history import History
from pointsman.console.rules.books import Books
from pointsman.console.rules.editor import Editor
from pointsman.console.rules.list_page import RulesPage
from pointsman.console.rules.publishing import Publishing
from pointsman.console.rules.rule_page import RulePage
from pointsman.console.rules.shelf import Shelf
from pointsman.console.templates import Templates
from pointsman.console.visit import Route


def rule_routes(templates: Templates, books: Books) -> Iterator[Route]:
    drafts, history, shelf = Drafts(books.folder / "drafts"), History(books.folder / "history"), Shelf(books)
    publishing = Publishing(books, shelf, history)
    listed = RulesPage(templates, books, drafts)
    yield from listed.routes()
    yield from Editor(templates, books, shelf, publishing, drafts).routes()
    yield from RulePage(templates, books, shelf, publishing, history, listed).routes()
