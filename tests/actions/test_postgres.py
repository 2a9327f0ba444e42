"""A different schema in a real PostgreSQL, with nothing but a spec: odd names, time zones, enumerations, exact sums."""

from __future__ import annotations

import contextlib
import datetime
import secrets
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import openpyxl
import pg8000.native
import pytest

from actions.orders import SHANGHAI, Make, runner_in
from actions.test_pdf import text_of
from pointsman.actions.report.settings import SourceSettings
from pointsman.actions.report.source import Circumstances, Deadline, opened
from pointsman.domain.report import (
    DimensionSpec,
    DimensionValue,
    Filter,
    MeasureSpec,
    Period,
    ReportPlan,
    ReportSpec,
    Titles,
    ValuesFrom,
)
from pointsman.domain.said import in_zh
from pointsman.ports.action import ActionFailed
from postgres import cluster

PASSWORD = f"p@ss:/{secrets.token_hex(4)}%secret"
SCHEMA = """
CREATE SCHEMA "Billing";
CREATE TYPE "Billing".state AS ENUM ('open', 'paid', 'void');
CREATE TABLE "Billing"."Invoice Lines" (
    id bigserial PRIMARY KEY, "Booked At" timestamptz NOT NULL, "client_no" integer, "State" "Billing".state,
    "Net Amount" numeric(14, 2), hours double precision, ref uuid DEFAULT gen_random_uuid(), note text);
INSERT INTO "Billing"."Invoice Lines" ("Booked At", client_no, "State", "Net Amount", hours, note)
SELECT timestamptz '2026-01-01 00:00+08' + n * interval '37 minutes', n % 7,
       (ARRAY['open', 'paid', 'void'])[n % 3 + 1]::"Billing".state, (n * 7919 % 1000003) / 100.0, n % 9 * 0.25,
       CASE WHEN n % 1000 = 0 THEN '=1+1' ELSE 'line ' || n END
FROM generate_series(0, 19999) AS n;
CREATE SCHEMA crm;
CREATE TABLE crm."Client Names" ("No" integer NOT NULL, name text, "other names" text, "Rank" smallint);
INSERT INTO crm."Client Names" VALUES (3, 'Suzhou Silk', '苏绣，姑苏丝绸; Silk', 1), (3, NULL, 'Suzhou Silk|丝绸', 2),
    (4, '四号客户', '', NULL), (5, '; DROP TABLE x', '.*', 3);
CREATE VIEW "Billing".paid AS SELECT * FROM "Billing"."Invoice Lines" WHERE "State" = 'paid';
"""
SPEC = ReportSpec(
    name="invoices",
    titles=Titles("开票明细", "Invoices"),
    source="billing",
    table="Billing.Invoice Lines",
    time_column="Booked At",
    measures=(
        MeasureSpec("net", Titles("净额", "Net"), column="Net Amount", decimals=2, unit=Titles("元", "CNY")),
        MeasureSpec("lines", Titles("行数", "Lines"), "count"),
        MeasureSpec("hours", Titles("平均工时", "Mean hours"), "average", "hours", 3),
    ),
    dimensions=(
        DimensionSpec(
            "client", Titles("客户", "Client"), "client_no", values=(DimensionValue("3", ("三号客户", "Client 3")),)
        ),
        DimensionSpec(
            "state", Titles("状态", "State"), "State", values_from=ValuesFrom("Billing.Invoice Lines", "State")
        ),
    ),
    group_by=("client",),
    detail_columns=("Booked At", "client_no", "State", "Net Amount", "hours", "ref", "note"),
)
MAY = Period(datetime.date(2026, 5, 1), datetime.date(2026, 6, 1), "month", "五月")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """Of a cluster of the test's own."""
    with cluster(PASSWORD) as chosen:
        with contextlib.closing(_connect(chosen)) as database:
            for statement in SCHEMA.split(";\n"):
                if statement.strip():
                    database.run(statement)
        yield chosen


def _connect(port: int) -> pg8000.native.Connection:
    return pg8000.native.Connection("me", host="127.0.0.1", port=port, password=PASSWORD, database="postgres")


