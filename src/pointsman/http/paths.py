"""Which of the known paths a request's path is."""

from __future__ import annotations

from collections.abc import Iterable

_NAME, _LONG_NAME = "{id}", "{name}"


class Paths:
    """Of three kinds: a plain path; one with `{id}` in it, where a name of one part stands (`/v1/batches/{id}/cancel`), or
    with `{name}`, where it may have several; and one that ends in `/`, where all that follows is a name (`/v1/models/`). A
    plain path is found before the others, which are tried in their order."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.all = sorted(set(paths))
        self._plain = {path for path in self.all if "{" not in path and not path.endswith("/")}
        self._named = [_parted(path) for path in self.all if path not in self._plain]

    def find(self, path: str) -> tuple[str, str] | None:
        """The known path, and the name in it ("" in a plain one)."""
        if path in self._plain:
            return path, ""
        for known, before, after in self._named:
            if not path.startswith(before):
                continue
            if after is None:
                return known, path[len(before) :]
            name = path[len(before) : len(path) - len(after)]
            if name and path.endswith(after) and ("/" not in name or _LONG_NAME in known):
                return known, name
        return None


def _parted(path: str) -> tuple[str, str, str | None]:
    """The path, and what stands before and after the name in it; None: nothing ever does."""
    for name in (_NAME, _LONG_NAME):
        if name in path:
            before, _, after = path.partition(name)
            return path, before, after
    return path, path, None
