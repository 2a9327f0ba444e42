"""A real PostgreSQL: its plan in words, its schema in the advice, and no statement that ever changes anything, even where
the user that is configured could."""

from __future__ import annotations

import contextlib
import random
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pg8000.native
import pytest

from pointsman.actions.child import Room
from pointsman.actions.sql.child import examine
from pointsman.actions.sql.explained import Statement
from pointsman.actions.sql.job import Found, Task
from pointsman.actions.sql.on_postgres import postgres_open
from postgres import cluster, programs
from thorough import tries

PASSWORD = f"p@ss:/{secrets.token_hex(4)}%secret"
SCHEMA = """
CREATE TABLE customers (id serial PRIMARY KEY, city text NOT NULL, email text);
CREATE TABLE orders (id serial PRIMARY KEY, customer_id int NOT NULL, status text, created_at timestamp, total numeric);
CREATE INDEX orders_customer ON orders (customer_id);
INSERT INTO customers (city, email) SELECT 'c' || n % 50, n || '@x' FROM generate_series(1, 3000) n;
INSERT INTO orders (customer_id, status, created_at, total)
  SELECT n % 3000 + 1, (ARRAY['open', 'paid'])[n % 2 + 1], timestamp '2024-01-01' + n * interval '1 minute', n
  FROM generate_series(1, 20000) n;
CREATE TABLE marks (what text);
CREATE SEQUENCE counter;
CREATE FUNCTION leaves_a_mark() RETURNS int LANGUAGE plpgsql AS
  $f$ BEGIN INSERT INTO public.marks VALUES ('volatile'); RETURN 1; END $f$;
CREATE FUNCTION lies() RETURNS int LANGUAGE plpgsql IMMUTABLE AS
  $f$ BEGIN INSERT INTO public.marks VALUES ('immutable'); RETURN 1; END $f$;
CREATE FUNCTION programme() RETURNS int LANGUAGE plpgsql STABLE AS
  $f$ BEGIN COPY (SELECT 1) TO PROGRAM 'touch {marker}'; RETURN 1; END $f$;
CREATE VIEW liar AS SELECT id, lies() AS l FROM customers WHERE id = lies();
CREATE FUNCTION on_write() RETURNS trigger LANGUAGE plpgsql AS
  $f$ BEGIN INSERT INTO public.marks VALUES ('trigger'); RETURN NEW; END $f$;
CREATE TRIGGER writes BEFORE INSERT OR UPDATE OR DELETE ON orders FOR EACH STATEMENT EXECUTE FUNCTION on_write();
CREATE RULE twice AS ON INSERT TO customers DO ALSO INSERT INTO marks VALUES ('rule');
ANALYZE"""


class Ground:
    """A superuser's URL, on purpose: what holds must not be the user's rights."""

    def __init__(self, port: int, marker: Path) -> None:
        self.port = port
        self.marker = marker
        self.url = f"postgresql://me:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres"

    def run(self, sql: str) -> Any:
        with contextlib.closing(
            pg8000.native.Connection("me", host="127.0.0.1", port=self.port, password=PASSWORD, database="postgres")
        ) as database:
            return database.run(sql)

    def dump(self) -> str:
        """Everything that is in it, by pg_dump, without the random token of its newer versions; and what pg_dump leaves
        out."""
        where = programs()
        assert where is not None
        made = subprocess.run(
            [where / "pg_dump", "-h", "127.0.0.1", "-p", str(self.port), "-U", "me", "postgres"],
            env={"PGPASSWORD": PASSWORD},
            capture_output=True,
            text=True,
            check=True,
        )
        lines = [line for line in made.stdout.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]
        others = [
            "SELECT rolname, rolsuper FROM pg_roles ORDER BY 1",
            "SELECT datname FROM pg_database ORDER BY 1",
            "SELECT spcname FROM pg_tablespace ORDER BY 1",
            "SELECT setdatabase, setrole, setconfig::text FROM pg_db_role_setting",
            "SELECT oid FROM pg_largeobject_metadata",
            "SELECT gid FROM pg_prepared_xacts",
            "SELECT slot_name FROM pg_replication_slots",
            "SELECT n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables ORDER BY relname",
        ]
        return "\n".join([*lines, *(str(self.run(sql)) for sql in others)])

    def look(self, sql: str, **more: Any) -> Found:
        return examine(Task(sql=sql, source="shop", url=self.url, **more), Room(Path("/tmp"), 20))


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    marker = Path("/tmp") / f"pointsman-{secrets.token_hex(8)}"  # where PostgreSQL's own user could write
    with cluster(PASSWORD) as port:
        ground = Ground(port, marker)
        for statement in SCHEMA.replace("{marker}", str(marker)).split(";\n"):
            ground.run(statement)
        try:
            yield ground
        finally:
            marker.unlink(missing_ok=True)


