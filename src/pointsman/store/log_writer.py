"""Finished requests → SQLite, off the hot path: encoded where they end, written by one thread, a batch a row."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

import apsw
from msgspec.structs import replace

from pointsman.domain.feedback import Feedback, Served, Signs
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record
from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.ports.journal import Noted
from pointsman.store.content_files import Kept
from pointsman.store.feedback_rows import write_feedback
from pointsman.store.log_batch import Batch, Earlier, Fresh
from pointsman.store.log_documents import Documents
from pointsman.store.log_file import alone_in
from pointsman.store.log_home import home_of
from pointsman.store.log_keys import KEY, forget_older
from pointsman.store.log_row import Prompts
from pointsman.store.log_schema import all_or_nothing, explained
from pointsman.store.log_unfiled import ENOUGH, MANY, Known, add_batch, waiting_in
from pointsman.store.retention import Retention
from pointsman.store.seal import Seal
from pointsman.store.signal_rows import write_served, write_signs
from pointsman.store.under_way import NotesLeft, take_over

log = logging.getLogger("pointsman")

_FULL = 1 << 20  # bytes of a batch that waits for no more
_LATE = 8 << 20  # bytes that wait, beyond which only what is to be written is kept of more
_MOST = 512  # records, which a list reads for one of them
_KEEPS_UP = 4  # batches that were written for a chapter that is filed, so that no more come than are filed
_DAY = 86_400.0
_PAUSE = 0.1  # seconds between two slices of what is removed, at least


class LogWriter:
    """`put` encodes records into the open batch, some at once, on the caller's thread; any thread may call it. Every
    `linger` seconds in which something came, or when it is full, the thread takes the batch, seals it and writes it as
    one row. What a crash loses is what came in the last `linger` seconds, and what the thread was about to write.

    A record that cannot be kept (the disk is full, more than `backlog` bytes wait to be written, the log is closed, the
    record itself is at fault) is counted in `dropped`, alone; requests go on. While another process locks the file,
    records wait. `problem` says what keeps all records from being written. Where log or key were removed, new ones are
    begun. What is older than `keep` seconds is removed, sums by hour and day after `keep_rollups`. `close` writes
    what is there.

    `note` keeps a request that is under way until its record is put. What a process left that died has become records by
    the time that the next one begins.

    Several processes may write into one folder. Raises OSError, ValueError (a key that is none), apsw.Error (a file that
    is no log)."""

    def __init__(
        self,
        folder: Path,
        prompts: Prompts,
        keep: float,
        *,
        keep_rollups: float | None = None,
        backlog: int = 64 << 20,
        linger: float = 0.2,
    ) -> None:
        self._folder = folder
        self._key = str(folder / KEY)
        self._prompts: Prompts = prompts
        self._keep = keep
        self._retention = Retention(keep, keep_rollups)
        self._linger = linger
        self._backlog = backlog
        self._lock = threading.Lock()  # of all that both sides change, from here to `dropped`
        self._news = threading.Condition(self._lock)
        self._open = Batch(prompts)
        self._full: list[Batch] = []
        self._faults: list[tuple[str, str]] = []  # not yet told
        self._waiting = 0  # bytes of batches that are closed and not yet written
        self._closed = False
        self.dropped = 0
        self.written = 0
        self.problem: str | None = None
        self._documents = Documents()
        self._under_way: dict[str, Earlier] = {}  # what was noted and not put since
        self._notes_left = NotesLeft()
        self._numbers = itertools.count(1)  # of notes
        self._purge_at = 0.0
        self._to_file = self._batches_to_file = 0  # requests, and batches, that wait to be filed
        self._outlines: Known = {}  # of those that this process wrote
        self._home = home_of(folder)
        self._contents = self._home.contents()
        try:
            self._begin()
        except BaseException:
            self._home.release()
            raise
        self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
        self._thread.start()

    def put(self, record: Record, policy: PolicyDocument, snapshot: Snapshot) -> None:
        with self._lock:
            earlier = self._ended(record.request.id) if self._under_way else None
            if self._closed or self._waiting > self._backlog:
                self.dropped += 1
                return
            batch = self._open
            first = batch.empty
            if batch.later(record, policy, snapshot, earlier):
                self._settle()
            self._grown(batch.size, first)
        if self._faults:
            self._tell_faults()

    def note(self, several: Sequence[Noted]) -> None:
        """As ports.journal.Journal has it."""
        with self._lock:
            if self._closed or self._waiting > self._backlog:
                return
            batch, under_way = self._open, self._under_way
            empty = batch.empty
            name = f"{self._home.name}.{next(self._numbers)}" if batch.notes is None else ""
            fresh: list[Fresh] = [(*one, under_way.get(one[0].request.id)) for one in several]
            name, places = batch.note(fresh, name)
            for (record, _, _, known), place in zip(fresh, places, strict=True):
                if place is None:  # `put` will say so
                    continue
                request = record.request
                if known is not None:
                    batch.ended.append((known.last_notes, known.last_place))
                    known.last_notes, known.last_place = name, place
                if known is None or known.notes is None:
                    under_way[request.id] = Earlier(name, place, request, record.decision, name, place)
            self._grown(batch.size, empty)

    def put_feedback(self, feedback: Feedback, asked: float, served: Served | None = None) -> Feedback | None:
        """Queues it behind the records; `asked` is when its request came, `served` what replied to it. Gives what is kept of
        it, without the comment where no prompts are kept; None where it cannot be kept, which is counted in `dropped`. It
        replaces an earlier one of the same request."""
        if self._prompts == "off" and feedback.comment is not None:
            feedback = replace(feedback, comment=None)
        with self._lock:
            if self._closed or self._waiting > self._backlog:
                self.dropped += 1
                return None
            first = self._open.empty
            try:
                size = self._open.say(feedback, asked, served)
            except Exception:  # half a surrogate pair: the HTTP door lets none in
                self.dropped += 1
                return None
            self._grown(size, first)
        return feedback

    def put_signs(self, several: Sequence[Signs]) -> None:
        """Queues them to be added to what the log has of these days. None is kept where the log takes nothing."""
        with self._lock:
            if several and not self._closed and self._waiting <= self._backlog:
                first = self._open.empty
                self._grown(self._open.do(several), first)

    @property
    def waiting(self) -> int:
        """Bytes that are not written yet, without those of the open batch."""
        return self._waiting

    def close(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._news.notify()
        self._thread.join(timeout=10)
        if not self._thread.is_alive():
            self._connection.close()
            self._contents.close()
            self._home.release()

    def _ended(self, request_id: str) -> Earlier | None:
        """What was noted of that request ends with the open batch, whether its record is kept or not. Returns where its
        content is."""
        known = self._under_way.get(request_id)
        if known is None or self._closed:
            return None
        del self._under_way[request_id]
        batch = self._open
        empty = batch.empty
        batch.ended.append((known.last_notes, known.last_place))
        self._grown(batch.size, empty)
        return known

    def _grown(self, size: int, first: bool) -> None:
        """The open batch has that size now; `first`: the thread may be waiting for something to do."""
        if size >= _FULL or self._open.count >= _MOST:
            self._full.append(self._shut())
            self._news.notify()
        elif first:
            self._news.notify()

    def _settle(self) -> None:
        faults = self._open.settle()
        self.dropped += len(faults)
        self._faults += faults

    def _tell_faults(self) -> None:
        faults, self._faults = self._faults, []
        for name, fault in faults:
            log.warning(Said("request %r cannot be kept in the log: %s", "请求 %r 无法写入日志：%s"), name, fault)

    def _shut(self) -> Batch:
        """The open batch, which is so no more."""
        self._settle()
        batch, self._open = self._open, Batch(self._prompts)
        self._waiting += batch.size
        if self._waiting > _LATE:
            batch.let_go()
        return batch

    def _begin(self) -> None:
        with alone_in(self._folder):
            self._seal = Seal.in_folder(self._folder) if self._prompts == "sealed" else None
        with self._home.alone():
            self._connection = self._home.open()
            try:
                take_over(self._connection, self._folder, self._home.name, sole=self._home.sole)
                self._home.bury()
                self._to_file, self._batches_to_file = waiting_in(self._connection)
            except BaseException:
                self._connection.close()
                raise
        self._outlines.clear()
        self._documents.forget()
        self._notes_left.forget()
        self._files = self._identity()

    def _identity(self) -> list[tuple[int, int] | None]:
        """Which files log and key are, to see whether somebody took them away."""
        found = [self._home.identity()]
        if self._seal:
            try:
                status = os.stat(self._key)  # noqa: PTH116  # as in log_home.py
            except OSError:
                found.append(None)
            else:
                found.append((status.st_dev, status.st_ino))
        return found

    def _run(self) -> None:
        behind: deque[Batch] = deque()
        last = False
        while not last:
            taken, last = self._take(idle=not behind and not self._may_file)
            behind += taken
            self._tell_faults()
            while behind and self._store(behind[0]):
                self._done(behind.popleft())
            for _ in range(1 + len(taken) // _KEEPS_UP):
                if self._may_file:
                    self._file()
            if time.monotonic() >= self._purge_at:
                self._purge()
        for batch in behind:
            self._drop(batch)

    def _take(self, idle: bool) -> tuple[list[Batch], bool]:
        """Waits for a record if `idle`, then `linger` seconds for more. Nothing where it is time to remove what is old.
        True: it was the last."""
        with self._news:
            if idle:
                pause = max(self._purge_at - time.monotonic(), _PAUSE)
                self._news.wait_for(lambda: not self._open.empty or self._full or self._closed, pause)
            if not self._open.empty or not idle:
                self._news.wait_for(lambda: self._full or self._closed, self._linger)
            taken, self._full = self._full, []
            if not self._open.empty:
                taken.append(self._shut())
            return taken, self._closed

    def _done(self, batch: Batch) -> None:
        with self._lock:
            self._waiting -= batch.size

    def _store(self, batch: Batch) -> bool:
        """Writes it, or drops it where it cannot be written. False: another process has the file, it is to be tried
        again."""
        try:
            self._begin_anew_if_lost()
            self._write(batch)
        except (apsw.BusyError, apsw.LockedError) as error:
            self._fail(error)
            return False
        except Exception as error:
            self._fail(error)
            self._drop(batch)
        else:
            self.problem = None
        return True

    def _write(self, batch: Batch) -> None:
        try:
            row = self._kept(batch) if batch.count else None
            notes = self._kept(batch.notes) if batch.notes else None
            if self.problem is not None and row is not None and self._is_there(batch):
                return
            number = None
            with all_or_nothing(self._connection):
                news = self._documents.write(self._connection, batch)
                if batch.notes:
                    news += self._documents.write(self._connection, batch.notes)
                if row is not None:
                    number = add_batch(self._connection, batch.about, self._prompts, row)
                for feedback, asked, served in batch.feedback:
                    write_feedback(self._connection, feedback, asked, self._prompts, self._seal)
                    if served is not None:
                        write_served(self._connection, feedback.request_id, asked, served)
                if batch.signs:
                    write_signs(self._connection, batch.signs)
                changed = self._notes_left.write(self._connection, self._home.name, batch, notes, self._prompts)
        except BaseException:
            self._contents.undo()
            raise
        self._notes_left.written(changed)
        self._documents.written(news)
        self.written += batch.count
        if number is not None and (outline := batch.outline()) is not None:
            self._outlines[number] = batch.about, outline
        self._to_file += batch.count
        self._batches_to_file += 1
        self._contents.done()

    def _is_there(self, batch: Batch) -> bool:
        """Whether it was written when the connection was lost before that could be said."""
        query = "select 1 from batches where last = ? and first_id = ? and last_id = ? and count = ?"
        return bool(self._connection.execute(query, batch.about).fetchall())

    def _kept(self, batch: Batch) -> tuple[bytes, Kept]:
        """(heads, contents) for the database."""
        heads, contents = batch.packed(self._seal)
        return heads, self._contents.put(contents, sealed=self._seal is not None)

    def _begin_anew_if_lost(self) -> None:
        if self._identity() == self._files or self._took_new_key():
            return
        log.warning(
            Said(
                "log or key in %s were removed or replaced; the request log is begun anew",
                "%s 里的日志或密钥被删除或替换了；请求日志重新开始",
            ),
            self._folder,
        )
        with contextlib.suppress(apsw.Error):
            self._connection.close()
        with self._lock:
            for known in self._under_way.values():
                known.notes = None
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._begin()

    @property
    def _may_file(self) -> bool:
        return self._to_file >= ENOUGH or self._batches_to_file >= MANY

    def _file(self) -> None:
        """A chapter at a time, so that what comes meanwhile is written."""
        from pointsman.store.log_filing import file_batches  # no log needs it before there is something in it

        try:
            more = file_batches(self._connection, self._outlines)
        except Exception as error:
            log.warning(Said("the log cannot be indexed: %s", "无法给日志建索引：%s"), explained(error))
            more = False
        if not more:
            self._to_file = self._batches_to_file = 0
            self._outlines.clear()

    def _took_new_key(self) -> bool:
        """Whether all that happened is that another key seals from now on."""
        files = self._identity()
        if self._seal is None or files[0] != self._files[0] or files[1] is None:
            return False
        seal = Seal.in_folder(self._folder)
        if not seal.follows(self._seal):
            return False
        self._seal, self._files = seal, files
        log.info(Said("the request log is sealed with a new key from now on", "请求日志改用新密钥加密"))
        return True

    def _purge(self) -> None:
        try:
            now = time.time()
            wait = self._retention.purge(self._connection, self._contents, now)
            forget_older(self._folder, now - self._keep - _DAY)
        except Exception as error:
            log.warning(
                Said("old requests cannot be removed from the log: %s", "旧请求无法从日志中删除：%s"), explained(error)
            )
            wait = 60.0
        self._documents.forget()
        self._purge_at = time.monotonic() + wait

    def _fail(self, error: Exception) -> None:
        """A full disk, a lost folder: the gateway serves on."""
        if self.problem is None:
            log.error(Said("the request log cannot be written: %s", "请求日志无法写入：%s"), explained(error))
        self.problem = explained(error)

    def _drop(self, batch: Batch) -> None:
        with self._lock:
            self.dropped += batch.count + len(batch.feedback)
            if batch.notes is not None:
                for known in self._under_way.values():
                    if known.notes == batch.notes.name:
                        known.notes = None
        self._notes_left.dropped(batch.ended)
