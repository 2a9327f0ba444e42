"""Documents over the wire: a file beside a message or uploaded before, by a rule, as a step, as a job; both languages."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import openai

from actions.document import written
from execution.engine import Engine, config
from running import Running, running

RULES = """
rules:
  - id: read_it
    when: {whole: [读一下这个文件, read this file]}
    action: read
    examples: [读一下这个文件, read this file]
    counter_examples: [写一个文件]
    boundary: [{text: 读一下这个文件夹, takes: false}]
  - id: first_page
    when: {whole: [第一页写了什么, what is on the first page]}
    action: opening
    examples: [第一页写了什么, what is on the first page]
    counter_examples: [写一页]
    boundary: [{text: 第一页写了什么呢, takes: false}]
"""
ACTIONS = {
    "read": {"document": {"max_pages": 2}},
    "opening": {
        "parameters": {"file": {"type": "string", "format": "file"}},
        "steps": [
            {"action": "read", "name": "page", "parameters": {"file": "{file}", "pages": "1-1", "as": "text"}},
            {"action": "summary", "parameters": {"text": "{page.text}"}},
        ],
    },
    "summary": {"generate": {"prompt": "Say what this is about: {text}"}},
}


@contextlib.asynccontextmanager
async def gateway(folder: Path) -> AsyncIterator[tuple[Running, httpx.AsyncClient, Engine]]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with Engine() as engine:
        sections = config(engine, actions=ACTIONS, rules={"packs": [], "files": ["rules.yaml"]})
        async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
            yield served, client, engine


def asking(text: str, **file: str) -> dict[str, Any]:
    parts = [{"type": "text", "text": text}, {"type": "file", "file": file}]
    return {"model": "auto", "messages": [{"role": "user", "content": parts}]}


async def answered(client: httpx.AsyncClient, body: dict[str, Any]) -> str:
    reply = await client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200 and reply.headers["x-pointsman-stage"] == "l0", reply.text
    return str(reply.json()["choices"][0]["message"]["content"])


async def test_beside_the_message(tmp_path: Path) -> None:
    data = "data:application/pdf;base64," + base64.b64encode(written.pages(9)).decode()
    async with gateway(tmp_path) as (_, client, _):
        text = await answered(client, asking("读一下这个文件", file_data=data, filename="报告.exe"))
        assert text.startswith("共 9 页，只读取了前 2 页") and "— 第 2 页 —\n\nWord 2" in text
        text = await answered(client, asking("read this file", file_data=data))
        assert text.startswith("Only the first 2 of 9 pages") and text.endswith("— page 2 —\n\nWord 2")
        bomb = base64.b64encode(written.document_xml(b" " * (300 << 20))).decode()
        assert "解压" in await answered(client, asking("读一下这个文件", file_data=bomb))
        body = {"model": "auto", "messages": [{"role": "user", "content": "read this file"}]}
        assert "the file" in await answered(client, body)


async def test_uploaded_before_and_as_a_step(tmp_path: Path) -> None:
    async with (
        gateway(tmp_path) as (served, client, engine),
        openai.AsyncOpenAI(base_url=served.base + "/v1", api_key="x") as official,
    ):
        file = await official.files.create(file=("制度.docx", written.docx()), purpose="user_data")
        text = await answered(client, asking("读一下这个文件", file_id=file.id))
        assert "# 第一章 总则" in text and "| 打印纸 | 20 | 18.5 |" in text
        text = await answered(client, asking("what is on the first page", file_id=file.id))
        assert text == "hello"
        prompt = engine.asked[-1].fields["messages"][-1]["content"]
        assert (
            prompt.startswith("Say what this is about: ")
            and "采购管理制度" in prompt
            and "After the break" not in prompt
        )


async def test_as_a_job(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (_, client, _):
        sent = await client.post("/v1/files", files={"file": ("a", written.xlsx())}, data={"purpose": "assistants"})
        body = {"action": "read", "parameters": {"file": sent.json()["id"], "pages": 1}}
        job = (await client.post("/v1/jobs", json=body)).json()
        while job["state"] not in ("completed", "failed"):
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
        result = job["result"]["body"]
        assert result["values"]["tables"][0]["rows"][1] == ["销售", 1234.5, "2026-03-05", True], job
        wrong = await client.post("/v1/jobs", json={"action": "read", "parameters": {"file": "x", "pages": "1-"}})
        assert wrong.status_code == 400 and "1-3,7" in wrong.json()["error"]["message"]
