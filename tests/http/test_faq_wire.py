"""An FAQ over the wire: by a rule in both languages, as a job, with near misses, and read again when its file changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import httpx

from running import Running, running

RULES = """
rules:
  - id: ask_it
    when: {any: [打印机, printer, VPN]}
    action: faq_it
    examples: [打印机卡纸怎么办, my printer has a paper jam]
    counter_examples: [写一首诗]
    boundary: [{text: 复印纸, takes: false}]
"""
FAQ = """
entries:
  - id: printer
    questions: {zh: [打印机卡纸怎么办], en: [the printer has a paper jam]}
    answer: {zh: 打开后盖。, en: Open the back.}
  - id: toner
    questions: {zh: [打印机怎么换墨盒], en: [how do I change the toner of the printer]}
    answer: {zh: 联系行政部。, en: Ask the office.}
"""


@contextlib.asynccontextmanager
async def gateway(folder: Path) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    (folder / "faq.yaml").write_text(FAQ, encoding="utf-8")
    sections = {
        "actions": {"faq_it": {"faq": {"file": "faq.yaml"}}},
        "rules": {"packs": [], "files": ["rules.yaml"]},
        "models": {},
        "server": {"watch": True},
    }
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
        yield served, client


async def answered(client: httpx.AsyncClient, text: str) -> str:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    reply = await client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200 and reply.headers["x-pointsman-stage"] == "l0", reply.text
    return str(reply.json()["choices"][0]["message"]["content"])


async def test_both_languages_and_a_job(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (_, client):
        assert await answered(client, "打印机卡纸怎么办？") == "打开后盖。"
        assert await answered(client, "The printer has a paper jam!") == "Open the back."
        near = await answered(client, "打印机的保修期")
        assert near.startswith("常见问题里没有这个问题的答案。您是不是想问：\n1. 打印机") and "\n2. 打印机" in near
        job = (
            await client.post("/v1/jobs", json={"action": "faq_it", "parameters": {"question": "打印机卡纸怎么办"}})
        ).json()
        while job["state"] not in ("completed", "failed"):
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
        assert job["result"]["body"]["values"]["id"] == "printer", job


async def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (served, client):
        assert await answered(client, "打印机卡纸怎么办") == "打开后盖。"
        (tmp_path / "faq.yaml").write_text(FAQ.replace("打开后盖。", "请联系IT。"), encoding="utf-8")
        for _ in range(300):
            if await answered(client, "打印机卡纸怎么办") == "请联系IT。":
                break
            await asyncio.sleep(0.1)
        assert await answered(client, "打印机卡纸怎么办") == "请联系IT。"
        (tmp_path / "faq.yaml").write_text("entries:\n  - question: x\n", encoding="utf-8")
        for _ in range(300):
            if served.app.readiness()[1].get("problems"):
                break
            await asyncio.sleep(0.1)
        assert (
            "faq.yaml:2" in str(served.app.readiness()[1])
            and await answered(client, "打印机卡纸怎么办") == "请联系IT。"
        )
