"""What stands in a comment is not run."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract


def found(text: str) -> list[str]:
    return [text[e.start : e.end] for e in extract("sql", text)]


@pytest.mark.parametrize(
    "text",
    [
        "-- drop table users\nSELECT 1 FROM t", "  --drop table users\n SELECT 1 FROM t",
        "-- drop table users\\nSELECT 1 FROM t",
        "# drop table users\nSELECT 1 FROM t", "/* drop table users; */ SELECT 1 FROM t",
        "/*\n delete from t\n*/\nSELECT 1 FROM t",
        "帮我优化：-- drop table users\nSELECT 1 FROM t",
        "```sql\n-- delete from t\n\n-- drop table t\nSELECT 1 FROM t\n```",
        "SELECT 1 FROM t -- drop table users", "SELECT 1 FROM t # drop table users",
        "SELECT 1 FROM t /* drop table users */", "看看\n-- drop table users\n-- truncate table x\nSELECT 1 FROM t",
        "-- '/*'\nSELECT 1 FROM t",
    ],
)  # fmt: skip
def test_a_comment_hides_its_words(text: str) -> None:
    assert found(text) == ["SELECT 1 FROM t"]


def test_a_comment_behind_the_semicolon() -> None:
    assert found("SELECT 1 FROM t; -- drop table a\nDROP TABLE b") == ["SELECT 1 FROM t;", "DROP TABLE b"]


@pytest.mark.parametrize(
    "text",
    [
        "-- clean up\nDROP TABLE users", "-- clean up\\nDROP TABLE users", "/* x */ DROP TABLE users",
        "/*!50000 DROP TABLE users */",
        "/* never closed DROP TABLE users", "ls /* and DROP TABLE users", "I tried -- DROP TABLE users -- in vain",
        "SELECT '/*'; DROP TABLE users; SELECT '*/'", "the marks '/*' DROP TABLE users '*/'", "# How to\nDROP TABLE users",
        "# DROP TABLE users\n\n怎么恢复？", "x' -- \nDROP TABLE users", "SELECT '--' FROM t; DROP TABLE users",
        "---\nDROP TABLE users",
    ],
)  # fmt: skip
def test_what_is_no_comment_hides_nothing(text: str) -> None:
    assert "DROP TABLE users" in [each.removesuffix(";") for each in found(text)]
