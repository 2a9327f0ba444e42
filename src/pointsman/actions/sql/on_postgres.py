"""PostgreSQL: its schema and EXPLAIN (FORMAT JSON) without ANALYZE, in a transaction that is read-only and rolled back."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec
import pg8000.native  # type: ignore[import-untyped]

from pointsman.actions.sql.explained import Refusal, Statement
from pointsman.actions.sql.schema import Column, Existing, Schema, Table, kind_of
from pointsman.domain.said import Said, said

CONNECT_WAIT = 8.0
GENERIC = 160000
"""The first version that plans a statement whose values are not known."""


class OnPostgres:
    """Four locks, each enough by itself: the session's default is read-only; the transaction is, and is rolled back; the
    statement goes out in the extended protocol, which takes one statement alone; and EXPLAIN without ANALYZE runs nothing.
    What the planner itself computes are functions that are declared IMMUTABLE or STABLE: of those in the server's own
    catalog none has an effect, and a statement that calls another one is refused."""

    dialect = "postgres"

    def __init__(self, connection: pg8000.native.Connection, version: int) -> None:
        self._connection = connection
        self._version = version

    def schema(self, names: set[str]) -> Schema:
        """Those tables that the user can see, those of the search path first."""
        found: Schema = {}
        for oid, name, rows in self._connection.run(_TABLES, names=sorted(names)):
            if name.lower() in found:
                continue
            columns = tuple(
                Column(column, kind_of(declared), filled)
                for column, declared, filled in self._connection.run(_COLUMNS, oid=oid)
            )
            indexes = tuple(
                Existing(index, tuple(part or "" for part in parts), unique, partial)
                for index, unique, partial, parts in self._connection.run(_INDEXES, oid=oid)
            )
            found[name.lower()] = Table(name, columns, indexes, int(rows) if rows >= 0 else None)
        return found

    def explain(self, statement: Statement) -> Any:
        """The plan's JSON. Raises Refusal and pg8000.Error."""
        self._check_functions(statement)
        options = "FORMAT JSON"
        if statement.slots:
            if self._version < GENERIC:
                en = "it has places for values, and this PostgreSQL (before 16) plans only with the values"
                raise Refusal(Said(en, "语句中有参数占位符，而 PostgreSQL 16 之前的版本必须有值才能给出计划"))
            options += ", GENERIC_PLAN"
        text = f"EXPLAIN ({options}) {statement.sql}"
        name, columns, readers = self._connection.prepare_statement(text, ())
        context = self._connection.execute_named(name, (), columns, readers, text)
        answer = context.rows[0][0]
        return msgspec.json.decode(answer) if isinstance(answer, str) else answer

    def _check_functions(self, statement: Statement) -> None:
        names = sorted({name.lower() for name in statement.functions})
        own = self._connection.run(_FUNCTIONS, names=names) if names else []
        if own:
            en = "it calls {name}, which the database's owner wrote and the planner itself may run"
            zh = "它调用了数据库所有者自定义的函数 {name}，优化器可能会执行它"
            raise Refusal(said(en, zh, name=", ".join(name for (name,) in own)))


@contextlib.contextmanager
def postgres_open(url: str, seconds: float) -> Iterator[OnPostgres]:
    """Raises pg8000.Error, OSError, and ValueError for a URL that is none."""
    parts = urlsplit(url)
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    host = query.get("host") or parts.hostname or "localhost"
    port = int(query.get("port") or parts.port or 5432)
    mode = query.get("sslmode", "disable" if host.startswith("/") else "prefer")
    socket = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else None
    connection = pg8000.native.Connection(
        unquote(parts.username or "postgres"),
        host=host,
        port=port,
        database=unquote(parts.path.lstrip("/")) or None,
        password=unquote(parts.password) if parts.password is not None else None,
        unix_sock=socket,
        timeout=min(CONNECT_WAIT, seconds),
        ssl_context=_tls(mode),
        application_name="pointsman",
    )
    try:
        milliseconds = max(int(seconds * 800), 100)
        connection.run("SET default_transaction_read_only = on")
        connection.run(f"SET statement_timeout = {milliseconds}")
        connection.run("SET lock_timeout = 2000")
        connection.run("SET idle_in_transaction_session_timeout = 30000")
        connection.run("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        version = int(connection.run("SELECT current_setting('server_version_num')")[0][0])
        yield OnPostgres(connection, version)
        connection.run("ROLLBACK")
    finally:
        with contextlib.suppress(Exception):
            connection.close()


def _tls(mode: str) -> ssl.SSLContext | bool | None:
    """As libpq has it: `prefer` takes TLS where the server has it, `require` without asking for a name, `verify-…` with."""
    if mode in ("disable", "allow"):
        return False
    if mode == "prefer":
        return None
    context = ssl.create_default_context()
    if mode == "require":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif mode == "verify-ca":
        context.check_hostname = False
    return context


_TABLES = """
SELECT c.oid, c.relname, c.reltuples FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND lower(c.relname) = ANY (CAST(:names AS text[]))
AND n.nspname NOT IN ('pg_catalog', 'information_schema')
ORDER BY pg_catalog.pg_table_is_visible(c.oid) DESC, n.nspname LIMIT 60
"""
_COLUMNS = """
SELECT attname, pg_catalog.format_type(atttypid, atttypmod), attnotnull FROM pg_catalog.pg_attribute
WHERE attrelid = CAST(:oid AS oid) AND attnum > 0 AND NOT attisdropped ORDER BY attnum LIMIT 400
"""
_INDEXES = """
SELECT c.relname, i.indisunique, i.indpred IS NOT NULL,
  ARRAY(SELECT coalesce((SELECT a.attname FROM pg_catalog.pg_attribute a
                         WHERE a.attrelid = i.indrelid AND a.attnum = k.n), '')
        FROM unnest(i.indkey) WITH ORDINALITY AS k(n, place) WHERE k.place <= i.indnkeyatts ORDER BY k.place)::text[]
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = CAST(:oid AS oid) AND i.indisvalid LIMIT 60
"""
_FUNCTIONS = """
SELECT DISTINCT p.proname FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE n.nspname <> 'pg_catalog' AND p.provolatile <> 'v' AND l.lanname NOT IN ('internal', 'c')
AND lower(p.proname) = ANY (CAST(:names AS text[])) LIMIT 5
"""
