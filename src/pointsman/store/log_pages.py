"""Requests newest first, page by page: from the chapters' columns and what is not filed yet. Whatever the filters are, a
list reads little more than what it shows."""

from __future__ import annotations

import heapq
import math
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NoBase64
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NewType

import msgspec

from pointsman.domain.said import said
from pointsman.store.log_chapters import Chapter, Listed
from pointsman.store.log_row import Head
from pointsman.store.log_schema import has_table, unfiled_in
from pointsman.store.log_sql import Connection
from pointsman.store.stored_batch import StoredBatch

Cursor = NewType("Cursor", str)
"""Between two requests of the log. It stays valid while requests come and go."""

_LISTED = "select id, first, last, count from chapters where first <= ? and last >= ? order by last desc"
_UNFILED = "select id, last from {} as fresh join batches on id = batch where last >= ?"
_position = msgspec.msgpack.Decoder(tuple[float, str]).decode


class Page(msgspec.Struct, frozen=True):
    """`rows` are as of `LogReader.rows`, newest first; `next` is where the next page begins, None where there is none. Where
    a text is looked for it may hold fewer rows than asked for, and none, with another page after it."""

    rows: list[dict[str, Any]]
    next: Cursor | None


class Found(msgspec.Struct, frozen=True, gc=False):
    """One request, and the batch that it is in."""

    head: Head
    batch: StoredBatch

    @property
    def position(self) -> tuple[float, str]:
        """What lists are ordered by, the newest the greatest."""
        return self.head.received, self.head.id


class Bounds(msgspec.Struct, frozen=True, gc=False):
    """Only what came at `since` or later, before `until`, and after this position of the list."""

    since: float = -math.inf
    until: float = math.inf
    before: tuple[float, str] | None = None

    @property
    def latest(self) -> float:
        """Nothing that came later than that."""
        return self.until if self.before is None else min(self.until, self.before[0])

    def hold(self, head: Head) -> bool:
        return self.since <= head.received < self.until and (
            self.before is None or (head.received, head.id) < self.before
        )


def cursor_at(position: tuple[float, str]) -> Cursor:
    return Cursor(urlsafe_b64encode(msgspec.msgpack.encode(position)).decode().rstrip("="))


def position_of(cursor: Cursor) -> tuple[float, str]:
    """Raises ValueError for a text that is no cursor."""
    try:
        return _position(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (NoBase64, ValueError, msgspec.DecodeError):
        raise ValueError(
            said("{cursor!r} is no place in the log", "{cursor!r} 不是日志里的位置", cursor=cursor)
        ) from None


class Places:
    """The requests of a log that are wanted, one after the other. `batch` gives the one with that number, None where it is
    no more; `noted` are those with requests under way."""

    def __init__(
        self,
        connection: Connection,
        batch: Callable[[int], StoredBatch | None],
        noted: Callable[[str | None], Iterable[StoredBatch]],
    ) -> None:
        self._connection = connection
        self._batch = batch
        self._noted = noted

    def newest_first(self, wanted: dict[str, str], bounds: Bounds) -> Iterator[Found]:
        """Those that match all of `wanted` (filter → value). Raises apsw.Error. Inside a transaction, in which nothing comes
        or goes."""
        same: list[Found] = []  # came at the same time, as far as it was measured
        for found in self._by_time(wanted, bounds):
            if same and found.head.received != same[0].head.received:
                yield from sorted(same, key=_id, reverse=True)
                same = []
            same.append(found)
        yield from sorted(same, key=_id, reverse=True)

    def _by_time(self, wanted: dict[str, str], bounds: Bounds) -> Iterator[Found]:
        """As `newest_first`, what came at the same time in any order."""
        heap: list[tuple[float, int, Found, Iterator[Found]]] = []  # the next one of each source that was begun
        for number, (last, source) in enumerate(self._sources(wanted, bounds)):
            while heap and -heap[0][0] > last:
                yield _popped(heap)
            first = next(source, None)
            if first is not None:
                heapq.heappush(heap, (-first.head.received, number, first, source))
        while heap:
            yield _popped(heap)

    def _sources(self, wanted: dict[str, str], bounds: Bounds) -> Iterator[tuple[float, Iterator[Found]]]:
        """(when its newest request came, its requests that are wanted), in the order of the former."""
        connection = self._connection
        for noted in self._noted(wanted.get("id")):
            yield math.inf, _matching(noted, wanted, bounds)
        later: list[tuple[float, Callable[[], Iterator[Found]]]] = []
        for number, last in connection.execute(_UNFILED.format(unfiled_in(connection)), (bounds.since,)).fetchall():
            later.append((last, lambda number=number: self._in_batch(number, wanted, bounds)))  # type: ignore[misc]
        if has_table(connection, "chapters"):
            for row in connection.execute(_LISTED, (bounds.latest, bounds.since)).fetchall():
                listed = Listed(*row)
                later.append((listed.last, lambda listed=listed: self._in_chapter(listed, wanted, bounds)))  # type: ignore[misc]
        later.sort(key=lambda one: one[0], reverse=True)
        for last, source in later:
            yield last, source()

    def _in_batch(self, number: int, wanted: dict[str, str], bounds: Bounds) -> Iterator[Found]:
        batch = self._batch(number)
        if batch is not None and batch.may_hold([value.encode() for value in wanted.values()]):
            yield from _matching(batch, wanted, bounds)

    def _in_chapter(self, listed: Listed, wanted: dict[str, str], bounds: Bounds) -> Iterator[Found]:
        chapter = Chapter(self._connection, listed)
        for place in chapter.matching(wanted, bounds.since, bounds.latest):
            number, at = chapter.where(place)
            batch = self._batch(number)
            if batch is None:
                continue
            head = batch.head(at)
            if bounds.hold(head) and (not wanted or batch.those([head], wanted)):
                yield Found(head, batch)


def _matching(batch: StoredBatch, wanted: dict[str, str], bounds: Bounds) -> Iterator[Found]:
    for received, place in sorted(batch.matching(wanted), reverse=True):
        if bounds.since <= received <= bounds.latest and bounds.hold(head := batch.head(place)):
            yield Found(head, batch)


def _id(found: Found) -> str:
    return found.head.id


def _popped(heap: list[tuple[float, int, Found, Iterator[Found]]]) -> Found:
    _, number, found, source = heap[0]
    following = next(source, None)
    if following is None:
        heapq.heappop(heap)
    else:
        heapq.heapreplace(heap, (-following.head.received, number, following, source))
    return found
