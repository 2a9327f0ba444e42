"""From an understood request for a report to a PDF, XLSX or CSV file, without any model.

The gateway imports `runner`, `settings`, `failure` and `demo_reports`; they need nothing beyond its own dependencies.
The rest (SQLAlchemy, DuckDB, typst, XlsxWriter: the extra `report`) is imported by `child` alone, in a process of its
own."""
