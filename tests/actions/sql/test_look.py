"""What is told of statements: mistakes with their place, risk, indexes, better forms that give the same rows."""

from __future__ import annotations

import contextlib
import itertools
import random
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pointsman.actions.child import Room
from pointsman.actions.sql.action import values_of
from pointsman.actions.sql.asked import statement_in, wanted_in
from pointsman.actions.sql.child import examine
from pointsman.actions.sql.dialects import dialect_named
from pointsman.actions.sql.job import Found, Task
from pointsman.actions.sql.told import text_of
from pointsman.ports.action import ActionFailed
from thorough import tries


def look(sql: str, **more: Any) -> Found:
    return examine(Task(sql=sql, **more), Room(Path("/tmp"), 20))


@pytest.mark.parametrize(
    ("sql", "line", "column", "en", "zh"),
    [
        ("SELEC * FROM users", 1, 1, "did you mean SELECT", "是不是 SELECT"),
        ("SELECT *\nFORM users\nWHERE id = 1", 2, 1, "did you mean FROM", "是不是 FROM"),
        ("SELECT * FROM a LEFT JON b ON a.x = b.x", 1, 22, "did you mean JOIN", "是不是 JOIN"),
        ("SELECT * FROM users WHERE", 1, 21, "missing behind “WHERE”", "“WHERE”之后缺少内容"),
        ("SELECT a, FROM t", 1, 9, "nothing follows this comma", "逗号之后没有内容"),
        ("SELECT * FROM t WHERE a = 'x", 1, 27, "never closes", "没有结束"),
        ("SELECT 1 /* a", 1, 10, "a comment opens here", "注释没有结束"),
        ("SELECT (a FROM t", 1, 9, "behind “a” there should be )", "“a”之后缺少 )"),
        ("UPDATE t SET", 1, 10, "SET changes nothing", "SET 之后没有要修改的列"),
        ("SELECT a FROM t WHERE a > > 3", 1, 25, "side by side", "连在了一起"),
        ("SELECT count(*) FROM t GROUP", 1, 24, "not complete", "不完整"),
        ("SELECT 1)", 1, 9, "cannot stand here", "不能出现在这里"),
    ],
)
def test_mistakes_with_their_place(sql: str, line: int, column: int, en: str, zh: str) -> None:
    [mistake] = look(sql).errors
    assert (mistake.line, mistake.column) == (line, column)
    assert en in mistake.message.en and zh in mistake.message.zh
    assert mistake.near.splitlines()[0] == sql.splitlines()[line - 1]
    assert mistake.near.splitlines()[1].index("^") == column - 1


def test_the_mark_stands_below_chinese_letters_too() -> None:
    [mistake] = look("SELECT '中文' FORM t WHERE a = 1").errors
    assert mistake.column == 13 and mistake.near.splitlines()[1].index("^") == 14


