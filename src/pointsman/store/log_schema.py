"""The tables of the request log, and opening them."""

from __future__ import annotations

from pathlib import Path

import apsw

VERSION = 1

_TABLES = """
create table if not exists requests (
  id text primary key, received real not null, endpoint text not null, model text not null, caller text not null,
  stage text, rule text, action text, outcome text not null, status integer not null, error text, target text,
  language text, task_type text, input_tokens integer, output_tokens integer, cached_tokens integer,
  output_estimated integer not null, decided_ms real, ttft_ms real, total_ms real,
  policy text, snapshot text, seed integer, exact_tokens integer,
  features blob, attempts blob, prompts text not null, content blob
) without rowid;
create index if not exists requests_by_time on requests (received);
create table if not exists policies (hash text primary key, first_seen real not null, document blob not null) without rowid;
create table if not exists snapshots (hash text primary key, first_seen real not null, document blob not null) without rowid;
"""


def open_log(path: Path) -> apsw.Connection:
    """For writing. Raises apsw.Error where the file is no database or from a newer version of the gateway."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(5000)
    connection.execute("pragma journal_mode=wal; pragma synchronous=normal")
    found = connection.execute("pragma user_version").fetchone()
    if found and found[0] > VERSION:
        raise apsw.SQLError(f"{path} was written by a newer version (schema {found[0]}, this one knows {VERSION})")
    connection.execute(_TABLES)
    connection.execute(f"pragma user_version={VERSION}")
    return connection


def read_log(path: Path) -> apsw.Connection:
    """For reading only, beside a running gateway."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(5000)
    return connection
