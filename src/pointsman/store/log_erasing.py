"""Requests that somebody wants to be forgotten: off the disk, with all that was said of them.

A batch is written anew without them, in one transaction; the bytes of the old one are overwritten. Sums keep their counts,
which name nobody but callers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import apsw
import msgspec

from pointsman.store.content_files import Kept, found
from pointsman.store.figures import OTHER, Figures, Key, add_to
from pointsman.store.log_filing import file_batches, unfile
from pointsman.store.log_home import home_of
from pointsman.store.log_open import opened_to_read
from pointsman.store.log_row import Prompts
from pointsman.store.log_scan import Logged
from pointsman.store.log_schema import all_or_nothing
from pointsman.store.log_unfiled import add_batch
from pointsman.store.retention import wipe_rest
from pointsman.store.rollups import packed, unpacked
from pointsman.store.seal import Seal
from pointsman.store.stored_batch import StoredBatch
from pointsman.store.under_way import open_notes

_BATCH = "select last, prompts, heads, contents from batches where id = ?"
_OF_FEEDBACK = ("feedback", "feedback_on")
_WITH_WORDS = ("batches", "notes", "feedback", "rollups")
_DAY = 86_400


class Whose(msgspec.Struct, frozen=True):
    """Which requests are meant: those for which all hold that are set. `user` is whom a client named, `caller` whose key it
    was, `before` seconds since the epoch."""

    request: str | None = None
    user: str | None = None
    caller: str | None = None
    before: float | None = None


class Erased(msgspec.Struct):
    """How many requests went, or would go; how many that are meant are under way, and stay; of how many it cannot be seen
    whose they are, since the key is not here, or they stay for that; how many words of callers went. `lingering`: somebody
    reads the log, so that old bytes of it stay until the gateway clears them within the hour. Mutable."""

    requests: int = 0
    under_way: int = 0
    closed: int = 0
    feedback: int = 0
    lingering: bool = False


class Eraser:
    """Beside a running gateway. Raises FileNotFoundError where there is no log, OSError, apsw.Error."""

    def __init__(self, folder: Path) -> None:
        opened_to_read(folder).close()
        self._folder = folder
        self._seal = Seal.found_in(folder)
        self._home = home_of(folder)
        with self._home.alone():
            self._connection = self._home.open()
        self._files = self._home.contents()

    def close(self) -> None:
        self._connection.close()
        self._files.close()
        self._home.release()

    def look(self, whose: Whose) -> Erased:
        """What `erase` would do."""
        erased = Erased()
        for _, ids in self._chosen(whose, erased):
            erased.requests += len(ids)
        erased.under_way = sum(1 for _ in self._under_way(whose))
        return erased

    def erase(self, whose: Whose) -> Erased:
        """Also what was noted of them, and feedback on them; of a caller, whatever names it."""
        erased = Erased()
        while file_batches(self._connection, all_of_them=True):
            pass
        gone: set[str] = set()
        for number, ids in list(self._chosen(whose, erased)):
            with all_or_nothing(self._connection):
                done = self._without(number, ids)
                if done is None:
                    erased.closed += len(ids)
                    continue
                erased.feedback += self._unsay(ids)
            self._files.done()
            erased.requests += done
            gone.update(ids)
        self._blank_notes(gone)
        if whose.caller is not None and whose == Whose(caller=whose.caller):
            self._forget_caller(whose.caller)
        while file_batches(self._connection, all_of_them=True):
            pass
        wipe_rest(self._connection, self._files)
        erased.lingering = not self._renewed()
        erased.under_way = sum(1 for _ in self._under_way(whose))
        return erased

    def _renewed(self) -> bool:
        """Whether nothing of what was deleted is left in the files of the database, but for the archives of its owner."""
        if not isinstance(self._connection, apsw.Connection):
            for table in _WITH_WORDS:
                self._connection.execute(f"vacuum full {table}")
            return True
        try:
            self._connection.execute("vacuum").fetchall()
            [(held, *_)] = self._connection.execute("pragma wal_checkpoint(truncate)").fetchall()
        except apsw.BusyError:
            return False
        return not held

    def _chosen(self, whose: Whose, erased: Erased) -> Iterator[tuple[int, set[str]]]:
        """(number of a batch, ids of its requests that are meant)."""
        numbers = [number for (number,) in self._connection.execute("select id from batches order by id").fetchall()]
        texts = [text.encode() for text in (whose.request, whose.caller) if text]
        for number in numbers:
            row: Any = self._connection.execute(_BATCH, (number,)).fetchone()
            if row is None:
                continue
            batch = StoredBatch(number, row[1], row[2], self._notes)
            if not batch.may_hold(texts):
                continue
            batch.open_later(lambda kept=row[3]: found(self._folder, kept), self._seal)  # type: ignore[misc]
            ids = {head.id for place, head in enumerate(batch.heads) if self._is_meant(whose, batch, place, erased)}
            if ids:
                yield number, ids

    def _is_meant(self, whose: Whose, batch: StoredBatch, place: int, erased: Erased) -> bool:
        head = batch.heads[place]
        if (
            (whose.request is not None and head.id != whose.request)
            or (whose.caller is not None and head.caller != whose.caller)
            or (whose.before is not None and head.received >= whose.before)
        ):
            return False
        if whose.user is None:
            return True
        if batch.prompts == "off":
            return False
        sketch = Logged(head, batch, place).sketch()
        if sketch is None:
            erased.closed += 1
            return False
        return sketch.user == whose.user

    def _without(self, number: int, ids: Collection[str]) -> int | None:
        """How many there were in that batch; None where it cannot be opened. Inside a transaction."""
        row: Any = self._connection.execute(_BATCH, (number,)).fetchone()
        if row is None:  # retention took it
            return 0
        last, prompts, heads, contents = row
        batch = StoredBatch(number, prompts, heads, self._notes)
        others = [place for place, head in enumerate(batch.heads) if head.id not in ids]
        batch.open(found(self._folder, contents), self._seal)
        cut = batch.cut(others, self._seal) if others else None
        if others and cut is None:
            return None
        waits: Any = self._connection.execute("select counted from unfiled where batch = ?", (number,)).fetchone()
        unfile(self._connection, number, last)
        if cut is not None:
            left = [batch.heads[place] for place in others]
            names = [head.id for head in left]
            about = max(head.received for head in left), min(names), max(names), len(left)
            counted = waits is None or bool(waits[0])
            add_batch(self._connection, about, prompts, (cut[0], self._put(cut[1], prompts)), counted=counted)
        self._connection.execute("delete from unfiled where batch = ?", (number,))
        self._connection.execute("delete from batches where id = ?", (number,))
        self._leave(contents)
        gone = [head for head in batch.heads if head.id in ids]
        self._connection.executemany(
            "insert into erased (day, count) values (?, 1) on conflict (day) do update set count = erased.count + 1",
            [(int(head.received // _DAY),) for head in gone],
        )
        return len(gone)

    def _blank_notes(self, ids: set[str]) -> None:
        names = [name for (name,) in self._connection.execute("select name from notes").fetchall()] if ids else []
        for name in names:
            with all_or_nothing(self._connection):
                row: Any = self._connection.execute(
                    "select prompts, heads, contents from notes where name = ?", (name,)
                ).fetchone()
                if row is None:
                    continue
                notes = StoredBatch(name, row[0], row[1])
                places = [place for request_id, place in notes.places.items() if request_id in ids]
                if not places:
                    continue
                notes.open(found(self._folder, row[2]), self._seal)
                blanked = notes.blanked(places, self._seal)
                if blanked is None:
                    continue
                self._connection.execute(
                    "update notes set heads = ?, contents = ? where name = ?",
                    (blanked[0], self._put(blanked[1], row[0]), name),
                )
                self._leave(row[2])
            self._files.done()

    def _unsay(self, ids: Collection[str]) -> int:
        """Feedback on them goes. How much there was."""
        removed = 0
        for table in _OF_FEEDBACK:
            for one in ids:
                self._connection.execute(f"delete from {table} where request_id = ?", (one,))  # noqa: S608
                removed += self._connection.changes() if table == "feedback" else 0
        return removed

    def _forget_caller(self, caller: str) -> None:
        """Its words on requests that the log has no more, what it did, and its name in the sums."""
        with all_or_nothing(self._connection):
            for table in ("feedback", "signs"):
                self._connection.execute(f"delete from {table} where caller = ?", (caller,))  # noqa: S608
            rows = self._connection.execute(
                "select step, start, dims, figures from rollups where dims in ('caller', '*')"
            ).fetchall()
            for step, start, dims, data in rows:
                sums = dict(unpacked(data))
                if not any(key[-1] == caller for key in sums):  # the last dimension of both kinds
                    continue
                self._connection.execute(
                    "update rollups set figures = ? where step = ? and start = ? and dims = ?",
                    (packed(_nameless(sums, caller)), step, start, dims),
                )

    def _under_way(self, whose: Whose) -> Iterator[str]:
        """Requests of which it is known that they are meant, and that have not ended."""
        query = 'select name, "left", prompts, heads from notes_left join notes using (name)'
        for name, left, prompts, heads in self._connection.execute(query).fetchall():
            notes = StoredBatch(name, prompts, heads)
            for place, head in enumerate(notes.heads):
                known = whose.user is None and left[place]
                if known and self._is_meant(whose, notes, place, Erased()):
                    yield head.id

    def _notes(self, name: str) -> StoredBatch | None:
        return open_notes(self._connection, self._folder, name, self._seal)

    def _put(self, contents: bytes | None, prompts: Prompts) -> Kept:
        return self._files.put(None if contents is None else [contents], sealed=prompts == "sealed")

    def _leave(self, kept: Kept) -> None:
        """Nothing refers to it any more."""
        if isinstance(kept, str):
            self._connection.execute("insert into wiped (place) values (?) on conflict (place) do nothing", (kept,))


def _nameless(sums: dict[Key, Figures], caller: str) -> dict[Key, Figures]:
    found: dict[Key, Figures] = {}
    for key, figures in sums.items():
        add_to(found, (*key[:-1], OTHER) if key[-1] == caller else key, figures)
    return found