@pytest.mark.parametrize(
    ("sql", "codes"),
    [
        ("DELETE FROM users", {"delete_without_where"}),
        ("UPDATE users SET a = 1", {"update_without_where"}),
        ("WITH x AS (SELECT 1) DELETE FROM users", {"delete_without_where"}),
        ("DELETE FROM users WHERE 1 = 1", {"always_true_where"}),
        ("DROP TABLE users", {"drop"}),
        ("TRUNCATE users", {"truncate"}),
        ("SELECT a FROM t, u", {"cartesian"}),
        ("SELECT t.a FROM t JOIN u", {"cartesian"}),
        ("SELECT t.a FROM t, u WHERE t.a = 1 AND u.b = 2", {"cartesian"}),
        ("SELECT t.a FROM t, u WHERE t.a = u.a", set()),
        ("SELECT t.a FROM t CROSS JOIN u", set()),
        ("SELECT t.a FROM t JOIN u USING (a)", set()),
        ("SELECT t.a FROM t JOIN u ON t.a = u.a JOIN v ON v.b = u.b", set()),
        ("SELECT a FROM t, u WHERE x = y", set()),
        ("SELECT * FROM t WHERE a = 1", {"select_star"}),
        ("SELECT count(*) FROM t", set()),
        ("SELECT a FROM t WHERE EXISTS (SELECT * FROM u WHERE u.a = t.a)", set()),
        ("SELECT a FROM t WHERE b LIKE '%x'", {"leading_wildcard"}),
        ("SELECT a FROM t WHERE b NOT LIKE '%x'", {"leading_wildcard"}),
        ("SELECT a FROM t WHERE b LIKE 'x%'", set()),
        ("SELECT a FROM t WHERE lower(b) = 'x'", {"calculated_column"}),
        ("SELECT a FROM t WHERE b + 1 > 5", {"calculated_column"}),
        ("SELECT a FROM t WHERE date(b) BETWEEN '2024-01-01' AND '2024-02-01'", {"calculated_column"}),
        ("SELECT a FROM t WHERE b > 5 - 1", set()),
        ("SELECT a FROM t WHERE a NOT IN (SELECT b FROM u)", {"not_in_null"}),
        ("SELECT a FROM t WHERE a NOT IN (1, NULL)", {"not_in_null"}),
        ("SELECT a FROM t WHERE a NOT IN (1, 2)", set()),
        ("SELECT a FROM t WHERE b = NULL", {"null_comparison"}),
        ("SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 100000", {"far_offset"}),
        ("SELECT a FROM t ORDER BY a LIMIT 10 OFFSET 20", set()),
        ("SELECT a FROM t ORDER BY rand() LIMIT 1", {"random_order"}),
        ("SELECT a FROM t LIMIT 10", {"limit_without_order"}),
        ("SELECT a FROM t WHERE a = 1 OR b = 2", {"or_columns"}),
        ("SELECT a FROM t UNION SELECT b FROM u", {"union"}),
        ("SELECT a, (SELECT max(x) FROM u WHERE u.b = t.b) FROM t", {"query_per_row"}),
        ("INSERT INTO t VALUES (1)", {"insert_without_columns"}),
        ("SELECT a FROM t WHERE name = 'x' OR 1 = 1", {"always_true"}),
    ],
)
def test_findings(sql: str, codes: set[str]) -> None:
    assert {one.code for one in look(sql).findings} == codes


def test_the_worst_comes_first_and_is_the_risk() -> None:
    found = look("SELECT * FROM t LIMIT 5; DROP TABLE t")
    levels = [one.level for one in found.findings]
    assert levels == sorted(levels, key=["high", "medium", "low", "info"].index) and levels[0] == "high"
    values = values_of(found)
    assert values["risk"] == "high" and values["statements"] == ["select", "drop table"] and values["valid"]
    assert found.findings[0].statement == 2
    assert set(values) >= {"dialect", "statements", "errors", "risk", "findings", "indexes", "rewritten", "plan"}


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT a FROM t WHERE b = 1 AND c > 2", [("b", "c")]),
        ("SELECT a FROM t WHERE c > 2 AND b = 1 AND d = 3", [("b", "d", "c")]),
        ("SELECT * FROM t WHERE b = 1 ORDER BY c DESC", [("b", "c")]),
        ("SELECT * FROM t WHERE b = 1 ORDER BY c DESC, d", [("b",)]),
        ("SELECT * FROM t WHERE b IN (1, 2) AND c BETWEEN 1 AND 2", [("b", "c")]),
        ("SELECT * FROM t WHERE b = 1 OR b = 2", [("b",)]),
        ("SELECT * FROM t WHERE b = 1 OR c = 2", []),
        ("SELECT * FROM t WHERE b LIKE 'x%'", [("b",)]),
        ("SELECT * FROM t WHERE b LIKE '%x'", []),
        ("SELECT * FROM t WHERE f(b) = 1", []),
        ("SELECT * FROM t", []),
        ("SELECT * FROM t JOIN u ON t.u_id = u.id WHERE t.s = 'x'", [("s",)]),
        ("SELECT * FROM t LEFT JOIN u ON u.t_id = t.id", [("t_id",)]),
        ("DELETE FROM t WHERE b < 5", [("b",)]),
        ("UPDATE t SET a = 1 WHERE b = 5 AND c = ?", [("b", "c")]),
        ("SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id AND u.k = 1)", [("t_id", "k")]),
        ("WITH w AS (SELECT * FROM t WHERE b = 1) SELECT * FROM w WHERE c = 2", [("b",)]),
    ],
)
def test_indexes_equality_first_then_range_or_order(sql: str, columns: list[tuple[str, ...]]) -> None:
    found = look(sql).indexes
    assert [tuple(one.columns) for one in found] == columns or {frozenset(one.columns) for one in found} == {
        frozenset(one) for one in columns
    }
    assert not any(one.known for one in found)


