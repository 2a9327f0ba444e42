"""Where the rows of reports come from, as the config says it."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.said import said


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
            raise ValueError(
                said(
                    "url stands alone (valid: url, or folder with format, or demo: true)",
                    "url 不能和其他项一起用（合法取值：url，或 folder 加 format，或 demo: true）",
                )
            )
        if self.url is not None and not self.url.strip():
            raise ValueError(
                said(
                    "url is empty (valid: an SQLAlchemy URL such as postgresql://user:password@host/database)",
                    "url 是空的（合法取值：SQLAlchemy URL，如 postgresql://user:password@host/database）",
                )
            )
        if self.demo and self.format is not None:
            raise ValueError(
                said(
                    "demo: true makes its own database and has no format (valid: demo: true, and folder)",
                    "demo: true 自己生成数据库，不能写 format（合法取值：demo: true，可加 folder）",
                )
            )
        if not self.demo and self.url is None:
            if not self.folder:
                raise ValueError(
                    said(
                        "a source says where it is (valid: url, or folder with format, or demo: true)",
                        "数据源要写明在哪里（合法取值：url，或 folder 加 format，或 demo: true）",
                    )
                )
            if self.format is None:
                raise ValueError(
                    said("folder needs a format (valid: csv, parquet)", "folder 要写 format（合法取值：csv, parquet）")
                )
