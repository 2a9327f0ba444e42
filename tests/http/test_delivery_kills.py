"""A gateway that is killed while a letter goes out: whoever takes the job up says that nobody knows, and repeats nothing."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from mail_server import ITS_OWN_WARNINGS, mail_server
from running import Process

pytestmark = ITS_OWN_WARNINGS


def config(port: int, folder: Path) -> dict[str, Any]:
    mail = {"host": "127.0.0.1", "port": port, "tls": "off", "from": "r@example.com", "to": ["f@example.com"]}
    return {
        "server": {"port": 0, "data_dir": str(folder / "data")},
        "models": {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}},
        "rules": {"packs": ["builtin:smalltalk"]},
        "jobs": {"lease": 0.5, "poll": 0.05},
        "delivery": {"finance": {"mail": mail}},
    }


async def started(path: Path) -> Process:
    process = await asyncio.to_thread(Process, ["-c", str(path)])
    found = await asyncio.to_thread(process.wait_for, r"Pointsman \S+ (?:is ready|listens) on (http://[^\s:]+:\d+)")
    process.base = found.group(1)
    return process


@pytest.mark.parametrize("killed", [True, False])
async def test_a_letter_on_its_way(tmp_path: Path, killed: bool) -> None:
    path = tmp_path / "pointsman.yaml"
    async with mail_server() as box:
        box.wait = asyncio.Event()
        path.write_text(yaml.safe_dump(config(box.port, tmp_path)), encoding="utf-8")
        process = await started(path)
        try:
            body = {"model": "auto", "messages": [{"role": "user", "content": "hi"}]}
            wish = {"endpoint": "/v1/chat/completions", "body": body, "deliver": "finance"}
            async with httpx.AsyncClient(base_url=process.base, timeout=30) as client:
                job = (await client.post("/v1/jobs", json=wish)).json()
                async with asyncio.timeout(30):
                    await box.arrived.wait()
                    while not (delivery := (await client.get("/v1/jobs?kind=delivery")).json()["data"]):
                        await asyncio.sleep(0.02)
            assert job["id"].removeprefix("job_") in delivery[0]["id"]
            process.signal(signal.SIGKILL if killed else signal.SIGTERM)
        finally:
            await asyncio.to_thread(process.stop)
        process = await started(path)
        try:
            async with httpx.AsyncClient(base_url=process.base, timeout=30) as client, asyncio.timeout(30):
                while True:
                    found = (await client.get(f"/v1/jobs/{delivery[0]['id']}")).json()
                    if found["disposition"] == "dead":
                        break
                    await asyncio.sleep(0.05)
            assert found["error"]["code"] == "uncertain" and "may have arrived" in found["error"]["message"]
        finally:
            await asyncio.to_thread(process.stop)
        box.wait.set()
        await asyncio.sleep(0.1)
        assert len(box.letters) <= 1
