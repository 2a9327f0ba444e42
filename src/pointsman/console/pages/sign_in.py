"""Signing in: the form. What it sends is judged by the entrance."""

from __future__ import annotations

from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Visit
from pointsman.domain.errors import PointsmanError


class SignIn:
    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def page(self, visit: Visit) -> Reply:
        return self._shown(visit, 200, None, visit.query.get("next", "/ui"))

    def again(self, visit: Visit, error: PointsmanError) -> Reply:
        """After a key that is none."""
        return self._shown(visit, error.status, error, visit.form.get("next", "/ui"))

    def _shown(self, visit: Visit, status: int, error: PointsmanError | None, after: str) -> Reply:
        return self._templates.page(
            "sign_in.html", visit, status=status, error=error, after=after, by_host=visit.query.get("why") == "host"
        )
