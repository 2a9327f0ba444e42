"""Group commit: all changes that wait are one transaction, made durable once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from pointsman.ports.job_store import Fenced, StoreError
from pointsman.store.jobs.sqlite_desk import Asked
from pointsman.store.jobs.sqlite_file import patient, unable
from pointsman.store.jobs.sqlite_place import Place
from pointsman.store.jobs.sqlite_writes import Writes
from pointsman.store.log_schema import all_or_nothing

_OF_ALL = (
    StoreError,
    apsw.FullError,
    apsw.IOError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
)
"""Where one cannot be done because of these, the others cannot either."""


class Group:
    """What is done together fails together where the disk is full or out of order, another process keeps the file, or it
    is not in its place any more; nothing of it is in the file then. A mistake in one alone is that one's."""

    def __init__(self, path: Path, connection: apsw.Connection, clock: Callable[[], float], place: Place) -> None:
        self._path = path
        self._place = place
        self._connection = connection
        self.writes = Writes(connection, clock)
        self._unclean = False

    def do(self, batch: Sequence[Asked]) -> None:
        """Sets result or error of each."""
        try:
            self._place.check()
            self._together(batch)
        except Exception as error:
            self.writes.forget()
            if len(batch) == 1 or isinstance(error, _OF_ALL):
                for asked in batch:
                    asked.error = self._told(error)
                return
            for asked in batch:
                self.do([asked])
        if self._unclean:
            self._unclean = not self._emptied()

    def close(self) -> None:
        self._connection.close()

    def _together(self, batch: Sequence[Asked]) -> None:
        """Those that search for work come last, so that they search once."""
        writes = self.writes
        claims = [asked for asked in batch if asked.what == writes.claim]
        purges = [asked for asked in batch if asked.what == writes.purge]
        if self._connection.in_transaction:  # the disk was in no state to undo the last one
            self._connection.execute("rollback")
        with all_or_nothing(self._connection):
            writes.begin()
            for asked in batch:
                asked.error = None
                if asked.what != writes.claim and asked.what != writes.purge:
                    try:
                        asked.result = asked.what(*asked.args)
                    except Fenced as error:
                        asked.error = error
            writes.flush()
            if claims:
                writes.expect(sum(asked.args[2] for asked in claims))
            for asked in claims + purges:
                asked.result = asked.what(*asked.args)
            writes.flush()
        self._unclean = self._unclean or any(asked.result for asked in purges)

    def _told(self, error: Exception) -> Exception:
        if isinstance(error, StoreError):
            return StoreError(*error.args)
        return unable(self._path, error) if isinstance(error, apsw.Error) else error

    def _emptied(self) -> bool:
        """What was removed is overwritten in the file; the write-ahead log still has it, until it is emptied."""
        self._connection.set_busy_handler(None)
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error:  # somebody is reading, or the disk is full: after the next changes
            return False
        finally:
            patient(self._connection)
        return True
