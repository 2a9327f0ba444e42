"""Comparisons, rankings, charts and templates over the wire: asked in a chat, by whom a template is meant for, as a job."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import io
import re
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
from openpyxl import load_workbook
from pypdf import PdfReader

from running import running

TODAY = datetime.datetime.now(datetime.UTC).date()
MONTH = TODAY.replace(day=1)
LAST = (MONTH - datetime.timedelta(days=1)).replace(day=1)
BEFORE = (LAST - datetime.timedelta(days=1)).replace(day=1)
LINK = re.compile(r"http://\S+/files/\S+")
TYP = '#let data = json("data.json")\nTHE BOARD: #data.title, #data.sections.len() sections, #data.footer\n'


@contextlib.asynccontextmanager
async def gateway(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    (folder / "looks").mkdir()
    (folder / "looks" / "board.typ").write_text(TYP, encoding="utf-8")
    config = {
        "server": {"timezone": "UTC"},
        "models": {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}},
        "rules": {"packs": ["builtin:report-export"]},
        "sources": {"demo": {"demo": True}},
        "templates": {
            "house": {"accent": "#0a7d4f", "header": "Acme & Sons", "footer": "Made by Acme", "default": True},
            "board": {"file": "looks/board.typ", "words": ["董事会"], "users": ["alice"]},
        },
    }
    async with (
        running(config, folder, settle=0.5) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        yield client


async def ask(client: httpx.AsyncClient, text: str, **more: Any) -> str:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}], **more}
    reply = await client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200 and reply.headers["x-pointsman-stage"] == "l0", reply.text
    said: str = reply.json()["choices"][0]["message"]["content"]
    return said


async def file_of(client: httpx.AsyncClient, text: str) -> bytes:
    link = LINK.search(text)
    assert link, text
    return (await client.get(link[0])).content


def words_of(pdf: bytes) -> str:
    return re.sub(r"\s", "", "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages))


def sold(folder: Path, start: datetime.date, end: datetime.date) -> float:
    [path] = folder.glob("data/demo/*.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as database:
        sql = "select round(sum(amount), 2) from sales where sold_on >= ? and sold_on < ?"
        return float(database.execute(sql, (str(start), str(end))).fetchone()[0])


async def test_in_chats(tmp_path: Path) -> None:
    async with gateway(tmp_path) as client:
        await _a_comparison_in_chinese(client, tmp_path)
        await _a_ranking_in_english(client)
        await _a_template_by_words_and_by_user(client)


async def _a_comparison_in_chinese(client: httpx.AsyncClient, folder: Path) -> None:
    text = await ask(client, "导出上月销售报表PDF，环比，带图表")
    assert "呈现方式：环比、带图表" in text
    words = words_of(await file_of(client, text))
    now, before = sold(folder, LAST, MONTH), sold(folder, BEFORE, LAST)
    assert all(part in words for part in ("本期", "上期", "环比增减", f"{now:,.2f}", f"{before:,.2f}"))
    assert f"{now - before:+,.2f}" in words and f"{(now - before) / before:+.1%}" in words
    assert "Acme&Sons" in words and "MadebyAcme" in words


async def _a_ranking_in_english(client: httpx.AsyncClient) -> None:
    text = await ask(client, "export last month's top 3 stores by profit as Excel with a pie chart")
    assert "Form: top 3 by Gross profit, pie chart" in text
    book = load_workbook(io.BytesIO(await file_of(client, text)))
    assert [chart.tagname for chart in book["Summary"]._charts] == ["pieChart"]
    labels = [row[0].value for row in book["Summary"].iter_rows()]
    assert labels.index("Total") - labels.index("Store") == 5  # three, and the others
    assert book["Summary"].oddFooter.left.text == "Made by Acme"
    assert book["Summary"].oddHeader.left.text == "Acme && Sons"


async def _a_template_by_words_and_by_user(client: httpx.AsyncClient) -> None:
    text = await ask(client, "用董事会模板导出上月销售报表PDF，同比")
    assert "模板 board" in text
    assert words_of(await file_of(client, text)).startswith("THEBOARD:销售报表,1sections")
    mine = await ask(client, "export last month's sales as PDF", user="alice")
    assert "template board" in mine
    assert words_of(await file_of(client, mine)).startswith("THEBOARD:Salesreport,0sections")
    assert "template" not in await ask(client, "export last month's sales as PDF", user="bob")


async def test_plans(tmp_path: Path) -> None:
    async with gateway(tmp_path) as client:
        await _the_plan_is_in_the_decision_and_a_job_takes_one(client)
        await _a_plan_that_a_client_names_is_looked_at(client)


async def _the_plan_is_in_the_decision_and_a_job_takes_one(client: httpx.AsyncClient) -> None:
    asked = {"text": "导出上月销售报表，按门店，同比，前5名，饼图，用董事会模板"}
    decision = (await client.post("/v1/decide", json=asked)).json()
    plan = decision["parameters"]["plan"]
    assert (plan["group_by"], plan["compare"], plan["top"], plan["rank"]) == (["store"], ["year"], 5, "amount")
    assert (plan["chart"], plan["template"], plan["format"]) == ("pie", "board", "xlsx")
    again = (await client.post("/v1/decide", json=asked)).json()
    assert again["parameters"] == decision["parameters"]
    job = (await client.post("/v1/jobs", json={"action": "report", "parameters": {"plan": plan}})).json()
    async with asyncio.timeout(60):
        while job["state"] != "completed":
            await asyncio.sleep(0.05)
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
    book = load_workbook(io.BytesIO(await file_of(client, str(job["result"]))))
    assert book.sheetnames[:3] == ["汇总", "趋势", "对比"]


async def _a_plan_that_a_client_names_is_looked_at(client: httpx.AsyncClient) -> None:
    plan = {"report": "sales", "format": "pdf", "period": {"start": str(LAST), "end": str(MONTH), "grain": "month"}}
    for field, value, valid in (
        ("template", "bord", "board, house"),
        ("rank", "x", "amount, orders, quantity, profit"),
        ("top", 0, "1 to 1000"),
        ("bucket", "moth", "day, week, month, quarter, year"),
        ("compare", ["last"], "previous, year"),
        ("chart", "pei", "auto, line, column, bar, pie, donut, stacked, none"),
    ):
        body = {"action": "report", "parameters": {"plan": {**plan, field: value}}}
        error = (await client.post("/v1/jobs", json=body)).json()["error"]
        assert error["param"] == f"parameters.plan.{field}" and valid in error["message"], error
