"""Reports over the wire: a question in, a file behind a signed link out, and never a guess in between."""

from __future__ import annotations

import datetime
import io
import json
import re
import sqlite3
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from execution.engine import Door, door

LINK = re.compile(r"http://\S+(/files/\S+)")
TODAY = datetime.datetime.now(datetime.UTC).date()
MONDAY = TODAY - datetime.timedelta(days=TODAY.weekday())
LAST_FRIDAY = MONDAY - datetime.timedelta(days=3)
MONTH = TODAY.replace(day=1)
LAST_MONTH = (MONTH - datetime.timedelta(days=1)).replace(day=1)


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door(
        server={"timezone": "UTC"},
        rules={"packs": ["builtin:report-export", "builtin:smalltalk"]},
        sources={"demo": {"demo": True}},
    ) as opened:
        yield opened


def ask(gateway: Door, *texts: str, model: str = "auto", headers: tuple[str, ...] = ()) -> tuple[dict[str, str], str]:
    """The reply's headers and text; texts alternate between user and assistant."""
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": text} for n, text in enumerate(texts)]
    body = json.dumps({"model": model, "messages": messages}).encode()
    reply = gateway.post("/v1/chat/completions", body, *headers)
    assert reply.status == 200, reply.body
    return reply.headers, reply.json["choices"][0]["message"]["content"]


def file_of(gateway: Door, text: str) -> Any:
    found = LINK.search(text)
    assert found, text
    reply = gateway.raw(f"GET {found[1]} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    assert reply.status == 200
    return reply


def sold(gateway: Door, start: datetime.date, end: datetime.date, region: str | None = None) -> float:
    """The sum by SQL of its own, from the demo's database."""
    [path] = gateway.folder.glob("data/demo/*.sqlite")
    where = "sold_on >= ? and sold_on < ?" + (" and region = ?" if region else "")
    values = (str(start), str(end), *([region] if region else []))
    with sqlite3.connect(path) as database:
        return float(database.execute(f"select round(sum(amount), 2) from sales where {where}", values).fetchone()[0])


def test_last_fridays_sales_as_pdf(gateway: Door) -> None:
    headers, text = ask(gateway, "把上周五销售报表导出为PDF")
    assert headers["x-pointsman-stage"] == "l0" and headers["x-pointsman-rule"] == "report_export"
    assert str(LAST_FRIDAY) in text and "上周五" in text
    reply = file_of(gateway, text)
    assert reply.headers["content-type"] == "application/pdf"
    assert "filename*=UTF-8''%E9%94%80%E5%94%AE" in reply.headers["content-disposition"]
    page = "".join(page.extract_text() for page in PdfReader(io.BytesIO(reply.body)).pages)
    total = f"{sold(gateway, LAST_FRIDAY, LAST_FRIDAY + datetime.timedelta(days=1)):,.2f}"
    assert total in text and total in page and str(LAST_FRIDAY) in page and "销售报表" in page


def test_english_excel_with_a_filter(gateway: Door) -> None:
    _, text = ask(gateway, "export last month's sales for East China as Excel")
    assert "East China" in text and str(LAST_MONTH) in text and "Download" in text
    reply = file_of(gateway, text)
    total = sold(gateway, LAST_MONTH, MONTH, "华东")
    assert f"{total:,.2f}" in text
    sheet = load_workbook(io.BytesIO(reply.body), data_only=False).worksheets[0]
    assert any("SUM(" in str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None)
    assert sheet._charts


def test_a_stream_gets_it_too(gateway: Door) -> None:
    body = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "导出本月销售报表，CSV"}]}
    reply = gateway.post("/v1/chat/completions", json.dumps(body).encode())
    events = [json.loads(line[6:]) for line in reply.body.decode().split("\n\n") if line.startswith("data: {")]
    text = "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"])
    assert file_of(gateway, text).body.startswith("\ufeff".encode())


def test_the_question_back_and_its_answer_from_history(gateway: Door) -> None:
    begun = "生成PDF版门店业绩报表"
    _, question = ask(gateway, begun)
    assert "1. " in question and "门店业绩报表" in question
    _, text = ask(gateway, begun, question, "上月")
    assert str(LAST_MONTH) in text and LINK.search(text)
    _, text = ask(gateway, begun, question, "2")
    assert str(MONTH) in text and LINK.search(text)