def test_an_index_that_covers_and_one_on_an_expression() -> None:
    [index] = look("SELECT total FROM orders WHERE state = 'open'", dialect="postgres").indexes
    assert index.ddl == "CREATE INDEX idx_orders_state ON orders (state) INCLUDE (total);"
    [index] = look("SELECT * FROM users WHERE lower(email) = 'x'", dialect="postgres").indexes
    assert index.columns == ("LOWER(email)",) and "(LOWER(email))" in index.ddl
    [index] = look('SELECT * FROM "Odd Table" WHERE "Net Sum" = 1', dialect="postgres").indexes
    assert '"Odd Table" ("Net Sum")' in index.ddl


def test_translated() -> None:
    found = look("SELECT IFNULL(a, 0) FROM `t` LIMIT 10, 20", dialect="mysql", to="postgres")
    assert found.translated and "COALESCE(a, 0)" in found.translated and '"t"' in found.translated
    assert "OFFSET 10" in found.translated


def test_whose_it_is() -> None:
    assert look("SELECT `a` FROM `t`").dialect == "mysql"
    assert look("SELECT a::text FROM t").dialect == "postgres"
    assert look("SELECT TOP 5 [a] FROM [t]").dialect == "tsql"
    assert look("SELECT a FROM t", default="oracle").dialect == "oracle"
    assert [dialect_named(one) for one in ("PostgreSQL", "pg", "MySQL 8", "SQL Server", "sqlite3", "cobol")] == [
        "postgres", "postgres", "mysql", "tsql", "sqlite", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "statement", "wanted"),
    [
        ("帮我优化这段SQL：SELECT * FROM users WHERE age > 18", "SELECT * FROM users WHERE age > 18", (None, None)),
        ("把这条 MySQL 转成 PostgreSQL：\n```sql\nSELECT 1\n```", "SELECT 1", ("mysql", "postgres")),
        ("Convert this to MySQL: SELECT a FROM t", "SELECT a FROM t", (None, "mysql")),
        ("Please check my Oracle query: SELECT a FROM t WHERE rownum < 5", None, ("oracle", None)),
        ("Is this right? SELEC * FORM users", "SELEC * FORM users", (None, None)),
        ("SELECT 1;\nDROP TABLE t", "SELECT 1;\nDROP TABLE t", (None, None)),
    ],
)
def test_the_statement_in_words(question: str, statement: str | None, wanted: tuple[str | None, str | None]) -> None:
    found, around = statement_in(question)
    assert statement is None or found == statement
    assert wanted_in(around) == wanted


def test_no_statement_is_said() -> None:
    for question in ("hello", "", "帮我优化一下", "x" * 70_000):
        with pytest.raises(ActionFailed) as raised:
            statement_in(question)
        assert raised.value.code == "no_statement" and raised.value.message.zh  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "bomb",
    [
        "SELECT " + "(" * 3000 + "1" + ")" * 3000,
        "SELECT " + " + ".join(["1"] * 2900),
        "SELECT a FROM t WHERE " + " OR ".join(["a = 1"] * 1000),
        "SELECT a FROM t WHERE " + "NOT " * 5000 + "a",
        "SELECT " + "CASE WHEN a THEN " * 200 + "1" + " END" * 200,
        "SELECT " + "-" * 1 + "- " + "1",
        "SELECT 1" + ";SELECT 1" * 3000,
        "WITH " + ", ".join(f"a{n} AS (SELECT * FROM a{n - 1})" for n in range(1, 300)) + " SELECT * FROM a1",
        "SELECT " + "a." * 2000 + "b",
        "SELECT * FROM " + ", ".join(f"t{n}" for n in range(1500)),
        "/*" * 2000,
        "SELECT '" + "'" * 4001,
        "INSERT INTO t VALUES " + ",".join(["(1)"] * 1400),
        "SELECT [" * 2000,
    ],
)
def test_texts_made_to_hurt_end_soon(bomb: str) -> None:
    with contextlib.suppress(ActionFailed):
        look(bomb)


