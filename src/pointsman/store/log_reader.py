"""Reading the request log: lists by filter, one request whole, and what is needed to decide it again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.decision import Decision
from pointsman.domain.feedback import Asker, Feedback, Served, Signs, Word
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request
from pointsman.domain.said import said
from pointsman.domain.target import Snapshot
from pointsman.store.content_files import found
from pointsman.store.feedback_rows import read_feedback
from pointsman.store.log_file import read_log
from pointsman.store.log_row import Content, Head
from pointsman.store.log_scan import Logged
from pointsman.store.log_schema import NAME
from pointsman.store.seal import Seal
from pointsman.store.signal_rows import read_signs, read_words
from pointsman.store.stored_batch import StoredBatch
from pointsman.store.under_way import Noted, read_noted

LogError = apsw.Error

FILTERS = (
    "id", "stage", "rule", "target", "outcome", "caller", "model", "endpoint", "language", "task_type", "error", "risk",
    "mark", "shadow",
)  # fmt: skip
_NOTES = 16  # rows of notes that stay open, since what ends together was often noted together
_WITH_ID = "first_id <= :id and last_id >= :id"


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
        path = folder / NAME
        if not path.exists():
            raise FileNotFoundError(
                said(
                    "there is no log in {folder} yet; it begins with the first request",
                    "{folder} 里还没有日志；有了第一个请求才会开始记录",
                    folder=folder,
                )
            )
        self._connection = read_log(path)
        self._folder = folder
        self._last: StoredBatch | None = None  # whose contents were asked for: the next request is often of the same
        self._notes = lru_cache(maxsize=_NOTES)(self._read_notes)

    def rows(self, filters: dict[str, str], since: float | None, limit: int) -> Iterator[dict[str, Any]]:
        """Newest first, those among them that have been under way for some time. `filters` are name → value, names of
        FILTERS; `since` is seconds since the epoch."""
        wanted = {name: whole_characters(value) for name, value in filters.items() if name in FILTERS}
        return islice(self._newest_first(wanted, since), min(limit, sys.maxsize))

    def scan(self, since: float | None = None) -> Iterator[Logged]:
        """All requests that came from then on and have ended, once, as they were recorded: roughly oldest first, since a
        request is recorded when it ends. Holds one batch at a time."""
        query = (
            "select id, prompts, heads, contents from batches indexed by batches_by_time "
            "where last >= ? order by last, id"
        )
        seal = Seal.found_in(self._folder)
        start = float("-inf") if since is None else since
        for number, prompts, heads, contents in self._connection.execute(query, (start,)):
            batch = StoredBatch(number, prompts, heads, self._notes)
            batch.open_later(partial(found, self._folder, contents), seal)
            for place, head in enumerate(batch.heads):
                if head.received >= start:
                    yield Logged(head, batch, place)

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

    def close(self) -> None:
        self._connection.close()

    def _newest_first(self, wanted: dict[str, str], since: float | None) -> Iterator[dict[str, Any]]:
        texts = [value.encode() for value in wanted.values()]
        where, values, index = ["1"], dict[str, Any](), "batches_by_time"
        if since is not None:
            where.append("last >= :since")
            values["since"] = since
        if "id" in wanted:
            where.append(_WITH_ID)
            values["id"] = wanted["id"]
            index = "batches_by_id"
        query = (
            f"select id, last, prompts, heads from batches indexed by {index} "  # noqa: S608
            f"where {' and '.join(where)} order by last desc, id desc"
        )
        found: list[tuple[Head, StoredBatch]] = []  # the newest at the end
        self._connection.execute("begin")  # what ends meanwhile is not seen twice, nor missed
        try:
            for noted in self._noted(wanted.get("id")):
                found += [(head, noted) for head in noted.matching(wanted) if since is None or head.received >= since]
            found.sort(key=_received)
            batches = self._connection.execute(query, values)
        finally:
            if self._connection.in_transaction:
                self._connection.execute("commit")
        for number, last, prompts, heads in batches:
            while found and found[-1][0].received >= last:  # this batch and those after it have nothing newer
                head, batch = found.pop()
                yield batch.row(head)
            batch = StoredBatch(number, prompts, heads)
            if batch.may_hold(texts):
                found += [(head, batch) for head in batch.matching(wanted) if since is None or head.received >= since]
                found.sort(key=_received)
        while found:
            head, batch = found.pop()
            yield batch.row(head)

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
        """Those with that name, open; None where they are no more, or were never kept."""
        query = "select prompts, heads, contents from notes where name = ?"
        row = self._connection.execute(query, (name,)).fetchone()
        if row is None:
            return None
        prompts, heads, contents = row
        notes = StoredBatch(name, prompts, heads)
        notes.open(found(self._folder, contents), Seal.found_in(self._folder))
        return notes

    def _spanning(self, request_id: str) -> Iterator[tuple[int, StoredBatch]]:
        """(number, batch) with that request, its contents closed."""
        query = f"select id, prompts, heads from batches where {_WITH_ID} order by last_id"  # noqa: S608
        values = {"id": whole_characters(request_id)}
        for number, prompts, heads in self._connection.execute(query, values):
            batch = StoredBatch(number, prompts, heads, self._notes)
            if batch.may_hold([values["id"].encode()]) and request_id in batch.places:
                yield number, batch

    def _document(self, table: str, name: str) -> bytes | None:
        found = self._connection.execute(f"select document from {table} where hash = ?", (name,)).fetchone()  # noqa: S608
        return found[0] if found else None


def _received(found: tuple[Head, StoredBatch]) -> float:
    return found[0].received