def test_the_answer_in_a_session_without_history(gateway: Door) -> None:
    session = ("x-pointsman-session: s1",)
    _, question = ask(gateway, "导出上月华西区销售汇总", headers=session)
    assert "华西区" in question
    _, text = ask(gateway, "华东", headers=session)
    assert LINK.search(text) and "华东" in text
    headers, _ = ask(gateway, "华东", headers=session)
    assert headers["x-pointsman-stage"] == "model"  # the question went with its answer
    headers, _ = ask(gateway, "华东", headers=("x-pointsman-session: another",))
    assert headers["x-pointsman-stage"] == "model"


def test_no_rows_is_a_question_and_no_empty_file(gateway: Door) -> None:
    _, question = ask(gateway, "导出2019年销售报表")
    assert "没有数据" in question and not LINK.search(question)
    _, text = ask(gateway, "导出2019年销售报表", question, "上月")
    assert LINK.search(text) and str(LAST_MONTH) in text


@pytest.mark.parametrize(
    "text",
    [
        "帮我分析为什么华东区Q3销量下滑",
        "怎么导出报表",
        "为什么导出的PDF是空的",
        "不要导出PDF",
        "write a function that exports a sales report to PDF",
        "give me a summary of this book",
    ],
)
def test_what_is_no_request_goes_to_the_model(gateway: Door, text: str) -> None:
    headers, _ = ask(gateway, text)
    assert headers["x-pointsman-stage"] == "model"


def test_a_model_named_directly_makes_no_report(gateway: Door) -> None:
    headers, _ = ask(gateway, "把上周五销售报表导出为PDF", model="medium")
    assert headers["x-pointsman-stage"] == "model"