@pytest.fixture(params=["postgresql", "postgresql+pg8000"])
def source(port: int, request: pytest.FixtureRequest) -> SourceSettings:
    return SourceSettings(url=f"{request.param}://me:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/postgres")


@pytest.fixture
def sql(port: int) -> Iterator[Any]:
    with contextlib.closing(_connect(port)) as database:
        yield database.run


MAY_SQL = """"Booked At" >= timestamptz '2026-05-01 00:00+08' AND "Booked At" < timestamptz '2026-06-01 00:00+08'"""


def test_totals_of_another_schema(source: SourceSettings, sql: Any, make: Make) -> None:
    path, file = make(ReportPlan("invoices", "pdf", MAY, language="zh"), SPEC, source)
    text = text_of(path)
    figures = f'sum("Net Amount"), count(*), avg(hours) FROM "Billing"."Invoice Lines" WHERE {MAY_SQL}'
    net, lines, hours = sql(f"SELECT {figures}")[0]
    assert isinstance(net, Decimal) and lines > 1000
    assert text.count(f"{net:,.2f}") >= 2 and text.count(f"{hours:,.3f}") >= 2
    assert file.rows == lines and file.totals["net"] == float(net)
    for client, *group in sql(f"SELECT client_no, {figures} GROUP BY client_no"):
        assert f"{'三号客户' if client == 3 else client}{group[0]:,.2f}{group[1]:,}{group[2]:,.3f}" in text


def test_filters_by_enumeration_and_number(source: SourceSettings, sql: Any, make: Make) -> None:
    filters = (Filter("state", ("paid", "void"), ("已付", "作废")), Filter("client", ("3", "4"), ("3", "4")))
    where = f"""{MAY_SQL} AND "State" IN ('paid', 'void') AND client_no IN (3, 4)"""
    net, lines = sql(f'SELECT sum("Net Amount"), count(*) FROM "Billing"."Invoice Lines" WHERE {where}')[0]
    for format in ("pdf", "xlsx", "csv"):
        plan = ReportPlan("invoices", format, MAY, filters, ("state", "client"), "zh")  # type: ignore[arg-type]
        path, file = make(plan, SPEC, source)
        assert (file.rows, file.totals["net"]) == (lines, float(net))
    rows = path.read_text("utf-8-sig").splitlines()
    assert len(rows) == lines + 1
    assert rows[0] == "日期,客户,状态,净额,hours,ref,note"


def test_timestamps_are_those_of_the_clock_on_the_wall(source: SourceSettings, sql: Any, make: Make) -> None:
    path, file = make(ReportPlan("invoices", "xlsx", MAY, language="en"), SPEC, source)
    details = openpyxl.load_workbook(path)["Details"]
    moments = [row[0] for row in details.iter_rows(2, values_only=True)]
    assert min(moments) >= datetime.datetime(2026, 5, 1) and max(moments) < datetime.datetime(2026, 6, 1)
    assert len(moments) == file.rows and moments == sorted(moments)
    trend = openpyxl.load_workbook(path)["Trend"]
    days = sql(
        f"""SELECT count(*) FROM "Billing"."Invoice Lines" WHERE {MAY_SQL}
        GROUP BY ("Booked At" AT TIME ZONE 'Asia/Shanghai')::date ORDER BY min("Booked At")"""
    )
    assert [row[2] for row in trend.iter_rows(2, values_only=True)] == [day[0] for day in days]


def test_a_view_and_the_values_of_a_dimension(source: SourceSettings, tmp_path: Path, make: Make) -> None:
    from pointsman.actions.report.query import Query

    about = Circumstances("billing", SHANGHAI, Deadline(30), tmp_path, datetime.date(2026, 6, 1))
    with opened(source, about) as reading:
        query = Query(reading, SPEC, about)
        query_of_states = query.values(ValuesFrom("Billing.Invoice Lines", "State"))
        assert [row[0] for row in reading.rows(query_of_states)] == ["open", "paid", "void"]
    import msgspec

    paid = msgspec.structs.replace(SPEC, table="Billing.paid")
    assert make(ReportPlan("invoices", "csv", MAY), paid, source)[1].rows > 100


