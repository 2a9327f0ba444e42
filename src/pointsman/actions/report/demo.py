"""A generated shop chain: every sale from 1 January of last year to today, in one SQLite file.

The same day always has the same sales, whenever the file was made: each day draws from a generator of its own."""

from __future__ import annotations

import contextlib
import datetime
import math
import os
import random
import secrets
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from pointsman.actions.report.demo_reports import CHANNELS, PRODUCTS, STORES

VERSION = 1  # a part of the file's name: a new way to generate makes a new file
_SCHEMA = """
CREATE TABLE made (until TEXT NOT NULL);
CREATE TABLE stores (id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_en TEXT NOT NULL, region TEXT NOT NULL);
CREATE TABLE products (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_en TEXT NOT NULL, category TEXT NOT NULL,
    price NUMERIC(10, 2) NOT NULL);
CREATE TABLE sales (
    order_no TEXT NOT NULL, sold_on DATE NOT NULL, region TEXT NOT NULL, store TEXT NOT NULL, category TEXT NOT NULL,
    product TEXT NOT NULL, channel TEXT NOT NULL, quantity INTEGER NOT NULL, amount NUMERIC(12, 2) NOT NULL,
    cost NUMERIC(12, 2) NOT NULL, profit NUMERIC(12, 2) NOT NULL);
"""
_WEEK = (0.85, 0.82, 0.86, 0.92, 1.15, 1.55, 1.40)
# days of the year that sell: New Year, Labour Day, 618, National Day, 11.11, 12.12
_PEAKS = {(1, 1): 1.6, (5, 1): 1.7, (5, 2): 1.5, (6, 18): 2.4, (10, 1): 1.8, (10, 2): 1.6, (11, 11): 3.0, (12, 12): 1.8}
_ORDERS_A_DAY = 52

Sale = tuple[str, str, str, str, str, str, str, int, float, float, float]


def demo_database(folder: Path, today: datetime.date) -> Path:
    """The file in `folder`, made on the first call and anew when `today` is past its last day (a second). Safe to call
    from several processes at once. Raises OSError."""
    path = folder / f"demo-sales-v{VERSION}.sqlite"
    if _covers(path, today):
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{path.stem}-{secrets.token_hex(8)}.part"
    try:
        _make(part, today)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def first_day(today: datetime.date) -> datetime.date:
    return datetime.date(today.year - 1, 1, 1)


def sales_of(day: datetime.date) -> Iterator[Sale]:
    """The sales of one day: rows of the table `sales`."""
    draw = random.Random(f"pointsman demo {day.isoformat()}")  # noqa: S311  not a secret
    season = 1 + 0.12 * math.sin((day.timetuple().tm_yday - 100) / 365 * 2 * math.pi)
    growth = 1 + 0.0002 * (day - datetime.date(2024, 1, 1)).days
    wanted = _ORDERS_A_DAY * _WEEK[day.weekday()] * _PEAKS.get((day.month, day.day), 1.0) * season * growth
    stores = draw.choices(STORES, [store[3] for store in STORES], k=round(wanted * draw.uniform(0.9, 1.1)))
    products = draw.choices(PRODUCTS, [product[5] for product in PRODUCTS], k=len(stores))
    for number, ((store, _, region, _), (product, _, category, price, share, _)) in enumerate(
        zip(stores, products, strict=True), 1
    ):
        channel = CHANNELS[draw.random() < 0.38][0]
        quantity = draw.choices((1, 2, 3, 5, 10), (70, 18, 7, 4, 1))[0]
        amount = round(price * quantity * draw.choice((1, 1, 1, 0.95, 0.9, 0.85)), 2)
        cost = round(price * quantity * share, 2)
        yield (
            f"{day:%Y%m%d}-{number:04}",
            day.isoformat(),
            region,
            store,
            category,
            product,
            channel,
            quantity,
            amount,
            cost,
            round(amount - cost, 2),
        )


def _covers(path: Path, today: datetime.date) -> bool:
    if not path.is_file():
        return False
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            made = database.execute("SELECT until FROM made").fetchone()
        except sqlite3.Error:
            return False
    return bool(made) and today.isoformat() <= made[0] < f"{today.year + 1}"


def _make(path: Path, today: datetime.date) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + _SCHEMA)
        database.executemany(
            "INSERT INTO stores (name, name_en, region) VALUES (?, ?, ?)", [store[:3] for store in STORES]
        )
        database.executemany(
            "INSERT INTO products (name, name_en, category, price) VALUES (?, ?, ?, ?)",
            [product[:4] for product in PRODUCTS],
        )
        start = first_day(today)
        days = (start + datetime.timedelta(days=n) for n in range((today - start).days + 1))
        database.executemany(
            "INSERT INTO sales VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (sale for day in days for sale in sales_of(day)),
        )
        database.execute("CREATE INDEX sales_by_day ON sales (sold_on)")
        database.execute("INSERT INTO made VALUES (?)", (today.isoformat(),))
        database.commit()
