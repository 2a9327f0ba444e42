"""Sources: databases and folders, and what they do when something is wrong."""

from __future__ import annotations

import contextlib
import csv
import datetime
import gzip
import sqlite3
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from actions.orders import NOW, ORDERS, SHANGHAI, SOME, Make, simple_plan, simple_spec, sqlite_file
from pointsman.actions.report.explain import explain
from pointsman.actions.report.files import encoding_of, find_tables
from pointsman.actions.report.settings import SourceSettings
from pointsman.actions.report.source import Circumstances, Deadline, opened
from pointsman.domain.report import DimensionSpec, Filter, MeasureSpec, Period, Titles
from pointsman.domain.said import in_zh
from pointsman.ports.action import ActionFailed

EAST = (Filter("region", ("华东",), ("华东",)),)


def about(tmp_path: Path, seconds: float = 30) -> Circumstances:
    return Circumstances("shop", SHANGHAI, Deadline(seconds), tmp_path, NOW.date())


def fails(make: Make, source: SourceSettings, **spec: Any) -> ActionFailed:
    with pytest.raises(ActionFailed) as caught:
        make(simple_plan(), simple_spec(**spec), source)
    failure = caught.value
    for text in (in_zh(failure.message), failure.message):
        assert text and "SELECT" not in text and "secret" not in text
    return failure


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"url": "sqlite:///x", "demo": True},
        {"url": "sqlite:///x", "folder": "x"},
        {"url": " "},
        {"folder": "x"},
        {"format": "csv"},
        {"demo": True, "format": "csv"},
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="valid:"):
        SourceSettings(**wrong)


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_missing_table_lists_the_tables(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS + "CREATE VIEW order_view AS SELECT * FROM orders;", SOME)
    failure = fails(make, source, table="order")
    assert failure.code == "schema"
    assert (
        'no table "order", did you mean "orders"?' in failure.message
        and "(there are: order_view, orders)" in failure.message
    )
    assert "没有名为“order”的表，是不是“orders”？" in in_zh(failure.message) and "现有：order_view、orders" in in_zh(
        failure.message
    )


@pytest.mark.parametrize(
    "spec",
    [
        {"time_column": "sold_at"},
        {"measures": (MeasureSpec("x", Titles("x", "x"), column="sold_at"),)},
        {"dimensions": (DimensionSpec("region", Titles("x", "x"), "sold_at"),)},
        {"detail_columns": ("region", "sold_at")},
    ],
)
def test_a_missing_column_lists_the_columns(make: Make, tmp_path: Path, spec: dict[str, Any]) -> None:
    failure = fails(make, sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME), **spec)
    assert failure.code == "schema"
    assert (
        'orders: there is no column "sold_at", did you mean "sold_on"? (there are: sold_on, region, amount)'
        in failure.message
    )
    assert "sold_on、region、amount" in in_zh(failure.message)


def test_a_missing_dimension_lists_the_dimensions(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    with pytest.raises(ActionFailed, match='no dimension "regon", did you mean "region"'):
        make(simple_plan("pdf"), simple_spec(group_by=("regon",)), source)
    with pytest.raises(ActionFailed, match="no dimension"):
        make(simple_plan(filters=(Filter("shop", ("x",), ()),)), simple_spec(), source)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ({"time_column": "amount"}, "holds no dates"),
        ({"measures": (MeasureSpec("x", Titles("x", "x"), column="region"),)}, "holds no numbers"),
        ({"measures": (MeasureSpec("x", Titles("x", "x")),)}, "names no column"),
    ],
)
def test_columns_that_do_not_fit(make: Make, tmp_path: Path, spec: dict[str, Any], word: str) -> None:
    failure = fails(make, sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME), **spec)
    assert failure.code == "schema" and word in failure.message


