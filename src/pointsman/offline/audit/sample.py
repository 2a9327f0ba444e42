"""Different questions out of many, the same ones every time, and how often each was asked."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.domain.request import Request

_SPACE = 1 << 64


class Asked:
    """A question that was sampled: `count` requests asked it. `ids` are of all of them, or of the first."""

    __slots__ = ("count", "ids", "request")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.count = 0
        self.ids: list[str] = []


class QuestionSample:
    """At most `most` different questions: those whose essence is below a bound, which is halved whenever there are more.
    So every question has the same chance however often it was asked, and of those that are kept every request counts."""

    def __init__(self, most: int, all_ids: bool) -> None:
        self._most = most
        self._all_ids = all_ids
        self._below = _SPACE
        self._kept: dict[int, Asked] = {}

    @property
    def share(self) -> float:
        """Of all different questions: 1 where none was left out."""
        return self._below / _SPACE

    def wants(self, essence: int) -> bool:
        return essence < self._below

    def known(self, essence: int) -> Asked | None:
        return self._kept.get(essence)

    def begin(self, essence: int, request: Request) -> Asked:
        asked = self._kept[essence] = Asked(request)
        while len(self._kept) > self._most:
            self._below //= 2
            self._kept = {number: each for number, each in self._kept.items() if number < self._below}
        return asked

    def note(self, asked: Asked, request_id: str) -> None:
        asked.count += 1
        if self._all_ids or not asked.ids:
            asked.ids.append(request_id)

    def __iter__(self) -> Iterator[Asked]:
        return iter(self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)
