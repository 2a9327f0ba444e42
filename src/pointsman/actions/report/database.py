"""A database behind an SQLAlchemy URL, opened to read and no more."""

from __future__ import annotations

import contextlib
import importlib.util
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc, types

from pointsman.actions.report.explain import explain
from pointsman.actions.report.failure import failure
from pointsman.actions.report.source import Circumstances, Kind, Source

LOCK_WAIT = 3.0  # seconds for somebody else's lock, as far as the database can be told
CONNECT_WAIT = 10.0
PORTION = 2000  # rows fetched at a time
# the drivers that a URL without one takes, in this order, and how each calls the time to wait for a connection
_DRIVERS = {
    "postgresql": ("psycopg", "psycopg2", "pg8000"),
    "mysql": ("pymysql", "mysqldb", "mysqlconnector"),
    "mariadb": ("pymysql", "mysqldb", "mysqlconnector"),
}
_MODULES = {"mysqldb": "MySQLdb", "mysqlconnector": "mysql.connector"}
_CONNECT_TIMEOUT = {
    "psycopg": "connect_timeout",
    "psycopg2": "connect_timeout",
    "pymysql": "connect_timeout",
    "mysqldb": "connect_timeout",
    "pymssql": "login_timeout",
}


@contextlib.contextmanager
def open_database(url: str, about: Circumstances) -> Iterator[Source]:
    """Connects and begins one transaction, read-only and of one snapshot where the database can do that. Raises
    ActionFailed."""
    engine = _engine(url, about)
    try:
        try:
            connection = engine.connect()
        except (exc.SQLAlchemyError, OSError, ImportError) as error:
            raise explain(error, about, connecting=True) from None
        with connection:
            try:
                _restrain(connection, about)
            except (exc.SQLAlchemyError, OSError) as error:
                raise explain(error, about, connecting=True) from None
            yield _Database(connection, about)
    finally:
        engine.dispose()


