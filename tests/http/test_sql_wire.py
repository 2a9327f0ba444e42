"""SQL looked at over the wire: by a rule in chat, in both languages, and as a job; the database stays as it is."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from execution.engine import Engine, config, user
from running import Running, running

RULES = """
rules:
  - id: sql
    when: {any: [{extract: sql}]}
    action: look
    examples: ["check this: SELECT a FROM t"]
    counter_examples: [hello]
    boundary: [{text: "what is SQL?", takes: false}]
"""


@contextlib.asynccontextmanager
async def gateway(folder: Path, engine: Engine) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    with contextlib.closing(sqlite3.connect(folder / "shop.sqlite")) as database:
        database.executescript(
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, total REAL);"
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)"
            "INSERT INTO orders SELECT i, 'open', i FROM n;"
        )
    (folder / "rules.yaml").write_text(RULES)
    sections = config(
        engine,
        rules={"packs": [], "files": ["rules.yaml"]},
        sources={"shop": {"url": "sqlite:///shop.sqlite"}},
        actions={"look": {"sql": {"source": "shop"}}},
        jobs={"poll": 0.05},
    )
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
        yield served, client


async def said(client: httpx.AsyncClient, text: str) -> str:
    reply = await client.post("/v1/chat/completions", json=user(text, model="auto"))
    assert reply.status_code == 200, reply.text
    assert reply.headers["x-pointsman-stage"] == "l0"
    content: str = reply.json()["choices"][0]["message"]["content"]
    return content


async def test_in_chat_and_as_a_job(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        before = (tmp_path / "shop.sqlite").read_bytes()
        text = await said(client, "帮我看看这条语句：SELECT id FROM orders WHERE state = 'open'")
        assert "语法：" in text and "逐行扫描整张表 orders（约 1.2 万行）" in text and "ON orders (state" in text
        text = await said(client, "Please check: DELETE FROM orders")
        assert "**Risk: high**" in text and "DELETE without WHERE" in text
        text = await said(client, "看下对不对：SELECT id FROM ordres")
        assert "第 1 行第 16 列" in text and "no such table" in text
        parameters: dict[str, Any] = {"sql": "SELECT id FROM orders WHERE total > 5 ORDER BY total", "role": "dba"}
        made = await client.post("/v1/jobs", json={"action": "look", "parameters": parameters})
        assert made.status_code == 202, made.text
        async with asyncio.timeout(60):
            while (job := (await client.get(f"/v1/jobs/{made.json()['id']}")).json())["state"] != "completed":
                await asyncio.sleep(0.05)
        values = job["result"]["body"]["values"]
        assert values["risk"] == "none" and values["plan"]["steps"] and values["valid"]
        assert values["indexes"][0]["columns"] == ["total"] and values["indexes"][0]["known"]
        refused = await client.post("/v1/jobs", json={"action": "look", "parameters": {"dialect": "cobol", "sql": "x"}})
        assert refused.status_code == 400 and "cobol" in refused.text and "PostgreSQL" in refused.text
        assert (await client.post("/v1/jobs", json={"action": "look", "parameters": {}})).status_code == 400
        assert (tmp_path / "shop.sqlite").read_bytes() == before and engine.asked == []


async def test_the_path_shows_its_three_steps(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        reply = await client.post("/v1/chat/completions", json=user("check: SELECT id FROM orders", model="auto"))
        name = reply.headers["x-pointsman-request-id"]
        async with asyncio.timeout(10):
            while (
                found := await client.get(f"/v1/requests/{name}/trace")
            ).status_code == 404:  # the log is written later
                await asyncio.sleep(0.02)
        trace = found.json()
        assert trace["decision"]["execution_path"] == ["syntax_check", "index_suggestion", "explain_plan"]
