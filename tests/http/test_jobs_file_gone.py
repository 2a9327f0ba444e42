"""The file of jobs is taken away under a gateway that runs: nothing is acknowledged that the next start would not know."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from execution.engine import CHAT, Engine, assert_error, config
from running import running

CHATTING = {"endpoint": CHAT, "body": {"model": "auto", "messages": [{"role": "user", "content": "tell me"}]}}


async def _problems(client: httpx.AsyncClient, *, until: bool) -> list[str]:
    """What /ready says, once it says something of removed files, or nothing any more."""
    async with asyncio.timeout(30):
        while True:
            problems = [text for text in (await client.get("/ready")).json()["problems"] if "was removed" in text]
            if bool(problems) == until:
                return problems
            await asyncio.sleep(0.02)


async def test_new_jobs_are_refused_until_it_is_back(tmp_path: Path) -> None:
    async with (
        Engine() as engine,
        running(config(engine, jobs={"poll": 0.05}), tmp_path) as served,
        httpx.AsyncClient(base_url=served.base, timeout=30) as client,
    ):
        [file] = tmp_path.rglob("jobs.sqlite")
        file.rename(tmp_path / "aside")
        refused = await client.post("/v1/jobs", json=CHATTING)
        assert refused.status_code == 503
        assert_error(refused.json())
        [told] = await _problems(client, until=True)
        assert "jobs.sqlite was removed or replaced" in told
        (tmp_path / "aside").rename(file)
        assert await _problems(client, until=False) == []
        assert (await client.post("/v1/jobs", json=CHATTING)).status_code == 202