class _Database:
    def __init__(self, connection: sa.Connection, about: Circumstances) -> None:
        self._connection = connection
        self._about = about
        self.family = connection.dialect.name

    def tables(self) -> list[str]:
        with self._told():
            inspector = sa.inspect(self._connection)
            return sorted({*inspector.get_table_names(), *inspector.get_view_names()})

    def columns(self, table: str) -> dict[str, Kind] | None:
        with self._told():
            inspector = sa.inspect(self._connection)
            name, schema = self._place(table)
            try:
                found = inspector.get_columns(name, schema=schema)
            except exc.NoSuchTableError:
                return None
            return {column["name"]: _kind(column["type"]) for column in found} or None

    def relation(self, table: str, columns: Sequence[str]) -> sa.FromClause:
        name, schema = self._place(table)
        return sa.table(name, *(sa.column(column) for column in columns), schema=schema)

    def rows(self, statement: sa.Select[Any]) -> Iterator[Sequence[Any]]:
        with self._told():
            streaming = {"stream_results": True, "max_row_buffer": PORTION}
            with self._connection.execute(statement, execution_options=streaming) as result:
                for portion in result.partitions(PORTION):
                    yield from portion

    def _place(self, table: str) -> tuple[str, str | None]:
        """`schema.table` is a table of another schema, unless there is one of that very name."""
        schema, dot, name = table.rpartition(".")
        if dot and not sa.inspect(self._connection).has_table(table):
            return name, schema
        return table, None

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (exc.SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise explain(error, self._about) from None


def _engine(text: str, about: Circumstances) -> sa.Engine:
    try:
        url = sa.make_url(text)
    except (exc.ArgumentError, ValueError):
        raise failure(
            "source",
            f"数据源“{about.name}”的 url 无法识别（正确示例：postgresql://用户:密码@主机/数据库）。",
            f'The url of the source "{about.name}" cannot be read (valid: postgresql://user:password@host/database).',
        ) from None
    family, _, driver = url.drivername.partition("+")
    if not driver and family in _DRIVERS:
        for driver in _DRIVERS[family]:
            if importlib.util.find_spec(_MODULES.get(driver, driver).partition(".")[0]):
                url = url.set(drivername=f"{family}+{driver}")
                break
    try:
        if family == "sqlite":
            return _sqlite(url, about)
        arguments: dict[str, Any] = {}
        if key := _CONNECT_TIMEOUT.get(driver):
            arguments[key] = int(min(CONNECT_WAIT, about.deadline.left)) or 1
        if driver == "pg8000":
            arguments["timeout"] = about.deadline.seconds  # pg8000's is for every read of the socket
        return sa.create_engine(url, poolclass=sa.pool.NullPool, connect_args=arguments)
    except (exc.NoSuchModuleError, ImportError) as error:
        raise failure(
            "setup",
            f"数据源“{about.name}”需要数据库驱动“{url.drivername}”，但没有安装。",
            f'The source "{about.name}" needs the database driver "{url.drivername}", which is not installed.',
            detail=str(error).splitlines()[0],
        ) from None
    except (exc.SQLAlchemyError, TypeError) as error:
        raise explain(error, about, connecting=True) from None


def _sqlite(url: sa.URL, about: Circumstances) -> sa.Engine:
    """SQLite with mode=ro, text that is not UTF-8 replaced, and an end to a statement that takes too long."""
    path = url.database
    if not path or path == ":memory:" or not Path(path).is_file():
        raise failure(
            "source",
            f"数据源“{about.name}”的 SQLite 文件不存在。",
            f'The SQLite file of the source "{about.name}" does not exist.',
            detail=str(path),
        )
    address = f"{Path(path).absolute().as_uri()}?mode=ro"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(address, uri=True, timeout=LOCK_WAIT, isolation_level=None)
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")  # else such a row is an error
        connection.set_progress_handler(lambda: about.deadline.passed >= 1, 20_000)
        return connection

    return sa.create_engine("sqlite://", creator=connect, poolclass=sa.pool.NullPool)


def _restrain(connection: sa.Connection, about: Circumstances) -> None:
    """Read-only, one snapshot, and time limits on the server's side: the child may be killed, its query has to stop."""
    family = connection.dialect.name
    milliseconds = int(about.deadline.left * 1000)
    if family == "sqlite":
        connection.exec_driver_sql("PRAGMA query_only = ON")
        connection.exec_driver_sql("BEGIN")
    elif family == "postgresql":
        with contextlib.suppress(exc.ArgumentError, exc.InvalidRequestError):
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        for name, value in (("statement_timeout", milliseconds), ("lock_timeout", int(LOCK_WAIT * 1000))):
            connection.execute(sa.select(sa.func.set_config(name, str(value), False)))
    elif family in ("mysql", "mariadb"):
        is_mariadb = getattr(connection.dialect, "is_mariadb", False)
        limit = (
            f"max_statement_time = {milliseconds / 1000:.3f}" if is_mariadb else f"max_execution_time = {milliseconds}"
        )
        for words in (limit, f"lock_wait_timeout = {int(LOCK_WAIT)}", "TRANSACTION READ ONLY"):
            with contextlib.suppress(exc.DBAPIError):
                connection.exec_driver_sql(f"SET SESSION {words}")
        connection.rollback()  # the next statement begins a transaction, and that one is read-only
    elif family == "mssql":
        connection.exec_driver_sql(f"SET LOCK_TIMEOUT {int(LOCK_WAIT * 1000)}")


def _kind(of: types.TypeEngine[Any]) -> Kind:
    match of:
        case types.DateTime():
            return "zoned" if of.timezone else "moment"
        case types.Date():
            return "date"
        case types.Boolean():
            return "boolean"
        case types.Numeric() | types.Integer():
            return "number"
        case types.Enum() | types.Uuid():
            return "other"
        case types.String():
            return "text"
        case _:
            return "other"
