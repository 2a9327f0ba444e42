"""Which page a path is."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.console.visit import Route


class Routes:
    """Plain paths are found before those with a name in them."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._plain: dict[tuple[str, str], Route] = {}
        self._named: list[tuple[str, str, Route]] = []
        for route in routes:
            before, brace, rest = route.path.partition("{")
            if brace:
                self._named.append((before, rest.partition("}")[2], route))
            else:
                self._plain[route.method, route.path] = route

    def find(self, method: str, path: str) -> tuple[Route, str] | None:
        """The route, and the name in the path ("" in a plain one); HEAD is a GET."""
        method = "GET" if method == "HEAD" else method
        plain = self._plain.get((method, path))
        if plain is not None:
            return plain, ""
        for before, after, route in self._named:
            if route.method == method and path.startswith(before) and path.endswith(after):
                name = path[len(before) : len(path) - len(after)]
                if name and "/" not in name:
                    return route, name
        return None

    def knows(self, path: str) -> bool:
        """Whether there is such a page for any method."""
        return any(self.find(method, path) for method in ("GET", "POST"))