def test_names_that_need_quotes_and_filters_that_are_sql(make: Make, tmp_path: Path) -> None:
    script = """CREATE TABLE "order; DROP ""x"" --" ("select" DATE, "a.b %s :c" TEXT, "数量 ?" INTEGER);
    INSERT INTO "order; DROP ""x"" --" VALUES ('2026-03-01', 'x'' OR 1=1 --', 5), ('2026-03-01', 'y', 7);"""
    spec = simple_spec(
        table='order; DROP "x" --',
        time_column="select",
        measures=(MeasureSpec("n", Titles("n", "n"), column="数量 ?"),),
        dimensions=(DimensionSpec("region", Titles("r", "r"), "a.b %s :c"),),
    )
    source = sqlite_file(tmp_path / "s.sqlite", script)
    for value, total in (("x' OR 1=1 --", 5.0), ("y", 7.0)):
        plan = simple_plan("pdf", filters=(Filter("region", (value,), ()),))
        assert make(plan, spec, source)[1].totals == {"n": total}
    with pytest.raises(ActionFailed) as caught:
        make(simple_plan(filters=(Filter("region", ("' OR '1'='1",), ()),)), spec, source)
    assert caught.value.code == "empty"


# ── SQLite ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("declared", ["DATE", "TIMESTAMP", "DATETIME", "TEXT", "VARCHAR(30)", ""])
def test_half_open_ranges_over_every_way_to_keep_time(declared: str, make: Make, tmp_path: Path) -> None:
    rows = [
        ("2026-02-28 23:59:59", "early", 1.0),
        ("2026-03-01", "in", 2.0),
        ("2026-03-01 00:00:00", "in", 4.0),
        ("2026-03-31T23:59:59.999", "in", 8.0),
        ("2026-04-01", "late", 16.0),
        ("2026-04-01 00:00:00", "late", 32.0),
        (None, "never", 64.0),
    ]
    source = sqlite_file(
        tmp_path / "s.sqlite", f"CREATE TABLE orders (sold_on {declared}, region TEXT, amount REAL);", rows
    )
    march = Period(datetime.date(2026, 3, 1), datetime.date(2026, 4, 1), "month", "三月")
    for format in ("csv", "pdf", "xlsx"):
        _, file = make(simple_plan(format, period=march), simple_spec(), source)
        assert (file.rows, file.totals) == (3, {"amount": 14.0})


def test_a_locked_database(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        failure = fails(make, source)
        assert time.monotonic() - started > 2
        assert failure.code == "busy" and "锁定" in in_zh(failure.message) and "locked" in failure.message
        other.execute("COMMIT")
    assert make(simple_plan(), simple_spec(), source)[1].rows == 3


def test_the_source_is_only_read(tmp_path: Path) -> None:
    import sqlalchemy as sa

    source = sqlite_file(tmp_path / "s.sqlite", ORDERS, SOME)
    with opened(source, about(tmp_path)) as reading:
        connection = reading._connection  # type: ignore[attr-defined]
        with pytest.raises(sa.exc.OperationalError, match="readonly"):
            connection.execute(sa.text("DELETE FROM orders"))


def test_a_query_that_takes_too_long_stops(make: Make, tmp_path: Path) -> None:
    script = (
        ORDERS
        + """
    CREATE VIEW slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)
    SELECT '2026-03-01' AS sold_on, 'x' AS region, i AS amount FROM n;"""
    )
    source = sqlite_file(tmp_path / "s.sqlite", script)
    with pytest.raises(ActionFailed) as caught:
        make(simple_plan(), simple_spec(table="slow"), source, seconds=1.0)
    assert caught.value.code == "timeout"


def test_a_query_that_fails(make: Make, tmp_path: Path) -> None:
    script = "CREATE TABLE orders (sold_on DATE, region TEXT, amount INTEGER);"
    big = [("2026-03-01", "x", 2**63 - 1), ("2026-03-01", "x", 2**63 - 1)]
    failure = fails(make, sqlite_file(tmp_path / "s.sqlite", script, big))
    assert failure.code == "query" and "integer overflow" in str(failure.detail)
    assert "integer overflow" not in in_zh(failure.message) + failure.message


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("sqlite:////nowhere/at/all.sqlite", "source"),
        ("sqlite://", "source"),
        ("not a url", "source"),
        ("postgresql+pg8000://me:secret@127.0.0.1:1/db", "source"),
        ("nosuch://me:secret@host/db", "setup"),
        ("oracle://me:secret@host/db", "setup"),
    ],
)
def test_a_database_that_is_not_there(url: str, kind: str, make: Make) -> None:
    failure = fails(make, SourceSettings(url=url))
    assert failure.code == kind
    assert "secret" not in str(failure.detail) and "shop" in in_zh(failure.message) and "shop" in failure.message


