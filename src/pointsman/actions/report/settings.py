"""Where the rows of reports come from, as the config says it."""

from __future__ import annotations

from typing import Literal

import msgspec


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of three.

    `url`: any SQLAlchemy URL; `postgresql://` and `mysql://` without a driver take one that is installed.
    `folder` with `format`: files there, read through DuckDB. Each file is a table named by its stem, each folder below
    with such files in it is one table of them all, and a pattern (`/data/sales-*.csv`) is one table (`sales`).
    `demo`: a generated year of sales (`demo.py`), kept in `folder`, or where the runner says. Raises ValueError."""

    url: str | None = None
    folder: str | None = None
    format: Literal["csv", "parquet"] | None = None
    demo: bool = False

    def __post_init__(self) -> None:
        if self.url is not None and (self.folder is not None or self.format is not None or self.demo):
            raise ValueError("url stands alone (valid: url, or folder with format, or demo: true)")
        if self.url is not None and not self.url.strip():
            raise ValueError("url is empty (valid: an SQLAlchemy URL such as postgresql://user:password@host/database)")
        if self.demo and self.format is not None:
            raise ValueError("demo: true makes its own database and has no format (valid: demo: true, and folder)")
        if not self.demo and self.url is None:
            if not self.folder:
                raise ValueError("a source says where it is (valid: url, or folder with format, or demo: true)")
            if self.format is None:
                raise ValueError("folder needs a format (valid: csv, parquet)")
