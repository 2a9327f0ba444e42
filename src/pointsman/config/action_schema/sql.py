"""`sql:` what can be said of a statement without running it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pointsman.config.section import Section


class Sql(Section, frozen=True):
    """Syntax, risk, advice on indexes, a better form, and the plan of a database that is connected read-only."""

    source: (
        Annotated[
            str, Meta(description="a name under sources whose own EXPLAIN is asked: SQLite, PostgreSQL or the demo")
        ]
        | None
    ) = None
    dialect: (
        Annotated[str, Meta(description="of statements that do not show theirs: MySQL, PostgreSQL, SQL Server, …")]
        | None
    ) = None
