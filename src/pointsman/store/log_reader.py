"""Reading the request log: lists by filter, one request whole, and what is needed to decide it again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.decision import Decision
from pointsman.domain.feedback import Asker, Feedback, Served, Signs, Word
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request
from pointsman.domain.target import Snapshot
from pointsman.store.content_files import found
from pointsman.store.feedback_rows import read_feedback
from pointsman.store.log_filters import FILTERS
from pointsman.store.log_open import opened_to_read
from pointsman.store.log_row import Content
from pointsman.store.log_scan import Logged
from pointsman.store.log_schema import has_table
from pointsman.store.seal import Seal
from pointsman.store.signal_rows import read_signs, read_words
from pointsman.store.stored_batch import StoredBatch
from pointsman.store.under_way import Noted, open_notes, read_noted

if TYPE_CHECKING:
    from pointsman.store.log_pages import Cursor, Page

LogError = apsw.Error

_FIRST_ROWS, _MOST_ROWS = 50, 12_800  # that a list reads at once, from few to many
_BATCHES = 64  # that stay unpacked while a page is read
_LOOKED_AT = 1000  # requests whose texts are looked at for a page
_NOTES = 16  # rows of notes that stay open, since what ends together was often noted together
_WHOLE = "select prompts, heads, contents from batches where id = ?"
_WITH_ID = "first_id <= ? and last_id >= ?"


class Evidence(msgspec.Struct, frozen=True):
    """All that a decision followed from, and the decision itself."""

    request: Request
    decision: Decision
    policy: PolicyDocument
    snapshot: Snapshot
    exact_tokens: int | None


class LogReader:
    """Raises FileNotFoundError where there is no log yet. What it returns is as of the call; the methods raise LogError
    where the file is no log, another version's, or damaged."""

    def __init__(self, folder: Path) -> None:
        self._connection = opened_to_read(folder)
        self._folder = folder
        self._last: StoredBatch | None = None  # whose contents were asked for: the next request is often of the same
        self._notes = lru_cache(maxsize=_NOTES)(self._read_notes)

    def rows(self, filters: dict[str, str], since: float | None, limit: int) -> Iterator[dict[str, Any]]:
        """Newest first, those among them that have been under way for some time. `filters` are name → value, names of
        FILTERS; `since` is seconds since the epoch."""
        before, size = None, _FIRST_ROWS
        while limit > 0:
            page = self.page(filters, since=since, before=before, limit=min(size, limit))
            yield from page.rows
            if page.next is None:
                return
            limit -= len(page.rows)
            before, size = page.next, min(4 * size, _MOST_ROWS)

    def page(
        self,
        filters: dict[str, str],
        *,
        since: float | None = None,
        until: float | None = None,
        before: Cursor | None = None,
        limit: int = 50,
        text: str | None = None,
    ) -> Page:
        """At most `limit` rows, newest first, of what came at `since` or later and before `until` (seconds since the epoch);
        after the page of which `before` is the `next`. `text`: only requests in whose messages it stands, capitals or not; a
        page of them looks at a bounded number of requests, and where contents cannot be opened there are none. Raises
        ValueError where `before` is no cursor."""
        from pointsman.store.log_pages import Bounds, Page, Places, cursor_at, position_of  # serving needs none of it

        bounds = Bounds(
            -math.inf if since is None else since,
            math.inf if until is None else until,
            None if before is None else position_of(before),
        )
        wanted = {name: whole_characters(value) for name, value in filters.items() if name in FILTERS}
        batch = lru_cache(maxsize=_BATCHES)(partial(self._batch, Seal.found_in(self._folder)))
        places = Places(self._connection, batch, self._noted)
        rows: list[dict[str, Any]] = []
        looked_at = 0
        position: tuple[float, str] | None = None
        self._connection.execute("begin")  # what ends meanwhile is not seen twice, nor missed
        try:
            for found in places.newest_first(wanted, bounds):
                if position is not None and (len(rows) >= limit or looked_at >= _LOOKED_AT):
                    return Page(rows, cursor_at(position))
                position = found.position
                if text is not None:
                    looked_at += 1
                    if not found.batch.says(found.head.id, text.casefold()):
                        continue
                rows.append(found.batch.row(found.head))
        finally:
            if self._connection.in_transaction:
                self._connection.execute("commit")
        return Page(rows, None)

    def scan(
        self, since: float | None = None, passed: Callable[[float], None] = lambda share: None
    ) -> Iterator[Logged]:
        """All requests that came from then on and have ended, once, as they were recorded: roughly oldest first, since a
        request is recorded when it ends. Holds one batch at a time; after each `passed` is told which share of them it has
        gone through, 0 to 1."""
        start = float("-inf") if since is None else since
        query = "select id from batches where last >= ? order by last, id"
        seal = Seal.found_in(self._folder)
        numbers = [number for (number,) in self._connection.execute(query, (start,)).fetchall()]
        for done, number in enumerate(numbers, 1):
            row = self._connection.execute(_WHOLE, (number,)).fetchone()
            if row is None:  # gone meanwhile
                continue
            prompts, heads, contents = row
            batch = StoredBatch(number, prompts, heads, self._notes)
            batch.open_later(partial(found, self._folder, contents), seal)
            for place, head in enumerate(batch.heads):
                if head.received >= start:
                    yield Logged(head, batch, place)
            passed(done / len(numbers))

    def policy(self, name: str) -> PolicyDocument | None:
        """The document with that hash; None where the log has it not."""
        data = self._document("policies", name)
        return None if data is None else msgspec.msgpack.decode(data, type=PolicyDocument)

    def snapshot(self, name: str) -> Snapshot | None:
        """The snapshot with that hash; None where the log has it not."""
        data = self._document("snapshots", name)
        return None if data is None else msgspec.msgpack.decode(data, type=Snapshot)

    def content(self, request_id: str) -> tuple[Request, Decision | None] | None:
        """What was asked and decided, in full; None where it was not kept or the key is not here."""
        whole = self.whole(request_id)
        return (whole.request, whole.decision) if whole else None

    def whole(self, request_id: str) -> Content | None:
        """The same, with the tries at targets and what the engines said."""
        batch = self._holding(request_id)
        return batch.content(batch.places[request_id]) if batch else None

    def evidence(self, request_id: str) -> Evidence | None:
        """None where the request is not known, had no decision, or its content was not kept."""
        batch = self._holding(request_id)
        if batch is None:
            return None
        place = batch.places[request_id]
        content = batch.content(place)
        if content is None or content.decision is None:
            return None
        policy = self.policy(content.decision.policy)
        snapshot = self.snapshot(content.decision.snapshot)
        if policy is None or snapshot is None:
            return None
        return Evidence(content.request, content.decision, policy, snapshot, batch.heads[place].exact_tokens)

    def asker(self, request_id: str) -> Asker | None:
        """Whose that request was; None where it is not in the log."""
        for batch in (*(batch for _, batch in self._spanning(request_id)), *self._noted(request_id)):
            head = batch.heads[batch.places[request_id]]
            task = batch.feature(head, "task_type")
            served = Served.by(head.target, task) if head.target and head.stage == "model" else None
            return Asker(head.caller, head.received, served)
        return None

    def stage(self, request_id: str) -> str | None:
        """The level that decided it; None where it is not in the log, or nothing was decided."""
        for _, batch in self._spanning(request_id):
            return batch.heads[batch.places[request_id]].stage
        return None

    def words(self, first: int, last: int) -> list[Word]:
        """What callers said of models from day `first` to day `last` (since the epoch, UTC), summed up."""
        return read_words(self._connection, first, last)

    def signs(self, first: int, last: int) -> list[Signs]:
        """What they did in those days."""
        return read_signs(self._connection, first, last)

    def feedback(self, since: float | None = None) -> Iterator[Feedback]:
        """What callers said, newest first: each of them of requests of their own, the last that they said of each; `since`
        is seconds since the epoch. Requests that could not be kept may have some, too. Comments are None where they were
        not kept or the key is not here."""
        return read_feedback(self._connection, Seal.found_in(self._folder), since=since)

    def feedback_on(self, request_id: str) -> Feedback | None:
        """The same, of one request."""
        seal, wanted = Seal.found_in(self._folder), whole_characters(request_id)
        return next(read_feedback(self._connection, seal, request_id=wanted), None)

    def erased(self, first: int, last: int) -> int:
        """How many requests that came from day `first` to day `last` (since the epoch, UTC) somebody had erased: sums still
        have them, lists and whatever is computed again do not."""
        if not has_table(self._connection, "erased"):
            return 0
        query = "select coalesce(sum(count), 0) from erased where day between ? and ?"
        [(count,)] = self._connection.execute(query, (first, last)).fetchall()
        return int(count)

    def close(self) -> None:
        self._connection.close()

    def _batch(self, seal: Seal | None, number: int) -> StoredBatch | None:
        """The one with that number, whose contents are read once they are asked for; None where it is no more."""
        row = self._connection.execute("select prompts, heads from batches where id = ?", (number,)).fetchone()
        if row is None:
            return None
        prompts, heads = row
        batch = StoredBatch(number, prompts, heads, self._notes)
        batch.open_later(partial(self._contents, number), seal)
        return batch

    def _contents(self, number: int) -> bytes | None:
        row = self._connection.execute("select contents from batches where id = ?", (number,)).fetchone()
        return found(self._folder, row[0] if row else None)

    def _holding(self, request_id: str) -> StoredBatch | None:
        """The batch with that request, its contents open where they can be."""
        if self._last is not None and request_id in self._last.places:
            return self._last
        for number, batch in self._spanning(request_id):
            row = self._connection.execute("select contents from batches where id = ?", (number,)).fetchone()
            batch.open(found(self._folder, row[0] if row else None), Seal.found_in(self._folder))
            self._last = batch
            return batch
        for noted in self._noted(request_id):
            row = self._connection.execute("select contents from notes where name = ?", (noted.name,)).fetchone()
            noted.open(found(self._folder, row[0] if row else None), Seal.found_in(self._folder))
            return noted
        return None

    def _noted(self, request_id: str | None) -> list[Noted]:
        """The requests that are under way, or that one; those of a process that died, which they are no more, too."""
        name = None if request_id is None else whole_characters(request_id)
        return list(read_noted(self._connection, self._folder, self._notes, name))

    def _read_notes(self, name: str) -> StoredBatch | None:
        return open_notes(self._connection, self._folder, name, Seal.found_in(self._folder))

    def _spanning(self, request_id: str) -> Iterator[tuple[int, StoredBatch]]:
        """(number, batch) with that request, its contents closed."""
        query = f"select id, prompts, heads from batches where {_WITH_ID} order by last_id"  # noqa: S608
        name = whole_characters(request_id)
        for number, prompts, heads in self._connection.execute(query, (name, name)):
            batch = StoredBatch(number, prompts, heads, self._notes)
            if batch.may_hold([name.encode()]) and request_id in batch.places:
                yield number, batch

    def _document(self, table: str, name: str) -> bytes | None:
        found = self._connection.execute(f"select document from {table} where hash = ?", (name,)).fetchone()  # noqa: S608
        return found[0] if found else None