def test_forged_links_open_nothing(gateway: Door) -> None:
    _, text = ask(gateway, "导出上周销售报表PDF")
    path = LINK.search(text)[1]  # type: ignore[index]
    for wrong in (path[:-3] + "AAA", path[:-1], "/files/", "/files/..%2f..%2fdata%2flinks.key", "/files/" + "A" * 200):
        reply = gateway.raw(f"GET {wrong} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        assert reply.status == 404, wrong
        assert reply.json["error"]["code"] == "file_not_found"


def test_an_expired_link_says_so() -> None:
    with door(
        server={"timezone": "UTC"},
        rules={"packs": ["builtin:report-export"]},
        sources={"demo": {"demo": True}},
        files={"keep": "1s"},
    ) as gateway:
        _, text = ask(gateway, "导出上周销售报表CSV")
        path = LINK.search(text)[1]  # type: ignore[index]
        threading.Event().wait(2.1)
        reply = gateway.raw(f"GET {path} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        assert reply.status == 410 and "expired" in reply.json["error"]["message"]


def test_a_message_of_megabytes_stalls_nothing(gateway: Door) -> None:
    """Reading a request for a report is bounded: other clients are answered meanwhile."""
    reply = gateway.post(
        "/v1/chat/completions",
        json.dumps({"model": "auto", "messages": [{"role": "user", "content": "导出上月销售报表 " * 60_000}]}).encode(),
    )
    assert reply.status == 200 and reply.headers.get("x-pointsman-rule") != "report_export"


def test_values_that_cannot_be_read_at_a_reload_stay_as_they_were(gateway: Door) -> None:
    del gateway
    report = {
        "source": "shop",
        "table": "orders",
        "time": "day",
        "measures": {"amount": {}},
        "dimensions": {"city": {"values": "from_source", "words": ["城市"]}},
        "words": ["订单"],
    }
    with door(
        server={"timezone": "UTC"},
        rules={"packs": ["builtin:report-export"]},
        sources={"shop": {"url": "sqlite:///shop.sqlite"}},
        reports={"orders": report},
    ) as opened:
        with sqlite3.connect(opened.folder / "shop.sqlite") as database:
            database.execute("create table orders (day text, city text, amount real)")
            database.execute("insert into orders values (?, '苏州', 5)", (str(TODAY),))
        assert opened.post("/admin/reload", b"").status == 200
        _, text = ask(opened, "导出今天苏州的订单数据")
        assert LINK.search(text)
        with sqlite3.connect(opened.folder / "shop.sqlite", isolation_level=None) as database:
            database.execute("begin exclusive")
            reply = opened.post("/admin/reload", b"")
            assert reply.status == 200 and any("could not be read" in note for note in reply.json["notes"])
            ready = opened.raw(b"GET /ready HTTP/1.1\r\nhost: x\r\n\r\n").json
            assert any("could not be read" in problem for problem in ready["problems"])
            database.execute("rollback")
        _, text = ask(opened, "导出今天苏州的订单数据")
        assert LINK.search(text)


def last_month_of_suzhou(text: str) -> bool:
    return str(LAST_MONTH) in text and "12.50" in text and LINK.search(text) is not None


def test_synonyms_from_a_second_table_and_a_new_one_after_a_reload() -> None:
    """Values of `city` are those of a table of regions, which has the words that people use for them."""
    query = {"table": "regions", "column": "name", "words": ["name_en", "also"]}
    report = {
        "source": "shop",
        "table": "orders",
        "time": "day",
        "title": {"zh": "订单报表", "en": "Order report"},
        "words": ["订单", "orders"],
        "measures": {"amount": {"title": {"zh": "金额", "en": "Amount"}, "decimals": 2}},
        "dimensions": {"city": {"title": {"zh": "城市", "en": "City"}, "values": query}},
    }
    with door(
        server={"timezone": "UTC"},
        rules={"packs": ["builtin:report-export"]},
        sources={"shop": {"url": "sqlite:///shop.sqlite"}},
        reports={"orders": report},
    ) as opened:
        with sqlite3.connect(opened.folder / "shop.sqlite") as database:
            database.execute("create table orders (day text, city text, amount real)")
            rows = [
                (LAST_MONTH, "苏州", 5.25),
                (LAST_MONTH, "苏州", 7.25),
                (LAST_MONTH, "杭州", 100),
                (TODAY, "苏州", 9),
            ]
            database.executemany("insert into orders values (?, ?, ?)", [(str(day), *row) for day, *row in rows])
            database.execute("create table regions (name text, name_en text, also text)")
            junk = "数据，报表;上月|的、.*、<b>x</b>" + "、x" * 5000
            database.executemany(
                "insert into regions values (?, ?, ?)",
                [("苏州", "Suzhou", "姑苏、苏城"), ("杭州", "Hangzhou", junk), ("杭州", "a", None)],
            )
        assert opened.post("/admin/reload", b"").status == 200

        _, text = ask(opened, "export last month's orders for Suzhou as csv")
        assert last_month_of_suzhou(text) and "Suzhou" in text
        lines = file_of(opened, text).body.decode("utf-8-sig").splitlines()
        assert len(lines) == 3 and all("苏州" in line for line in lines[1:])
        for request in ("导出上月姑苏的订单数据", "导出上月苏城订单报表", "导出苏州上月订单报表"):
            assert last_month_of_suzhou(ask(opened, request)[1]), request
        assert "112.50" in ask(opened, "导出上月的订单数据报表")[1]  # no word of the table narrows it by chance

        begun = "导出上月东方水城订单报表"
        _, question = ask(opened, begun)
        assert "没有“东方水城”" in question and "1. 杭州\n2. 苏州\n" in question
        assert last_month_of_suzhou(ask(opened, begun, question, "2")[1])

        with sqlite3.connect(opened.folder / "shop.sqlite") as database:
            database.execute("insert into regions values ('苏州', null, '东方水城, Venice of the East')")
        assert "没有“东方水城”" in ask(opened, begun)[1]
        assert opened.post("/admin/reload", b"").status == 200
        assert last_month_of_suzhou(ask(opened, begun)[1])
        assert last_month_of_suzhou(ask(opened, "export last month's orders for Venice of the East")[1])

        with sqlite3.connect(opened.folder / "shop.sqlite") as database:
            database.execute("drop table regions")
        reply = opened.post("/admin/reload", b"")
        assert reply.status == 200 and any('no table "regions"' in note for note in reply.json["notes"])
        assert last_month_of_suzhou(ask(opened, begun)[1])  # as they were


def test_an_unknown_region_and_an_impossible_date_are_asked_back(gateway: Door) -> None:
    headers, question = ask(gateway, "导出上月新疆销售报表")
    assert headers["x-pointsman-stage"] == "l0" and "没有“新疆”" in question and "1. 华东" in question
    _, text = ask(gateway, "导出上月新疆销售报表", question, "华北")
    assert LINK.search(text) and "华北" in text
    _, question = ask(gateway, "导出2月30日销售报表")
    assert question.startswith("没有“2月30日”这个日期。") and "1. 上周" in question
    _, text = ask(gateway, "导出2月30日销售报表", question, "上月")
    assert LINK.search(text) and str(LAST_MONTH) in text
