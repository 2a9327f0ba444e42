"""`bench log --million`, of fewer: every query answers, and the table has it."""

from __future__ import annotations

from pointsman.bench.log_million import run_million
from pointsman.bench.log_million_tables import log_million_tables
from pointsman.bench.results import Results


def test_of_a_few_thousand() -> None:
    told: list[str] = []
    results: Results = run_million(3000, 1, told.append)
    assert not results.failures
    [table] = log_million_tables(results)
    assert len(table.lines) == len(results.rows) - 1 == 16
    assert "3,000 requests" in table.title
    assert all(float(cell.replace(",", "")) > 0 for line in table.lines for cell in line[1:4])
