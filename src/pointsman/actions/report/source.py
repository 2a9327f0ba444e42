"""A source of rows, whatever is behind it: tables, their columns, and the rows of a select."""

from __future__ import annotations

import contextlib
import datetime
import time
import zoneinfo
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
from sqlalchemy import FromClause, Select

from pointsman.actions.report.settings import SourceSettings

Kind = Literal["date", "moment", "zoned", "text", "number", "boolean", "other"]
"""What a column holds. "moment" is a timestamp without a zone, "zoned" one with."""


class Deadline:
    """The moment at which the whole job has to be done. `seconds` is what it was given in total."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds, never under 0.05: a time-out of 0 means none in most databases."""
        return max(0.05, self._end - time.monotonic())

    @property
    def passed(self) -> float:
        """The share of the time that is gone, 0 to 1 and beyond."""
        return 1 - (self._end - time.monotonic()) / self.seconds


class Circumstances(msgspec.Struct, frozen=True):
    """What surrounds a job: the source's name in the config, the zone of its days, when it has to be done, a folder
    for temporary files and, for the demo, the present day."""

    name: str
    zone: datetime.tzinfo
    deadline: Deadline
    work: Path
    today: datetime.date

    @property
    def zone_name(self) -> str | None:
        """The IANA name of the zone, which databases know, or None."""
        return self.zone.key if isinstance(self.zone, zoneinfo.ZoneInfo) else None


class Source(Protocol):
    """Open and read-only. Every method raises ActionFailed.

    `family` is SQLAlchemy's name of the dialect (sqlite, postgresql, mysql, mssql, …) or "duckdb"; it decides how a
    day is taken out of a timestamp."""

    family: str

    def tables(self) -> list[str]:
        """Tables and views, by name."""

    def columns(self, table: str) -> dict[str, Kind] | None:
        """The columns of a table or view in their order; None where it does not exist."""

    def relation(self, table: str, columns: Sequence[str]) -> FromClause:
        """That table for a select. Its columns have no type, so that rows come as the driver gives them."""

    def rows(self, statement: Select[Any]) -> Iterator[Sequence[Any]]:
        """The rows, fetched in portions; all calls see the same state of the data where the database can do that."""


@contextlib.contextmanager
def opened(settings: SourceSettings, about: Circumstances) -> Iterator[Source]:
    """Opens the source that the settings say. Raises ActionFailed."""
    with _opening(settings, about) as source:
        yield source


def _opening(settings: SourceSettings, about: Circumstances) -> contextlib.AbstractContextManager[Source]:
    if settings.folder is not None and settings.format is not None:
        from pointsman.actions.report.files import open_files  # DuckDB takes a while to import

        return open_files(settings.folder, settings.format, about)
    from pointsman.actions.report.database import open_database

    url = settings.url
    if url is None:
        from pointsman.actions.report.demo import demo_database

        url = f"sqlite:///{demo_database(Path(settings.folder or about.work), about.today)}"
    return open_database(url, about)
