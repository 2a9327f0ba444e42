"""The demo's data: whole, repeatable, up to the day."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
import time
from pathlib import Path

from pointsman.actions.report.demo import demo_database, first_day, sales_of
from pointsman.actions.report.demo_reports import CHANNELS, PRODUCTS, REGIONS, STORES, demo_reports

TODAY = datetime.date(2026, 11, 25)


def test_a_year_and_more_in_a_second(tmp_path: Path) -> None:
    started = time.thread_time()
    path = demo_database(tmp_path / "new" / "folder", TODAY)
    assert time.thread_time() - started < 10  # 0.6 s where this was written
    with contextlib.closing(sqlite3.connect(path)) as database:
        count, first, last = database.execute("SELECT count(*), min(sold_on), max(sold_on) FROM sales").fetchone()
        days = database.execute("SELECT count(DISTINCT sold_on) FROM sales").fetchone()[0]
        regions = {row[0] for row in database.execute("SELECT DISTINCT region FROM sales")}
        wrong = database.execute(
            "SELECT count(*) FROM sales WHERE abs(amount - cost - profit) > 0.001 OR quantity < 1 OR amount <= 0"
        ).fetchone()[0]
    assert 20_000 < count < 80_000
    assert (first, last) == ("2025-01-01", "2026-11-25")
    assert days == (TODAY - first_day(TODAY)).days + 1
    assert regions == {region[0] for region in REGIONS}
    assert wrong == 0


def test_made_once_and_anew_when_the_day_has_passed(tmp_path: Path) -> None:
    path = demo_database(tmp_path, TODAY)
    made = path.stat().st_mtime_ns
    assert demo_database(tmp_path, TODAY - datetime.timedelta(days=3)).stat().st_mtime_ns == made
    later = demo_database(tmp_path, TODAY + datetime.timedelta(days=1))
    assert later.stat().st_mtime_ns != made
    next_year = demo_database(tmp_path, datetime.date(2027, 1, 2))
    with contextlib.closing(sqlite3.connect(next_year)) as database:
        assert database.execute("SELECT min(sold_on) FROM sales").fetchone()[0] == "2026-01-01"
    assert [path.name for path in tmp_path.iterdir()] == [path.name]


def test_a_broken_file_is_made_anew(tmp_path: Path) -> None:
    path = demo_database(tmp_path, TODAY)
    path.write_bytes(b"no database")
    assert demo_database(tmp_path, TODAY).stat().st_size > 1_000_000


def test_a_day_is_the_same_whenever_it_is_made() -> None:
    assert list(sales_of(TODAY)) == list(sales_of(TODAY))
    assert list(sales_of(TODAY)) != list(sales_of(TODAY - datetime.timedelta(days=7)))


def test_every_value_of_the_reports_occurs_in_the_data(tmp_path: Path) -> None:
    path = demo_database(tmp_path, TODAY)
    with contextlib.closing(sqlite3.connect(path)) as database:
        for spec in demo_reports():
            for dimension in spec.dimensions:
                found = {row[0] for row in database.execute(f"SELECT DISTINCT {dimension.column} FROM {spec.table}")}
                assert found == {known.value for known in dimension.values}, dimension.name
                assert all(any(word.isascii() for word in known.words) for known in dimension.values)
    assert {product[2] for product in PRODUCTS} and len(STORES) == 16 and len(CHANNELS) == 2
