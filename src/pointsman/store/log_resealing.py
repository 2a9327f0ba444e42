"""What older keys sealed, sealed with the one that seals now: then the older ones may go."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec

from pointsman.store.content_files import found
from pointsman.store.feedback_rows import about_feedback
from pointsman.store.log_home import Contents, home_of
from pointsman.store.log_keys import forget_older
from pointsman.store.log_open import opened_to_read
from pointsman.store.log_schema import all_or_nothing
from pointsman.store.log_sql import Connection
from pointsman.store.retention import wipe_rest
from pointsman.store.seal import Seal

_KEYS = {"batches": "id", "notes": "name"}


class Resealed(msgspec.Struct):
    """How many rows of the log were sealed anew, how many no key opens, and how many older keys are gone. Mutable."""

    rows: int = 0
    closed: int = 0
    keys: int = 0


def reseal(folder: Path) -> Resealed:
    """Beside a running gateway; where it breaks off, it goes on from there the next time. While anything is left that no key
    opens, older keys stay. Raises FileNotFoundError where there is no log or no key, OSError, apsw.Error."""
    opened_to_read(folder).close()
    ring = Seal.in_folder(folder)
    home = home_of(folder)
    with home.alone():
        connection = home.open()
    files = home.contents()
    done = Resealed()
    try:
        for table, key in _KEYS.items():
            _reseal_rows(connection, folder, files, ring, (table, key), done)
        _reseal_feedback(connection, ring, done)
        wipe_rest(connection, files)
        if not done.closed:
            done.keys = forget_older(folder, math.inf)
    finally:
        connection.close()
        files.close()
        home.release()
    return done


def _reseal_rows(
    connection: Connection, folder: Path, files: Contents, ring: Seal, where: tuple[str, str], done: Resealed
) -> None:
    table, key = where
    alone = ring.alone()
    seen: set[Any] = set()
    query = f"select {key} from {table} where prompts = 'sealed' and contents is not null order by {key}"  # noqa: S608
    one = f"select heads, contents from {table} where {key} = ?"  # noqa: S608
    while fresh := [name for (name,) in connection.execute(query).fetchall() if name not in seen]:
        seen.update(fresh)  # what a gateway writes meanwhile comes next
        for name in fresh:
            with all_or_nothing(connection):
                row: Any = connection.execute(one, (name,)).fetchone()
                contents = found(folder, row[1]) if row else None
                if contents is None or alone.open(contents, row[0]) is not None:
                    continue
                plain = ring.open(contents, row[0])
                if plain is None:
                    done.closed += 1
                    continue
                kept = files.put([alone.close(plain, row[0])], sealed=True)
                connection.execute(f"update {table} set contents = ? where {key} = ?", (kept, name))  # noqa: S608
                if isinstance(row[1], str):
                    connection.execute("insert into wiped (place) values (?) on conflict (place) do nothing", (row[1],))
            files.done()
            done.rows += 1


def _reseal_feedback(connection: Connection, ring: Seal, done: Resealed) -> None:
    alone = ring.alone()
    with all_or_nothing(connection):
        rows = connection.execute(
            "select request_id, comment from feedback where prompts = 'sealed' and comment is not null"
        ).fetchall()
        for name, comment in rows:
            about = about_feedback(name)
            if alone.open(comment, about) is not None:
                continue
            plain = ring.open(comment, about)
            if plain is None:
                done.closed += 1
                continue
            sealed = alone.close(plain, about)
            connection.execute("update feedback set comment = ? where request_id = ?", (sealed, name))
            done.rows += 1
