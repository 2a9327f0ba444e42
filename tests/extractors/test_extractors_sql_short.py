"""DROP TABLE, TRUNCATE and PRAGMA in prose of two languages, and where they end."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract
from pointsman.extractors.sql import dialect


def found(text: str) -> list[str]:
    return [text[e.start : e.end] for e in extract("sql", text)]


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("truncate logs", "truncate logs"), ("Truncate logs;", "Truncate logs;"),
        ("truncate logs 这样对吗", "truncate logs"), ("truncate logs，对吗", "truncate logs"),
        ("请执行 truncate orders", "truncate orders"),
        ("我用truncate orders 清空了数据", "truncate orders"), ("is truncate logs right?", "truncate logs"),
        ("run truncate orders", "truncate orders"), ("truncate `logs` now", "truncate `logs`"),
        ("please drop table customers right now", "drop table customers"),
        ("we should truncate table audit tonight", "truncate table audit"),
        ("why does drop table users fail with an error", "drop table users"),
        ("please drop table customers, then restart", "drop table customers"),
        ("drop table a, b cascade; thanks", "drop table a, b cascade;"),
        ("drop table if exists a, b", "drop table if exists a, b"),
        ("truncate table a restart identity please", "truncate table a restart identity"),
        ("TRUNCATE TABLE t WITH (PARTITIONS (2))", "TRUNCATE TABLE t WITH (PARTITIONS (2))"),
        ("drop table service;", "drop table service;"), ("the drop table users statement", "drop table users"),
        ("drop table bookings", "drop table bookings"), ("can you drop table bookings", "drop table bookings"),
        ("drop table bookings right now", "drop table bookings"), ("we drop table orders for good", "drop table orders"),
        ("DROP TABLE service", "DROP TABLE service"), ("DROP TABLE t PURGE", "DROP TABLE t PURGE"),
    ],
)  # fmt: skip
def test_short_statements_in_prose(text: str, statement: str) -> None:
    assert found(text) == [statement]


@pytest.mark.parametrize(
    "text",
    [
        "truncate text", "how do I truncate strings in css", "truncate to two decimals", "you may truncate logs",
        "Truncate long titles with an ellipsis", "TRUNCATE 有什么用", "Do not drop table salt on it",
        "drop table tennis from the program", "we will drop table service next month",
        "the drop table rates of the boss", "where is the drop table monsters have", "what does drop table do?",
        "We had to drop table bookings for Saturday", "please drop table reservations after 9 pm", "drop table 5",
        "truncate table names to 30 characters", "drop table rows that are empty",
        "The DROP TABLE statement removes a table", "drop the table, please", "drop table is dangerous",
        "#pragma once", "pragma solidity ^0.8.0;", "#pragma omp_set parallel", "pragma Pack (T);", "a pragma in C",
    ],
)  # fmt: skip
def test_prose_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("PRAGMA foreign_keys = ON; DELETE FROM t WHERE id = 1", "PRAGMA foreign_keys = ON;"),
        ("PRAGMA journal_mode=WAL\nDELETE FROM t WHERE id = 1", "PRAGMA journal_mode=WAL"),
        ("pragma table_info('users') 是干嘛的", "pragma table_info('users')"),
        ("请解释 PRAGMA main.cache_size = -2000 有什么用", "PRAGMA main.cache_size = -2000"),
        ("PRAGMA synchronous = OFF 安全吗", "PRAGMA synchronous = OFF"), ("pragma encoding", "pragma encoding"),
    ],
)  # fmt: skip
def test_pragma_is_a_statement_of_sqlite(text: str, statement: str) -> None:
    first, *others = extract("sql", text)
    assert (text[first.start : first.end], first.value, first.of) == (statement, {"verb": "pragma"}, "pragma")
    assert dialect(statement) == "sqlite"
    assert [e.of for e in others] == ["delete"] * ("DELETE" in text)