def test_a_file_that_is_no_database(make: Make, tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_text("hello " * 1000)
    assert fails(make, SourceSettings(url=f"sqlite:///{tmp_path / 's.sqlite'}")).code in ("source", "query")


def test_no_password_in_what_a_driver_said(tmp_path: Path) -> None:
    error = OSError("cannot connect to postgresql://me:secret@host/db password=secret")
    assert "secret" not in explain(error, about(tmp_path), connecting=True).detail


def test_text_that_is_not_utf8(make: Make, tmp_path: Path) -> None:
    source = sqlite_file(tmp_path / "s.sqlite", ORDERS)
    with contextlib.closing(sqlite3.connect(tmp_path / "s.sqlite")) as database:
        database.execute("INSERT INTO orders VALUES ('2026-03-01', CAST(x'c3' AS TEXT), 1)")
        database.commit()
    path, _ = make(simple_plan(), simple_spec(), source)
    assert "\ufffd" in path.read_text("utf-8")


def test_filters_over_numbers_dates_and_truths(make: Make, tmp_path: Path) -> None:
    script = """CREATE TABLE orders (sold_on DATE, region INTEGER, amount REAL, open BOOLEAN, size NUMERIC);
    INSERT INTO orders VALUES ('2026-03-01', 1, 1, 1, 1.5), ('2026-03-02', 2, 2, 0, 2);"""
    source = sqlite_file(tmp_path / "s.sqlite", script)
    names = ("region", "open", "size", "sold_on")
    spec = simple_spec(dimensions=tuple(DimensionSpec(name, Titles(name, name), name) for name in names))
    for name, value in (("region", "2"), ("open", "false"), ("size", "2"), ("sold_on", "2026-03-02")):
        plan = simple_plan("pdf", filters=(Filter(name, (value,), ()),))
        assert make(plan, spec, source)[1].totals == {"amount": 2.0}, name
    assert make(simple_plan(filters=(Filter("size", ("1.5",), ()),)), spec, source)[1].totals == {"amount": 1.0}
    for name in names:
        with pytest.raises(ActionFailed) as caught:
            make(simple_plan(filters=(Filter(name, ("华东",), ()),)), spec, source)
        assert caught.value.code == "empty"


# ── folders ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_csv(path: Path, rows: list[tuple[Any, ...]], encoding: str = "utf-8") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file).writerows([("sold_on", "region", "amount"), *rows])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("format", ["pdf", "xlsx", "csv"])
def test_a_folder_of_csv(format: str, encoding: str, make: Make, tmp_path: Path) -> None:
    write_csv(tmp_path / "data" / "orders.csv", SOME, encoding)
    source = SourceSettings(folder=str(tmp_path / "data"), format="csv")
    path, file = make(simple_plan(format, filters=EAST), simple_spec(), source)
    assert (file.rows, file.totals) == (2, {"amount": 6.75})
    if format == "csv":
        assert path.read_text("utf-8-sig").splitlines()[1:] == ["2026-03-01,华东,10.5", "2026-04-01,华东,-3.75"]


@pytest.mark.parametrize("format", ["pdf", "xlsx", "csv"])
def test_a_folder_of_parquet(format: str, make: Make, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with duckdb.connect() as database:
        database.execute("CREATE TABLE o (sold_on TIMESTAMPTZ, region VARCHAR, amount DECIMAL(18, 2), raw BLOB)")
        database.executemany(
            "INSERT INTO o VALUES (?, ?, ?, ?)",
            [
                ("2026-02-28 16:30:00+00", "华东", "10.10", b"\x01"),  # 1 March, 00:30 in Shanghai
                ("2026-02-28 15:30:00+00", "华东", "99.99", None),  # still February there
                ("2026-03-31 15:59:00+00", "华北", "0.20", None),
                ("2026-03-31 16:00:00+00", "华北", "77.77", None),  # April
            ],
        )
        database.table("o").write_parquet(str(folder / "orders.parquet"))
    march = Period(datetime.date(2026, 3, 1), datetime.date(2026, 4, 1), "month", "三月")
    source = SourceSettings(folder=str(folder), format="parquet")
    path, file = make(simple_plan(format, period=march), simple_spec(), source)
    assert (file.rows, file.totals) == (2, {"amount": 10.3})
    if format == "csv":
        assert path.read_text("utf-8-sig").splitlines()[1:] == [
            "2026-03-01 00:30:00,华东,10.10,0x01",
            "2026-03-31 23:59:00,华北,0.20,",
        ]


def test_tables_of_a_folder(tmp_path: Path) -> None:
    for name in (
        "a.csv",
        "B c.CSV",
        "parts/1.csv",
        "parts/deep/2.csv",
        "zip.csv.gz",
        ".hidden.csv",
        "x.txt",
        "empty/y.txt",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    tables = find_tables(str(tmp_path), "csv")
    assert {name: len(paths) for name, paths in tables.items()} == {"a": 1, "B c": 1, "parts": 2, "zip": 1}
    assert list(find_tables(str(tmp_path / "parts" / "*.csv"), "csv")) == ["parts"]
    (tmp_path / "sales-2025.csv").write_text("x")
    (tmp_path / "sales-2026.csv").write_text("x")
    assert {name: len(paths) for name, paths in find_tables(str(tmp_path / "sales-*.csv"), "csv").items()} == {
        "sales": 2
    }
    assert find_tables(str(tmp_path / "none"), "csv") == {} == find_tables(str(tmp_path), "parquet")


def test_many_files_are_one_table_compressed_ones_too(make: Make, tmp_path: Path) -> None:
    write_csv(tmp_path / "data" / "orders" / "[1] a.csv", SOME[:1])
    write_csv(tmp_path / "data" / "orders" / "2.csv", SOME[1:2], "gb18030")
    with gzip.open(tmp_path / "data" / "orders" / "3.csv.gz", "wt", encoding="utf-8") as file:
        file.write("sold_on,region,amount\n2026-04-01,华东,-3.75\n")
    source = SourceSettings(folder=str(tmp_path / "data"), format="csv")
    assert make(simple_plan(), simple_spec(), source)[1].totals == {"amount": 27.0}


def test_folders_that_are_wrong(make: Make, tmp_path: Path) -> None:
    assert fails(make, SourceSettings(folder=str(tmp_path / "none"), format="csv")).code == "source"
    write_csv(tmp_path / "data" / "order.csv", SOME)
    failure = fails(make, SourceSettings(folder=str(tmp_path / "data"), format="csv"))
    assert failure.code == "schema" and 'did you mean "order"?' in failure.message
    (tmp_path / "data" / "orders.parquet").write_bytes(b"PAR1 nonsense")
    failure = fails(make, SourceSettings(folder=str(tmp_path / "data"), format="parquet"))
    assert (
        failure.code == "source"
        and "parquet" in failure.message
        and str(tmp_path) not in failure.message + in_zh(failure.message)
    )
    write_csv(tmp_path / "data" / "orders.csv", [("2026-03-01", "x", "much")])
    assert "holds no numbers" in fails(make, SourceSettings(folder=str(tmp_path / "data"), format="csv")).message


def test_encodings(tmp_path: Path) -> None:
    for encoding, found in (("utf-8", None), ("gb18030", "gb18030"), ("utf-16", "utf-16")):
        (tmp_path / "x").write_text("地区,金额\n" * 200_000, encoding=encoding)
        assert encoding_of(tmp_path / "x") == found