def test_both_languages_and_roles() -> None:
    found = look("SELECT * FROM orders WHERE status = 'x' AND year(day) = 2024 LIMIT 5")
    en, zh = text_of(found, "", "en"), text_of(found, "", "zh")
    assert "**Risk: medium**" in en and "Indexes that would help" in en and "CREATE INDEX" in en
    assert "**风险：中**" in zh and "索引建议" in zh and "CREATE INDEX" in zh
    analyst = text_of(found, "analyst", "zh")
    assert "等值条件" in analyst and "等值条件" not in zh
    assert "is computed for each row" in en and "要逐行计算" in zh


@pytest.fixture
def shop(tmp_path: Path) -> str:
    path = tmp_path / "shop.sqlite"
    chance = random.Random(7)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript("""
            CREATE TABLE orders (id INTEGER PRIMARY KEY, customer INT NOT NULL, state TEXT, total REAL, day DATE NOT NULL);
            CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT, boss INT);
            CREATE TABLE closed (customer INT NOT NULL, why TEXT);
            CREATE INDEX orders_state ON orders (state);
            CREATE VIEW open_orders AS SELECT * FROM orders WHERE state = 'open';
        """)
        states = ["open", "paid", None]
        days = [f"2024-0{1 + n % 9}-1{n % 9}" for n in range(40)]
        database.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
            [
                (n, chance.randint(1, 60), chance.choice(states), chance.choice([None, 1.5, n]), chance.choice(days))
                for n in range(1, 900)
            ],
        )
        rows = [(n, chance.choice(["a", "b", None]), chance.choice([None, 1, 2])) for n in range(1, 50)]
        database.executemany("INSERT INTO customers VALUES (?, ?, ?)", rows)
        database.executemany("INSERT INTO closed VALUES (?, 'x')", [(n,) for n in range(10, 20)])
        database.commit()
    return f"sqlite:///{path}"


def test_sqlites_plan_and_schema(shop: str) -> None:
    found = look("SELECT id FROM orders WHERE total > 5", url=shop, source="shop")
    assert found.plan and "read all of orders (899 rows)" in found.plan.steps[0].message.en
    assert "逐行扫描整张表 orders（899 行）" in found.plan.steps[0].message.zh
    assert found.indexes[0].known and found.indexes[0].columns == ("total",)
    found = look("SELECT id FROM orders WHERE state = 'open'", url=shop, source="shop")
    assert found.indexes == () and "orders_state" in found.plan.steps[0].message.en  # type: ignore[union-attr]
    found = look("SELECT city FROM customers WHERE id = ? AND boss = :b", url=shop, source="shop")
    assert found.plan and "by its key" in found.plan.steps[0].message.en
    found = look("SELECT nobody FROM orders", url=shop, source="shop")
    assert found.errors[0].column == 8 and "no such column" in found.errors[0].message.zh


REWRITTEN = [
    "SELECT id FROM orders WHERE state = 'open' OR state = 'paid'",
    "SELECT id FROM orders WHERE 1 = 1 AND total > 5 AND (state = 'open' OR total < 8)",
    "SELECT * FROM orders WHERE customer = 5 OR customer = 6 OR customer = 5",
    "SELECT o.id, c.city FROM orders o, customers c WHERE o.customer = c.id AND c.city = 'a'",
    "SELECT o.id FROM orders o, customers c, closed x WHERE o.customer = c.id AND x.customer = c.id AND o.total > 3",
    "SELECT id FROM customers WHERE id NOT IN (SELECT customer FROM closed)",
    "SELECT c.id FROM customers c WHERE c.id NOT IN (SELECT customer FROM closed WHERE why = 'x') AND c.boss = 1",
    "SELECT * FROM open_orders WHERE 1 = 1",
    "SELECT id FROM customers WHERE 1 = 1",
    "SELECT * FROM (SELECT * FROM orders WHERE customer = 1 OR customer = 2) AS s",
]