def test_a_plan_in_words_with_the_tables_size(ground: Ground) -> None:
    found = ground.look("SELECT id FROM orders WHERE status = 'shipped' ORDER BY created_at DESC LIMIT 10")
    assert found.plan is not None and found.plan.problem is None and found.dialect == "postgres"
    told = [step.message for step in found.plan.steps]
    assert any("read all of orders (about 20K rows)" in one.en for one in told)
    assert any("逐行扫描整张表 orders（约 2.0 万行）" in one.zh or "约 2.0 万" in one.zh for one in told)
    assert any(step.heavy for step in found.plan.steps) and found.plan.cost
    [index] = found.indexes
    assert index.columns == ("status", "created_at") and index.known and index.rows == 20000


def test_an_index_that_is_there_is_not_advised(ground: Ground) -> None:
    found = ground.look("SELECT total FROM orders WHERE customer_id = 7")
    assert found.indexes == ()
    assert found.plan and any("orders_customer" in step.message.en for step in found.plan.steps)
    assert ground.look("SELECT total FROM orders WHERE id = 7").indexes == ()


def test_the_schema_makes_findings_and_rewritings_certain(ground: Ground) -> None:
    found = ground.look("SELECT id FROM orders WHERE date(created_at) = '2024-01-03' AND status = 5")
    assert {"calculated_column", "implicit_cast"} <= {one.code for one in found.findings}
    assert found.errors and found.errors[0].by == "database"
    found = ground.look("SELECT id FROM orders WHERE extract(year from created_at) = 2024 AND customer_id = 3")
    assert found.rewritten and "created_at < '2025-01-01'" in found.rewritten.sql
    assert ground.run(found.rewritten.sql) == ground.run(
        "SELECT id FROM orders WHERE extract(year from created_at) = 2024 AND customer_id = 3"
    )


def test_what_is_not_there_is_told_with_its_place(ground: Ground) -> None:
    found = ground.look("SELECT id\nFROM ordres")
    [mistake] = found.errors
    assert (mistake.line, mistake.column, mistake.by) == (2, 6, "database") and "ordres" in mistake.message.zh


def test_a_write_has_a_plan_too_and_is_not_done(ground: Ground) -> None:
    before = ground.dump()
    for sql in (
        "DELETE FROM orders WHERE id < 100",
        "UPDATE orders SET total = 0",
        "INSERT INTO customers (city) VALUES ('x')",
        "WITH gone AS (DELETE FROM orders RETURNING *) SELECT count(*) FROM gone",
    ):
        found = ground.look(sql)
        assert found.plan is not None and found.plan.steps, (sql, found.plan)
    assert ground.dump() == before