async def test_values_and_synonyms_of_another_schema(source: SourceSettings, tmp_path: Path, make: Make) -> None:
    import msgspec

    def asking(*words: str, table: str = "crm.Client Names") -> ReportSpec:
        dimension = DimensionSpec(
            "client", Titles("客户", "Client"), "client_no", values_from=ValuesFrom(table, "No", words)
        )
        return msgspec.structs.replace(SPEC, dimensions=(dimension,))

    now = datetime.datetime(2026, 6, 1, tzinfo=SHANGHAI)
    runner = runner_in(tmp_path)
    read = await runner.values_of(source, asking("name", "other names", "Rank"), now)
    assert read["client"] == (
        DimensionValue("3", ("Suzhou Silk", "苏绣", "姑苏丝绸", "Silk", "1", "丝绸", "2")),
        DimensionValue("4", ("四号客户",)),
        DimensionValue("5", ("DROP TABLE x", ".*", "3")),
    )
    for spec, said in (
        (asking("names"), 'crm.Client Names: there is no column "names", did you mean "name"?'),
        (asking(table="crm.Clients"), 'billing: there is no table "crm.Clients"'),
    ):
        with pytest.raises(ActionFailed) as caught:
            await runner.values_of(source, spec, now)
        assert caught.value.code == "schema" and said in caught.value.message
    plan = ReportPlan("invoices", "csv", MAY, (Filter("client", ("3",), ("苏绣",)),))
    assert make(plan, asking("name"), source)[1].rows > 100


def test_the_source_is_only_read(source: SourceSettings, tmp_path: Path) -> None:
    import sqlalchemy as sa

    about = Circumstances("billing", SHANGHAI, Deadline(30), tmp_path, datetime.date(2026, 6, 1))
    with opened(source, about) as reading:
        connection = reading._connection  # type: ignore[attr-defined]
        with pytest.raises(sa.exc.DBAPIError, match="read-only"):
            connection.execute(sa.text('DELETE FROM "Billing"."Invoice Lines"'))


def test_what_is_wrong_is_said_without_secrets(source: SourceSettings, make: Make) -> None:
    import msgspec

    plan = ReportPlan("invoices", "csv", MAY)
    wrong_url = SourceSettings(url=str(source.url).replace("secret", "wrong"))
    cases = [
        (SPEC, wrong_url, "source", "cannot be reached"),
        (msgspec.structs.replace(SPEC, table="Billing.Invoices"), source, "schema", "no table"),
        (msgspec.structs.replace(SPEC, time_column="booked at"), source, "schema", 'did you mean "Booked At"'),
    ]
    for spec, where, kind, words in cases:
        with pytest.raises(ActionFailed) as caught:
            make(plan, spec, where)
        failure = caught.value
        assert failure.code == kind and words in failure.message
        assert not any(
            secret in in_zh(failure.message) + failure.message + str(failure.detail)
            for secret in ("secret", "p@ss", "SELECT", "127.0")
        )


def test_a_slow_or_locked_table_gives_up(source: SourceSettings, port: int, make: Make) -> None:
    import msgspec

    slow = """CREATE OR REPLACE VIEW "Billing".slow AS
        SELECT *, pg_sleep(0.05) IS NULL AS late FROM "Billing"."Invoice Lines" """
    plan = ReportPlan("invoices", "csv", MAY)
    with contextlib.closing(_connect(port)) as other:
        other.run(slow)
        spec = msgspec.structs.replace(
            SPEC,
            table="Billing.slow",
            detail_columns=("late",),
            measures=(MeasureSpec("late", Titles("x", "x"), "count", "late"),),
        )
        with pytest.raises(ActionFailed) as caught:
            make(plan, spec, source, seconds=1.5)
        assert caught.value.code == "timeout"
        other.run("BEGIN")
        other.run('LOCK TABLE "Billing"."Invoice Lines"')
        with pytest.raises(ActionFailed) as caught:
            make(plan, SPEC, source)
        assert caught.value.code == "busy"
        other.run("ROLLBACK")