@pytest.mark.parametrize("sql", REWRITTEN)
def test_what_is_rewritten_gives_the_same_rows(shop: str, sql: str) -> None:
    found = look(sql, url=shop, source="shop")
    assert found.rewritten is not None and found.rewritten.reasons and found.rewritten.diff
    with contextlib.closing(sqlite3.connect(shop.removeprefix("sqlite:///"))) as database:
        before, after = (sorted(map(repr, database.execute(one).fetchall())) for one in (sql, found.rewritten.sql))
    assert before == after and before


def test_rewritings_put_together_at_random_give_the_same_rows(shop: str) -> None:
    chance = random.Random(99)
    conditions = [
        "o.state = 'open'", "(o.state = 'open' OR o.state = 'paid')", "1 = 1", "o.total > 3", "NOT (o.total > 100)",
        "(o.total > 5 OR o.customer = 3 OR o.customer = 4)", "o.customer = c.id", "c.city IS NULL", "'a' = 'a'",
        "o.customer NOT IN (SELECT customer FROM closed)",
        "c.id NOT IN (SELECT x.customer FROM closed x WHERE x.customer > c.id)",
        "c.boss NOT IN (SELECT customer FROM closed)", "c.id IN (SELECT customer FROM closed)", "o.total = NULL",
        "(c.boss = 1 OR c.boss = 2)", "(c.city = 'a' OR c.city = 'b') AND o.id < 200",
    ]  # fmt: skip
    seen = 0
    with contextlib.closing(sqlite3.connect(shop.removeprefix("sqlite:///"))) as database:
        for _ in range(tries(40, 150)):
            some = chance.sample(conditions, chance.randint(1, 4))
            sql = f"SELECT o.id, c.id FROM orders o, customers c WHERE {' AND '.join(some)}"
            found = look(sql, url=shop, source="shop")
            if found.rewritten is not None:
                seen += 1
                one, two = (sorted(database.execute(text).fetchall()) for text in (sql, found.rewritten.sql))
                assert one == two, (sql, found.rewritten.sql)
    assert seen > tries(15, 60)


def test_sqlite_is_never_written_to(shop: str, tmp_path: Path) -> None:
    path = Path(shop.removeprefix("sqlite:///"))
    before = path.read_bytes()
    other = tmp_path / "other.sqlite"
    statements = [
        "DELETE FROM orders", "UPDATE orders SET total = 0", "INSERT INTO closed VALUES (1, 'x')", "DROP TABLE orders",
        f"ATTACH DATABASE '{other}' AS other", f"VACUUM INTO '{other}'", "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = WAL",
        "CREATE TABLE x (a)", "SELECT 1; DROP TABLE orders", "REPLACE INTO closed VALUES (1, 'y')", "BEGIN IMMEDIATE",
        "SELECT load_extension('x')", f"SELECT writefile('{other}', 'x')", "SELECT * FROM pragma_journal_mode('delete')",
        "SELECT * FROM pragma_table_info('orders')", "WITH d AS (SELECT 1) DELETE FROM orders", "REINDEX", "ANALYZE",
        "INSERT INTO orders SELECT * FROM orders ON CONFLICT DO NOTHING RETURNING *", "SAVEPOINT x",
        "ANALYZE; DELETE FROM orders", "SELECT edit('x')",
    ]  # fmt: skip
    chance = random.Random(3)
    glue = [";", " ", "\n", " -- ", " /* ", " */ ", "'", '"', " UNION ALL ", " ( "]
    mixed = [one + chance.choice(glue) + two for one, two in itertools.product(statements, repeat=2)]
    for sql in [*statements, *mixed]:
        with contextlib.suppress(ActionFailed):
            look(sql, url=shop, source="shop", dialect="sqlite")
    assert path.read_bytes() == before
    assert {one.name for one in tmp_path.iterdir()} == {path.name}
