"""Names of dialects, as people write them and as sqlglot has them."""

from __future__ import annotations

SHOWN = {
    "mysql": "MySQL",
    "postgres": "PostgreSQL",
    "sqlite": "SQLite",
    "tsql": "SQL Server",
    "oracle": "Oracle",
    "duckdb": "DuckDB",
    "clickhouse": "ClickHouse",
    "hive": "Hive",
    "spark": "Spark",
    "snowflake": "Snowflake",
    "bigquery": "BigQuery",
}
"""sqlglot's name → what people call it."""
_ALIASES = {
    "postgresql": "postgres",
    "pg": "postgres",
    "mariadb": "mysql",
    "sqlserver": "tsql",
    "mssql": "tsql",
    "sqlite3": "sqlite",
    "sparksql": "spark",
}
VALID = ", ".join(SHOWN.values())


def dialect_named(text: str) -> str | None:
    """sqlglot's name of what somebody wrote: `PostgreSQL`, `sql server`, `mysql 8`; None for none of them."""
    plain = "".join(c for c in text.lower() if c.isalpha() or (c == "3" and text.lower().strip() == "sqlite3"))
    plain = _ALIASES.get(plain, plain)
    return plain if plain in SHOWN else None


def shown(dialect: str | None) -> str:
    return SHOWN.get(dialect or "", "SQL")
