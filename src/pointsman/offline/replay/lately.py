"""Things by name, of which those that were used last are kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

_Found = TypeVar("_Found")


class Lately(Generic[_Found]):
    """At most `most` of what `make` makes of names; `over` hears of each that goes."""

    def __init__(
        self, most: int, make: Callable[[str], _Found], over: Callable[[_Found], None] = lambda found: None
    ) -> None:
        self._most = most
        self._make = make
        self._over = over
        self._kept: OrderedDict[str, _Found] = OrderedDict()
        self._last: tuple[str, _Found] | None = None

    def of(self, name: str) -> _Found:
        if self._last is not None and self._last[0] == name:
            return self._last[1]
        if name in self._kept:
            self._kept.move_to_end(name)
        else:
            self._kept[name] = self._make(name)
            if len(self._kept) > self._most:
                self._over(self._kept.popitem(last=False)[1])
        found = self._kept[name]
        self._last = name, found
        return found

    def clear(self) -> None:
        """All go."""
        while self._kept:
            self._over(self._kept.popitem()[1])
        self._last = None
