"""A small table of orders and reports over it."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pointsman.actions.child import Children
from pointsman.actions.report.runner import ReportRunner
from pointsman.actions.report.settings import SourceSettings
from pointsman.domain.report import DimensionSpec, MeasureSpec, Period, ReportFile, ReportPlan, ReportSpec, Titles
from pointsman.store.files.local import LocalFiles

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime.datetime(2026, 11, 25, 15, 42, tzinfo=SHANGHAI)
LAST_FRIDAY = Period(datetime.date(2026, 11, 20), datetime.date(2026, 11, 21), "day", "上周五")
LAST_QUARTER = Period(datetime.date(2026, 7, 1), datetime.date(2026, 10, 1), "quarter", "上季度")
DEMO = SourceSettings(demo=True)

Make = Callable[..., tuple[Path, ReportFile]]


def children_in(data: Path, *, warmth: bool = False) -> Children:
    """One process at a time."""
    return Children(data / "work", warmth=warmth)


def runner_in(data: Path, demo: Path | None = None, children: Children | None = None, **options: Any) -> ReportRunner:
    """As a gateway has it in its data folder, but that no process waits for a report."""
    return ReportRunner(LocalFiles(data / "files"), children or children_in(data), demo or data / "demo", **options)


def titled(name: str) -> Titles:
    return Titles(name, name)


def simple_spec(**changes: Any) -> ReportSpec:
    """Table `orders` with sold_on, region and amount."""
    fields: dict[str, Any] = {
        "name": "orders",
        "titles": Titles("订单", "Orders"),
        "source": "shop",
        "table": "orders",
        "time_column": "sold_on",
        "measures": (MeasureSpec("amount", Titles("金额", "Amount"), column="amount", decimals=2),),
        "dimensions": (DimensionSpec("region", Titles("地区", "Region"), "region"),),
        "group_by": ("region",),
    }
    return ReportSpec(**{**fields, **changes})


def simple_plan(format: str = "csv", **changes: Any) -> ReportPlan:
    year = Period(datetime.date(2026, 1, 1), datetime.date(2027, 1, 1), "year", "今年")
    fields: dict[str, Any] = {"report": "orders", "format": format, "period": year, "language": "en"}
    return ReportPlan(**{**fields, **changes})


def sqlite_file(path: Path, script: str, rows: list[tuple[Any, ...]] | None = None) -> SourceSettings:
    """A new SQLite file; `rows` go into `orders`."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(script)
        if rows:
            database.executemany(f"INSERT INTO orders VALUES ({', '.join('?' * len(rows[0]))})", rows)
        database.commit()
    return SourceSettings(url=f"sqlite:///{path}")


ORDERS = "CREATE TABLE orders (sold_on DATE, region TEXT, amount NUMERIC(12, 2));"
SOME = [("2026-03-01", "华东", 10.5), ("2026-03-02", "华北", 20.25), ("2026-04-01", "华东", -3.75)]