NEVER = [
    "SELECT pg_sleep(100)",
    "SELECT 1 FROM customers WHERE id = pg_sleep(100)::text::int",
    "SELECT lies()",
    "SELECT * FROM customers WHERE id = lies()",
    "SELECT public.lies() + 1",
    'SELECT "lies"()',
    'SELECT U&"li\\0065s"()',
    "SELECT * FROM liar",
    "SELECT programme()",
    "SELECT leaves_a_mark()",
    "SELECT (SELECT leaves_a_mark() FROM customers LIMIT 1)",
    "SELECT nextval('counter')",
    "SELECT setval('counter', 500)",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_create(4711)",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
    "SELECT pg_reload_conf()",
    "SELECT pg_create_physical_replication_slot('x')",
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "SELECT query_to_xml('DELETE FROM orders', true, true, '')",
    "SELECT pg_file_write('/tmp/x', 'x', false)",
    "SELECT 1; DROP TABLE orders",
    "SELECT 1;\n; DROP TABLE orders --",
    "SELECT 1 /* ; */; DROP TABLE orders",
    "COMMIT; DROP TABLE orders",
    "SELECT 1; COMMIT; SET default_transaction_read_only = off; DROP TABLE orders",
    "ANALYZE DELETE FROM orders",
    "(ANALYZE) DELETE FROM orders",
    "ANALYZE true) DELETE FROM orders",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "EXPLAIN (ANALYZE, FORMAT JSON) DELETE FROM orders",
    "EXECUTE gone",
    "PREPARE gone AS DELETE FROM orders",
    "DEALLOCATE ALL",
    "DO $$ BEGIN DELETE FROM orders; END $$",
    "DO LANGUAGE plpgsql 'BEGIN DELETE FROM orders; END'",
    "COPY orders TO PROGRAM 'touch {marker}'",
    "COPY (SELECT 1) TO PROGRAM 'touch {marker}'",
    "COPY customers FROM PROGRAM 'echo 1'",
    "COPY customers TO '{marker}'",
    "SELECT * INTO copied FROM orders",
    "CREATE TABLE copied AS SELECT * FROM orders",
    "CREATE TABLE copied AS WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d",
    "WITH a AS (INSERT INTO marks VALUES ('x') RETURNING *), b AS (DELETE FROM orders) SELECT * FROM a",
    "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT leaves_a_mark() FROM r) SELECT * FROM r",
    "/*!50000 DROP TABLE orders */ SELECT 1",
    "SELECT 1 -- \nDROP TABLE orders",
    "SELECT $$; DROP TABLE orders; $$",
    "SELECT $a$ $$ ; $a$; DELETE FROM orders",
    "SELECT 'a\\'; DROP TABLE orders; --'",
    "SELECT E'a\\'; DROP TABLE orders; --'",
    'SELECT "a""; DROP TABLE orders; --"',
    "SELECT '\x00'; DROP TABLE orders",
    "MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE orders",
    "DROP TABLE orders CASCADE",
    "ALTER TABLE orders DROP COLUMN total",
    "LOCK TABLE orders IN ACCESS EXCLUSIVE MODE",
    "VACUUM FULL",
    "REFRESH MATERIALIZED VIEW x",
    "CALL leaves_a_mark()",
    "LISTEN x",
    "NOTIFY x",
    "SET default_transaction_read_only = off",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "RESET ALL",
    "GRANT ALL ON orders TO public",
    "CREATE ROLE thief SUPERUSER",
    "ALTER SYSTEM SET fsync = off",
    "IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z",
    "SELECT * FROM orders FOR UPDATE",
    "TABLE orders",
    "VALUES (leaves_a_mark())",
    "DELETE FROM orders WHERE id IN (SELECT leaves_a_mark() FROM orders) RETURNING *",
    "INSERT INTO marks SELECT 'x' FROM (SELECT leaves_a_mark()) AS s",
    "INSERT INTO customers (id, city) VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET city = 'y'",
    "SELECT '1'::regclass, 'orders'::regclass, nextval('counter'::regclass)",
    "SELECT * FROM dblink('dbname=postgres', 'DELETE FROM orders') AS t(a int)",
    "SELECT pg_catalog.lo_unlink(1), pg_advisory_lock(1), txid_current()",
]


