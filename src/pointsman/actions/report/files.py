"""A folder of CSV or Parquet files as tables, through DuckDB in memory."""

from __future__ import annotations

import codecs
import contextlib
import glob
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from pointsman.actions.report.explain import explain
from pointsman.actions.report.failure import failure
from pointsman.actions.report.source import Circumstances, Kind, Source

SUFFIXES = {"csv": (".csv", ".csv.gz", ".tsv"), "parquet": (".parquet", ".pq")}
MEMORY = "128MB"  # DuckDB spills into the work folder beyond it
PORTION = 2000
SAMPLE = 200_000  # lines that decide what a column holds
BUFFER = 8 << 20  # bytes of a CSV at a time, 32 MiB by default; no line may be longer
_CHUNK = 1 << 20
_DIALECT = postgresql.dialect(paramstyle="qmark")  # type: ignore[no-untyped-call]  # DuckDB speaks this SQL


@contextlib.contextmanager
def open_files(folder: str, format: str, about: Circumstances) -> Iterator[Source]:
    """Finds the tables; a file is read when its table is used. Raises ActionFailed where nothing is found."""
    tables = find_tables(folder, format)
    if not tables:
        raise failure(
            "source",
            f"数据源“{about.name}”的文件夹里没有 {format} 文件。",
            f'The folder of the source "{about.name}" holds no {format} files.',
            detail=folder,
        )
    config: dict[str, Any] = {
        "memory_limit": MEMORY,
        "threads": 2,
        "temp_directory": str(about.work / "duckdb"),
        "autoinstall_known_extensions": False,
    }
    connection = duckdb.connect(":memory:", config=config)
    watch = threading.Timer(about.deadline.left, connection.interrupt)
    watch.daemon = True
    watch.start()
    try:
        yield _Files(connection, tables, format, about)
    finally:
        watch.cancel()
        connection.close()


def find_tables(folder: str, format: str) -> dict[str, list[Path]]:
    """Table names and the files of each. `folder` is a folder or a pattern; see SourceSettings."""
    suffixes = SUFFIXES[format]
    if glob.has_magic(folder) and not Path(folder).is_dir():
        paths = sorted(Path(name) for name in glob.glob(folder, recursive=True) if Path(name).is_file())  # noqa: PTH207
        name = _stem(Path(folder).name, suffixes)
        for magic in "*?[]":
            name = name.replace(magic, "")
        return {name.strip("-_. ") or Path(folder).parent.name: paths} if paths else {}
    tables: dict[str, list[Path]] = {}
    root = Path(folder)
    for entry in sorted(root.iterdir()) if root.is_dir() else ():
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            inside = sorted(
                path for path in entry.rglob("*") if path.name.lower().endswith(suffixes) and path.is_file()
            )
            if inside:
                tables.setdefault(entry.name, inside)
        elif entry.name.lower().endswith(suffixes):
            tables[_stem(entry.name, suffixes)] = [entry]
    return tables


def _stem(name: str, suffixes: tuple[str, ...]) -> str:
    for suffix in sorted(suffixes, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


class _Files:
    family = "duckdb"

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, tables: dict[str, list[Path]], format: str, about: Circumstances
    ) -> None:
        self._connection = connection
        self._tables = tables
        self._format = format
        self._about = about
        self._columns: dict[str, dict[str, Kind]] = {}

    def tables(self) -> list[str]:
        return sorted(self._tables)

    def columns(self, table: str) -> dict[str, Kind] | None:
        if table not in self._tables:
            return None
        if table not in self._columns:
            self._columns[table] = self._open(table)
        return self._columns[table]

    def relation(self, table: str, columns: Sequence[str]) -> sa.FromClause:
        # quoted always: DuckDB reserves words that PostgreSQL does not
        quoted: list[sa.ColumnClause[Any]] = [sa.column(sa.quoted_name(column, True)) for column in columns]
        return sa.table(sa.quoted_name(table, True), *quoted)

    def rows(self, statement: sa.Select[Any]) -> Iterator[Sequence[Any]]:
        compiled = statement.compile(dialect=_DIALECT, compile_kwargs={"render_postcompile": True})
        parameters = [compiled.params[name] for name in compiled.positiontup or ()]
        try:
            cursor = self._connection.execute(compiled.string, parameters)
            while portion := cursor.fetchmany(PORTION):
                yield from portion
        except duckdb.OutOfMemoryException:
            raise explain(MemoryError(), self._about) from None
        except (duckdb.Error, OSError) as error:
            raise explain(error, self._about) from None

    def _open(self, table: str) -> dict[str, Kind]:
        """Makes the table's view, without a line of SQL of ours. Raises ActionFailed for unreadable files."""
        try:
            names = [glob.escape(str(path)) for path in self._paths(table)]
            if self._format == "parquet":
                relation = self._connection.read_parquet(names, union_by_name=True)
            else:
                relation = self._connection.read_csv(
                    names, header=True, union_by_name=True, sample_size=SAMPLE, buffer_size=BUFFER
                )
            relation.create_view(table)
            return {name: _kind(str(of)) for name, of in zip(relation.columns, relation.types, strict=True)}
        except (duckdb.Error, OSError, UnicodeError) as error:
            told = explain(error, self._about)
            if told.code != "query":
                raise told from None
            raise failure(
                "source",
                f"数据源“{self._about.name}”中“{table}”的文件无法读取，请检查它是不是有效的 {self._format} 文件。",
                f'The files of "{table}" in the source "{self._about.name}" cannot be read as {self._format}.',
                told.detail or "",
            ) from None

    def _paths(self, table: str) -> list[Path]:
        """The files to read. DuckDB reads UTF-8; of others a copy is made: Excel saves GB 18030 in China, or UTF-16."""
        paths = self._tables[table]
        if self._format != "csv":
            return paths
        return [self._utf8_copy(path, encoding) if (encoding := encoding_of(path)) else path for path in paths]

    def _utf8_copy(self, path: Path, encoding: str) -> Path:
        copy = self._about.work / f"utf8-{os.urandom(8).hex()}.csv"
        with path.open(encoding=encoding, newline="") as old, copy.open("w", encoding="utf-8", newline="") as new:
            while part := old.read(_CHUNK):
                new.write(part)
        return copy


def encoding_of(path: Path) -> str | None:
    """None for UTF-8 and compressed files, else utf-16 (it has a mark) or gb18030."""
    if path.suffix == ".gz":
        return None
    decode = codecs.getincrementaldecoder("utf-8")().decode
    with path.open("rb") as file:
        part = file.read(_CHUNK)
        if part[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
        try:
            while part:
                decode(part)
                part = file.read(_CHUNK)
            decode(b"", True)
        except UnicodeDecodeError:
            return "gb18030"
    return None


def _kind(of: str) -> Kind:
    if of.startswith("TIMESTAMP"):
        return "zoned" if "TIME ZONE" in of else "moment"
    if of == "DATE":
        return "date"
    if of == "VARCHAR":
        return "text"
    if of == "BOOLEAN":
        return "boolean"
    numbers = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
    return "number" if of in (*numbers, "UHUGEINT", "FLOAT", "DOUBLE") or of.startswith("DECIMAL") else "other"
