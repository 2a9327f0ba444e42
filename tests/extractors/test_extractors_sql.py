"""SQL and prose with SQL's words in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.extractors import extract
from pointsman.extractors.sql import destructive, dialect

CASES = [
    ("select the best option from the list", []),
    ("drop me a line, update the settings", []),
    ("从列表 select", []),
    ("SELECT * FROM users WHERE id=1;", [("SELECT * FROM users WHERE id=1;", {"verb": "select"})]),
    (
        "解释 select name, age from users where age > 18 是什么意思",
        [("select name, age from users where age > 18", {"verb": "select"})],
    ),
    (
        "WITH a AS (SELECT 1) DELETE FROM t WHERE x IN (SELECT * FROM a)",
        [("WITH a AS (SELECT 1) DELETE FROM t WHERE x IN (SELECT * FROM a)", {"verb": "delete"})],
    ),
    ("执行 DROP TABLE users", [("DROP TABLE users", {"verb": "drop"})]),
    ("create a table of contents; create table of contents", []),
    ("```sql\nupdate t set a=1\nwhere b=2\n```", [("update t set a=1\nwhere b=2", {"verb": "update"})]),
    ("delete from cart items please", []),
    ("insert into the box; truncate the string; grant me access to it; merge into main", []),
    (
        "INSERT INTO t (a) VALUES (1); DELETE FROM t",
        [("INSERT INTO t (a) VALUES (1);", {"verb": "insert"}), ("DELETE FROM t", {"verb": "delete"})],
    ),
    ("GRANT ALL PRIVILEGES ON db.* TO 'u'@'h'", [("GRANT ALL PRIVILEGES ON db.* TO 'u'@'h'", {"verb": "grant"})]),
    ("EXEC sp_help 'x'; exec summary", [("EXEC sp_help 'x';", {"verb": "exec"})]),
    (
        "MERGE INTO t USING s ON (t.id=s.id) WHEN MATCHED THEN UPDATE SET a=1",
        [("MERGE INTO t USING s ON (t.id=s.id) WHEN MATCHED THEN UPDATE SET a=1", {"verb": "merge"})],
    ),
    ("You can select items from our menu with ease.", []),
    ("alter table t add column c int，这句对吗", [("alter table t add column c int", {"verb": "alter"})]),
    (
        "SELECT 姓名, 工资 FROM 员工 WHERE 部门='销售'，帮我优化",
        [("SELECT 姓名, 工资 FROM 员工 WHERE 部门='销售'", {"verb": "select"})],
    ),
    ("Please delete from my account the old photos. Select a color from the palette.", []),
    ("with this plan as a guide, select one", []),
    ("TRUNCATE TABLE logs", [("TRUNCATE TABLE logs", {"verb": "truncate"})]),
    (
        "select id -- c\nfrom t /* x */ where a = 'b;c'",
        [("select id -- c\nfrom t /* x */ where a = 'b;c'", {"verb": "select"})],
    ),
    ("REVOKE SELECT ON t FROM bob", [("REVOKE SELECT ON t FROM bob", {"verb": "revoke"})]),
    ("Run `DELETE FROM users` now", [("DELETE FROM users", {"verb": "delete"})]),
    (
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT)",
        [("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)", {"verb": "create"})],
    ),
    ("帮我写一个 SQL 查询", []),
    ("select * from orders limit 10", [("select * from orders limit 10", {"verb": "select"})]),
    ("Please update me and delete the file from disk.", []),
    ("I want to create a view of the index in the database", []),
    (
        "SELECT COUNT(*) FROM a JOIN b ON a.id=b.id GROUP BY a.x HAVING COUNT(*)>1 ORDER BY 1 DESC",
        [
            (
                "SELECT COUNT(*) FROM a JOIN b ON a.id=b.id GROUP BY a.x HAVING COUNT(*)>1 ORDER BY 1 DESC",
                {"verb": "select"},
            )
        ],
    ),
    (
        "这条 update users set age = age + 1 where id = 3 会锁表吗？",
        [("update users set age = age + 1 where id = 3", {"verb": "update"})],
    ),
    ("drop the table, alter your plan, grant permission to users", []),
    ("Insert a coin into the machine. Select from our range.", []),
    ("CREATE INDEX idx_a ON t(a)", [("CREATE INDEX idx_a ON t(a)", {"verb": "create"})]),
    ("drop database test;", [("drop database test;", {"verb": "drop"})]),
    (
        "create table if not exists `u` (id int) engine=innodb;",
        [("create table if not exists `u` (id int) engine=innodb;", {"verb": "create"})],
    ),
    (
        "with t as (select id from a) select * from t",
        [("with t as (select id from a) select * from t", {"verb": "select"})],
    ),
    ("delete from logs where day < '2024-01-01'", [("delete from logs where day < '2024-01-01'", {"verb": "delete"})]),
    ("How do I delete a row from a table in Excel? Update my profile set.", []),
    ("执行：TRUNCATE orders;", [("TRUNCATE orders;", {"verb": "truncate"})]),
    ("SELECT name FROM users\n\n这个语句怎么优化？", [("SELECT name FROM users", {"verb": "select"})]),
    ("请解释 SELECT DISTINCT city FROM customers;", [("SELECT DISTINCT city FROM customers;", {"verb": "select"})]),
    ("从表里选择 select 选项，with as 用法", []),
    ("select name from users", [("select name from users", {"verb": "select"})]),
    ("Is SELECT * FROM users WHERE id = 1 slow?", [("SELECT * FROM users WHERE id = 1", {"verb": "select"})]),
    ("select 1", [("select 1", {"verb": "select"})]),
    ("select 1 option; select one", []),
    ("'select a from b'", [("select a from b", {"verb": "select"})]),
    ("please drop user feedback into the box", []),
    ("\"SELECT a FROM b WHERE c='d'\" 报错", [("SELECT a FROM b WHERE c='d'", {"verb": "select"})]),
    (
        "SELECT CASE WHEN a>1 THEN 'x' ELSE 'y' END FROM t",
        [("SELECT CASE WHEN a>1 THEN 'x' ELSE 'y' END FROM t", {"verb": "select"})],
    ),
    ("The query SELECT id FROM users returns nothing.", [("SELECT id FROM users", {"verb": "select"})]),
    ("I will delete from memory; you can select colors from palettes.", []),
]


@pytest.mark.parametrize(("text", "found"), CASES)
def test_sql(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("sql", text)] == found


RISKS = [
    ("DROP TABLE t", "drop"),
    ("drop database x", "drop"),
    ("DR/**/OP TABLE t", "drop"),
    ("de/*x*/lete fr/**/om t", "delete without where"),
    ("SELECT 'dr/**/op table t'", None),
    ("DROP/**/TABLE/**/t", "drop"),
    ("/*!50000 DROP TABLE t */", "drop"),
    ("SELECT 'drop table t'", None),
    ('SELECT "drop table t" FROM a', None),
    ("SELECT 1 -- drop table t", None),
    ("select 1; drop table t", "drop"),
    ("TRUNCATE t", "truncate"),
    ("truncate table t", "truncate"),
    ("DELETE FROM t", "delete without where"),
    ("DELETE FROM t WHERE id=1", None),
    ("DELETE FROM t WHERE 1=1", "always true where"),
    ("delete from t where id=1 or 1=1", "always true where"),
    ("delete from t where true", "always true where"),
    ("UPDATE t SET a=1", "update without where"),
    ("UPDATE t SET a=1 WHERE 'a'='a'", "always true where"),
    ("update t set a=(select b from c where d=1)", "update without where"),
    ("UPDATE t SET a=1 WHERE id=3", None),
    ("ALTER TABLE t DROP COLUMN c", "alter drop"),
    ("ALTER TABLE t ADD c int", None),
    ("ALTER TABLE t ALTER COLUMN c DROP NOT NULL", None),
    ("GRANT ALL PRIVILEGES ON *.* TO x", "grant all"),
    ("GRANT SELECT ON t TO x", None),
    ("EXEC xp_cmdshell 'dir'", "xp_cmdshell"),
    ("exec master..xp_cmdshell 'dir'", "xp_cmdshell"),
    ("WITH a AS (SELECT 1) DELETE FROM t", "delete without where"),
    ("WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "delete without where"),
    ("SELECT * FROM t FOR UPDATE", None),
    ("CREATE TABLE a (b int REFERENCES c ON DELETE CASCADE ON UPDATE CASCADE)", None),
    ("SELECT * FROM t WHERE 1=1", None),
    ("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a=1", None),
    ("DELETE FROM t -- where id=1", "delete without where"),
    ("DELETE FROM t WHERE id=id", "always true where"),
    ("DELETE FROM t WHERE id=1 AND 1=1", None),
    ("SELECT `drop` FROM t", None),
    ("DELETE FROM [where] ", "delete without where"),
    ("DELETE t FROM t JOIN u ON t.a=u.a WHERE u.b=2", None),
    ("delete\n\tfrom\nt", "delete without where"),
    ("BEGIN; DELETE FROM t; COMMIT", "delete without where"),
    ("MERGE INTO t USING s ON t.a=s.a WHEN MATCHED THEN UPDATE SET b=1", None),
    ("MERGE INTO t USING s ON t.a=s.a WHEN MATCHED THEN DELETE", None),
    ("DROP USER bob", "drop"),
    ("REPLACE INTO t VALUES (1)", None),
    ("UPDATE t SET a=1 WHERE 1", "always true where"),
    ("DELETE FROM t WHERE NOT 1=2", "always true where"),
    ("DELETE FROM t WHERE (1=1)", "always true where"),
    ("DELETE FROM t WHERE id > 0", None),
    ("DELETE FROM t LIMIT 10", "delete without where"),
    ("select truncate(1.5, 1) from t", None),
    ("CREATE TRIGGER x AFTER DELETE ON t BEGIN DELETE FROM u; END", "delete without where"),
    ("GRANT ALL ON t TO x", "grant all"),
    ("EXPLAIN DELETE FROM t", "delete without where"),
    ("CREATE TRIGGER x BEFORE UPDATE ON t FOR EACH ROW SET NEW.a=1", None),
    ("ALTER DATABASE x SET y=1", None),
    ("DROP PARTITION", None),
    ("DELETE FROM t WHERE 1=1 OR id=3", "always true where"),
    ("DELETE FROM t WHERE id=3 AND (1=1 OR id=4)", None),
    ("DELETE FROM t WHERE NOT FALSE", "always true where"),
    ("DELETE FROM t WHERE FALSE", None),
    ("DELETE FROM t WHERE 1=1\nGO\nSELECT 1", "always true where"),
    ("DELETE FROM t\nGO\nSELECT a FROM u WHERE b=1", "delete without where"),
    ("DELETE FROM t WHERE 1=1，这样行吗", "always true where"),
    ("DELETE\u00a0FROM\u3000t", "delete without where"),
    ("ＤＲＯＰ　ＴＡＢＬＥ t", "drop"),
    ("DROP\\tTABLE\\nt", "drop"),
    ("SELECT 1; -- x\\nDROP TABLE t", "drop"),
    ("DR\u200bOP TABLE t", "drop"),
]
DIALECTS = [
    ("SELECT `a` FROM t", "mysql"),
    ("SELECT * FROM t LIMIT 5,10", "mysql"),
    ("CREATE TABLE t (id INT AUTO_INCREMENT) ENGINE=InnoDB", "mysql"),
    ("SELECT a::int FROM t", "postgres"),
    ("SELECT * FROM t WHERE a ILIKE 'x'", "postgres"),
    ("INSERT INTO t VALUES (1) RETURNING id", "postgres"),
    ("CREATE TABLE t (id SERIAL)", "postgres"),
    ("SELECT DISTINCT ON (a) * FROM t", "postgres"),
    ("DO $$ BEGIN END $$", "postgres"),
    ("PRAGMA table_info(t)", "sqlite"),
    ("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)", "sqlite"),
    ("CREATE TABLE t (a) WITHOUT ROWID", "sqlite"),
    ("SELECT TOP 10 * FROM t", "tsql"),
    ("SELECT [a] FROM [dbo].[t]", "tsql"),
    ("CREATE TABLE t (a NVARCHAR(10))", "tsql"),
    ("SELECT GETDATE()", "tsql"),
    ("SELECT 1\nGO\n", "tsql"),
    ("SELECT * FROM t WHERE ROWNUM < 5", "oracle"),
    ("SELECT 1 FROM DUAL", "oracle"),
    ("SELECT NVL(a,0) FROM t", "oracle"),
    ("SELECT SYSDATE FROM dual", "oracle"),
    ("SELECT a FROM t CONNECT BY PRIOR a=b", "oracle"),
    ("SELECT * FROM t LIMIT 10", None),
    ("SELECT 1", None),
    ("INSERT OR REPLACE INTO t VALUES (1)", "sqlite"),
    ("SELECT '`' FROM t", None),
    ("SELECT top FROM t", None),
    ("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a=1", "mysql"),
    ("SELECT IFNULL(a,0) FROM t", None),
    ("SELECT ISNULL(a,0) FROM t", "tsql"),
    ("SELECT a FROM t WHERE b = $1", None),
    ("SELECT ARRAY[1,2]", None),
    ("SELECT CURDATE()", "mysql"),
    ("SELECT TOP (5) a FROM t", "tsql"),
    ("DECLARE @x INT", "tsql"),
    ("SELECT a FROM t1, t2 WHERE t1.id = t2.id(+)", "oracle"),
    ("SELECT NOW() - INTERVAL '1 day'", "postgres"),
    ("SELECT NOW() - INTERVAL 1 DAY", "mysql"),
    ("SELECT a || b FROM t", None),
    ("SELECT * FROM t WHERE d >= TO_DATE('2024','YYYY')", None),
    ("SELECT strftime('%Y', d) FROM t", "sqlite"),
    ("SHOW TABLES", "mysql"),
    ("SELECT STRING_AGG(a, ',') FROM t", None),
    ("EXEC xp_cmdshell 'dir'", "tsql"),
    ("exec master..xp_cmdshell 'dir'", "tsql"),
    ("xp_cmdshell 'dir'", None),
    ("SELECT 1\nGO 5", "tsql"),
    ("SELECT 1 AS\ngo FROM t", None),
    ("PRAGMA foreign_keys = ON; SELECT 1", "sqlite"),
]


@pytest.mark.parametrize(("statement", "why"), RISKS)
def test_what_a_statement_destroys(statement: str, why: str | None) -> None:
    assert destructive(statement) == why


@pytest.mark.parametrize(
    ("statement", "why"), [r for r in RISKS if not any(mark in r[0] for mark in ("'", '"', "--", "/*", "\\"))]
)
def test_case_comments_and_white_space_hide_nothing(statement: str, why: str | None) -> None:
    assert destructive(statement.swapcase().replace(" ", "\n/* where 1=2; */\t-- drop table x\n")) == why


@pytest.mark.parametrize(("statement", "name"), DIALECTS)
def test_whose_sql_it_is(statement: str, name: str | None) -> None:
    assert dialect(statement) == name


WHOLE = [  # text, its statements, and what each destroys
    ("DELETE FROM users WHERE TRUE 会怎样", ["DELETE FROM users WHERE TRUE"], ["always true where"]),
    ("delete from users where true please", ["delete from users where true"], ["always true where"]),
    ("DELETE FROM users WHERE NOT FALSE 对吗", ["DELETE FROM users WHERE NOT FALSE"], ["always true where"]),
    ("UPDATE t SET a = NULL 会怎样", ["UPDATE t SET a = NULL"], ["update without where"]),
    ("update t set a=1 where 1=1 or id=2 行吗", ["update t set a=1 where 1=1 or id=2"], ["always true where"]),
    ("DELETE FROM t WHERE 1 会删多少行", ["DELETE FROM t WHERE 1"], ["always true where"]),
    ("帮我跑 exec master..xp_cmdshell 'dir' 有风险吗", ["exec master..xp_cmdshell 'dir'"], ["xp_cmdshell"]),
    ("日志里的EXEC master.dbo.xp_cmdshell 'dir'，要紧吗", ["EXEC master.dbo.xp_cmdshell 'dir'"], ["xp_cmdshell"]),
    ("What if I run DELETE FROM orders WHERE TRUE?", ["DELETE FROM orders WHERE TRUE"], ["always true where"]),
    ("DELETE FROM orders WHERE TRUE会怎样", ["DELETE FROM orders WHERE TRUE"], ["always true where"]),
    ("DROP TABLE users会怎样", ["DROP TABLE users"], ["drop"]),
    ("DROP TABLE user表，t_订单", ["DROP TABLE user表"], ["drop"]),
    ("先 drop table a and drop table b 再说", ["drop table a", "drop table b"], ["drop", "drop"]),
]


@pytest.mark.parametrize(("text", "found", "why"), WHOLE)
def test_what_the_statements_of_a_text_destroy(text: str, found: list[str], why: list[str]) -> None:
    finds = [text[e.start : e.end] for e in extract("sql", text)]
    assert finds == found
    assert [destructive(each) for each in finds] == why


@pytest.mark.parametrize(
    "text",
    [
        "DELETE 和 TRUNCATE 有什么区别", "DROP、DELETE、TRUNCATE 三者的区别", "SELECT 和 FROM 是什么意思",
        "TRUNCATE 与 DELETE 哪个快", "DROP TABLE 和 TRUNCATE TABLE 有什么区别", "TRUNCATE TABLE 会锁表吗",
        "INSERT INTO 和 REPLACE INTO 的区别", "UPDATE 和 SET 怎么用", "CREATE TABLE 或 ALTER TABLE 怎么写",
        "SELECT/FROM/WHERE 的顺序", "SELECT DISTINCT 与 GROUP BY 的区别，FROM 在哪", "DELETE FROM 是什么",
        "DROP TABLE 语句怎么用", "WITH 和 AS 的用法", "EXEC 和 EXECUTE 一样吗", "the drop table command",
        "difference between drop table and truncate table", "drop table vs truncate table",
    ],
)  # fmt: skip
def test_talk_about_keywords_is_no_statement(text: str) -> None:
    assert extract("sql", text) == ()


def test_a_statement_behind_talk_is_found() -> None:
    text = "SELECT * 和 SELECT name FROM t 哪个快"
    assert [text[e.start : e.end] for e in extract("sql", text)] == ["SELECT name FROM t"]
    assert extract("sql", "SELECT * 和 INSERT 里的 FROM t 是什么") == ()
    text = "SELECT 1 UNION SELECT 2 FROM t"
    assert [e.end for e in extract("sql", text)] == [len(text)]


@pytest.mark.parametrize(
    "table",
    ["订单", "员工", "会员", "用户", "在职员工", "对账单", "有效订单", "等级表", "不良记录", "及格名单", "比赛"],
)
def test_a_table_may_have_a_chinese_name(table: str) -> None:
    for text in (f"SELECT * FROM {table}", f"DROP TABLE {table}", f"DELETE FROM {table} WHERE id = 1"):
        assert [text[e.start : e.end] for e in extract("sql", f"请看 {text}。".removeprefix("请看 "))] == [text]


def test_a_list_between_two_keywords_is_a_statement_before_english_words() -> None:
    for text, rest in [
        ("select distinct country from users", " please convert it to pandas"),
        ("select distinct country from users", " convert this to pandas"),
        ("select name from users", " explain this"),
    ]:
        [found] = extract("sql", text + rest)
        assert (found.start, found.end) == (0, len(text))
    assert extract("sql", "you can select distinct colors from our palette") == ()
    assert extract("sql", "I select colors from palettes please") == ()


def test_a_go_line_belongs_to_the_statement_before_it() -> None:
    text = "SELECT TOP 5 a FROM t;\nGO\nDELETE FROM x WHERE id = 1\n\ngo 2\n谢谢"
    finds = [text[e.start : e.end] for e in extract("sql", text)]
    assert finds == ["SELECT TOP 5 a FROM t;\nGO", "DELETE FROM x WHERE id = 1\n\ngo 2"]
    assert [dialect(each) for each in finds] == ["tsql", "tsql"]
    text = "SELECT a FROM t -- all\r\nGO\r\n"
    assert [e.end for e in extract("sql", text)] == [len(text) - 2]
    text = "SELECT a FROM t\ngo to the next page"
    assert [e.end for e in extract("sql", text)] == [15]


def test_narrowing_is_the_verb() -> None:
    assert [e.of for e in extract("sql", "DROP TABLE a; DELETE FROM b")] == ["drop", "delete"]


def test_a_string_with_a_semicolon_does_not_end_a_statement() -> None:
    text = "INSERT INTO t VALUES ('a; DROP TABLE t'); 谢谢"
    assert [text[e.start : e.end] for e in extract("sql", text)] == ["INSERT INTO t VALUES ('a; DROP TABLE t');"]


def test_a_body_keeps_its_semicolons() -> None:
    text = "CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE u SET a = 1; DELETE FROM v; END; 解释一下"
    assert [text[e.start : e.end] for e in extract("sql", text)] == [text.removesuffix(" 解释一下")]


@given(
    st.lists(
        st.sampled_from(
            [*"'\"`[]();-#*/\n ", "--", "/*", "*/", "drop table t", "delete from t", "where", "1=1", "or", "é", "订"]
        )
    )
)
def test_no_text_crashes_the_guards(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert destructive(text) is None or any(verb in text for verb in ("drop", "delete"))
    dialect(text)


@given(st.text(st.sampled_from('ab1 ;\n-/*"`'), max_size=30).map(lambda inside: "'" + inside + "'"))
def test_what_stands_in_a_string_counts_for_nothing(string: str) -> None:
    assert destructive(f"SELECT {string} FROM t") is None
    assert destructive(f"DELETE FROM t WHERE a = {string}") is None
    assert destructive(f"SELECT {string}; DROP TABLE t") == "drop"