def test_nothing_is_ever_written(ground: Ground) -> None:
    before = ground.dump()
    for sql in NEVER:
        with contextlib.suppress(Exception):
            ground.look(sql.replace("{marker}", str(ground.marker)), dialect="postgres")
    assert ground.dump() == before
    assert not ground.marker.exists()
    assert ground.run("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == [[0]]


def test_nothing_is_written_by_pieces_put_together_at_random(ground: Ground) -> None:
    """Writes, ends of quotes and brackets, comments and second statements, wherever they may fall."""
    chance = random.Random(20_261_130)
    pieces = [
        "SELECT", "1", "*", "FROM orders", "WHERE", "id = 1", ";", "'", '"', "$$", "$a$", "--", "/*", "*/", "\n", "(", ")",
        "DELETE FROM orders", "DROP TABLE orders", "UPDATE orders SET total = 0", "INSERT INTO marks VALUES ('f')", "COMMIT",
        "WITH d AS (DELETE FROM orders RETURNING *)", "leaves_a_mark()", "lies()", "programme()", "nextval('counter')",
        "ANALYZE", "EXPLAIN", "EXECUTE x", "DO $$ BEGIN DELETE FROM orders; END $$", ",", "AS x", "RETURNING *", "E'\\''",
        "COPY orders TO PROGRAM 'touch {marker}'", "PREPARE x AS DELETE FROM orders", "BEGIN", "UNION ALL", "U&'\\0027'",
        "::int",
    ]  # fmt: skip
    before = ground.dump()
    planned = 0
    for _ in range(tries(100, 300)):
        sql = " ".join(chance.choice(pieces) for _ in range(chance.randint(2, 9)))
        if chance.random() < 0.5:
            sql = f"SELECT id FROM orders WHERE id = 1 {sql}"
        with contextlib.suppress(Exception):
            found = ground.look(sql.replace("{marker}", str(ground.marker)), dialect="postgres")
            planned += found.plan is not None and bool(found.plan.steps)
    assert planned > tries(0, 5)
    assert ground.dump() == before and not ground.marker.exists()


def test_the_connection_alone_holds_without_any_reading(ground: Ground) -> None:
    """As if the reader of statements let everything pass."""
    before = ground.dump()
    said = []
    for sql in NEVER:
        text = sql.replace("{marker}", str(ground.marker)).replace("\x00", "")
        if "programme" in text:
            continue  # of a function that its owner calls STABLE only the reader keeps the planner away
        with contextlib.suppress(ValueError), postgres_open(ground.url, 5) as database:
            try:
                database.explain(Statement(text, 0, (), True))
            except Exception as error:
                said.append(str(error))
    assert ground.dump() == before and not ground.marker.exists()
    assert any("multiple commands" in text for text in said)


def test_a_liar_is_not_called_by_the_planner(ground: Ground) -> None:
    for sql in ("SELECT lies()", "SELECT programme()", 'SELECT id FROM orders WHERE id = public."lies"()'):
        found = ground.look(sql)
        assert found.plan and found.plan.problem and not found.plan.steps and "owner" in found.plan.problem.en


def test_a_server_that_is_not_there(ground: Ground) -> None:
    url = f"postgresql://me:{quote(PASSWORD, safe='')}@127.0.0.1:1/postgres"
    found = examine(Task(sql="SELECT 1 FROM orders", source="shop", url=url), Room(Path("/tmp"), 5))
    assert found.plan and found.plan.problem and "shop" in found.plan.problem.zh
    assert PASSWORD not in str(found) and "127.0.0.1" not in str(found)


def test_places_for_values(ground: Ground) -> None:
    found = ground.look("SELECT id FROM orders WHERE customer_id = $1 AND status = :state")
    assert found.plan is not None
    assert found.plan.steps or (found.plan.problem and "16" in found.plan.problem.en)
