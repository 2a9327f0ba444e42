"""Large exports: memory stays small, caps hold."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import time
from pathlib import Path

import psutil
import pytest

from actions.orders import NOW, runner_in, simple_plan, simple_spec
from actions.test_runner import children
from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import Format, ReportFile

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
COLUMNS = "sold_on DATE, region TEXT, store TEXT, product TEXT, quantity INTEGER, amount NUMERIC(12, 2), note TEXT"


def orders(path: Path, rows: int) -> SourceSettings:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE orders ({COLUMNS});")
        database.execute(
            """WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
            INSERT INTO orders SELECT date('2026-01-01', (i % 365) || ' days'), '地区' || (i % 7), '门店' || (i % 50),
            '产品 ' || (i % 300), i % 9 + 1, (i % 10007) / 100.0, 'note ' || i FROM n""",
            (rows,),
        )
        database.commit()
    return SourceSettings(url=f"sqlite:///{path}")


async def measured(tmp_path: Path, source: SourceSettings, format: Format, timeout: float) -> tuple[ReportFile, int]:
    """The file and the most memory (RSS, bytes) that the child was seen to have."""
    most = 0
    runner = runner_in(tmp_path, timeout=timeout)
    started = time.monotonic()
    running = asyncio.create_task(runner.run(simple_plan(format), simple_spec(), source, NOW))
    while not running.done():
        for child in children():
            with contextlib.suppress(psutil.Error):
                most = max(most, child.memory_info().rss)
        await asyncio.sleep(0.05)
    file = await running
    seconds = time.monotonic() - started
    print(f"{format}: {file.rows:,} rows, {file.bytes:,} bytes, {seconds:.1f} s, {most / 2**20:.0f} MB; {file.notice}")
    return file, most


async def test_a_million_rows_as_csv_in_150_mb(tmp_path: Path) -> None:
    file, most = await measured(tmp_path, orders(tmp_path / "s.sqlite", 1_000_000), "csv", 300)
    assert most < 150 << 20
    assert file.rows == 1_000_000 and file.notice is None
    with (tmp_path / "files" / file.path).open("rb") as lines:
        assert sum(1 for _ in lines) == 1_000_001


async def test_five_million_rows_are_capped_with_a_notice(tmp_path: Path) -> None:
    source = orders(tmp_path / "s.sqlite", 5_000_000)
    file, most = await measured(tmp_path, source, "csv", 400)
    assert most < 150 << 20
    assert file.rows == 5_000_000 and file.notice is not None and "first 1,000,000 of 5,000,000 rows" in file.notice
    assert file.totals["amount"] == pytest.approx(250_036_127.5)
    with (tmp_path / "files" / file.path).open("rb") as lines:
        assert sum(1 for _ in lines) == 1_000_001
    pdf, most = await measured(tmp_path, source, "pdf", 400)
    assert pdf.totals == file.totals and most < 200 << 20


async def test_a_workbook_takes_what_it_can_in_its_time(tmp_path: Path) -> None:
    file, most = await measured(tmp_path, orders(tmp_path / "s.sqlite", 1_000_000), "xlsx", 40)
    assert most < 150 << 20
    assert file.rows == 1_000_000 and file.bytes > 1_000_000
    assert file.notice is None or "of 1,000,000 rows" in file.notice


async def test_a_million_lines_of_csv_as_csv(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with (folder / "orders.csv").open("w", encoding="utf-8") as file:
        file.write("sold_on,region,amount\n")
        for number in range(1_000_000):
            file.write(f"2026-{number % 12 + 1:02}-01,地区{number % 7},{number % 1000}.5\n")
    made, most = await measured(tmp_path, SourceSettings(folder=str(folder), format="csv"), "csv", 300)
    assert made.rows == 1_000_000 and most < 250 << 20  # DuckDB alone takes 85 MB before it has read anything
