"""What the colours, the keys and the words mean."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit


class HelpPage:
    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/help", self.page)

    def page(self, visit: Visit) -> Reply:
        return self._templates.page("help.html", visit, place="help")
