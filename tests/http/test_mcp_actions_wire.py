"""Tools of MCP servers in a gateway: by a rule, as a job, over a reload, in `check`."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import yaml

from actions.left import running_in
from actions.mcp.given import gone, servers, tool
from running import Process, Running, running

NOBODY = {"medium": {"backends": [{"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}]}}
RULES = """
rules:
  - id: sum
    when:
      template: "{a} (plus|加) {b}"
      slots: {a: ["20", "1"], b: ["22", "2"]}
    action: script_add
    examples: [1 plus 2, 1 加 2]
    counter_examples: [one plus two]
    boundary: [{text: 1 plus 2 please, takes: false}]
  - id: broken
    when: {whole: [break it, 坏掉]}
    action: broken
    examples: [break it]
    counter_examples: [break]
    boundary: [{text: break it now, takes: false}]
"""


@contextlib.asynccontextmanager
async def gateway(folder: Path, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    async with (
        running(sections(folder, **more), folder) as served,
        httpx.AsyncClient(base_url=served.base, timeout=30) as client,
    ):
        yield served, client


def sections(folder: Path, **more: Any) -> dict[str, Any]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    return {
        "models": NOBODY,
        "rules": {"packs": [], "files": ["rules.yaml"]},
        "actions": {"broken": {"mcp": tool("fails")}, "pid": {"mcp": tool("pid")}},
        "mcp_servers": servers(tools=["add", "echo"]),
        "jobs": {"poll": 0.05},
    } | more


async def ask(client: httpx.AsyncClient, text: str) -> tuple[str, httpx.Response]:
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    reply = await client.post("/v1/chat/completions", json=body)
    return reply.json()["choices"][0]["message"]["content"], reply


async def done(client: httpx.AsyncClient, action: str, parameters: dict[str, Any]) -> dict[str, Any]:
    job = (await client.post("/v1/jobs", json={"action": action, "parameters": parameters})).json()
    async with asyncio.timeout(30):
        while job["state"] != "completed":
            await asyncio.sleep(0.05)
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
    return dict(job["result"]["body"])


async def test_by_a_rule_and_as_a_job(tmp_path):
    async with gateway(tmp_path) as (_, client):
        for text in ("20 plus 22", "20 加 22"):
            answer, reply = await ask(client, text)
            assert (answer, reply.headers["x-pointsman-stage"]) == ("42", "l0")
        assert "failed: no such row" in (await ask(client, "break it"))[0]
        assert "执行失败：no such row" in (await ask(client, "坏掉"))[0]
        job = await done(client, "script_add", {"a": 1, "b": 2})
        assert (job["text"], job["values"], job["outcome"]) == ("3", {"total": 3}, "ok")
        wrong = await client.post("/v1/jobs", json={"action": "script_add", "parameters": {"a": "x", "b": 1}})
        assert wrong.status_code == 400 and "parameters.a" in wrong.json()["error"]["message"]


async def test_a_server_stays_over_a_reload_and_goes_with_its_config(tmp_path):
    async with gateway(tmp_path) as (served, client):
        pid = int((await done(client, "pid", {}))["text"])
        await client.post("/admin/reload")
        assert int((await done(client, "pid", {}))["text"]) == pid
        served.config.write_text(yaml.safe_dump(sections(tmp_path, mcp_servers=servers(env={"A": "b"}, tools=["add"]))))
        reply = await client.post("/admin/reload")
        assert reply.status_code == 200, reply.text
        assert int((await done(client, "pid", {}))["text"]) != pid
        assert await gone(pid)


async def test_a_gateway_that_is_killed_takes_its_servers_along(tmp_path):
    config = sections(tmp_path)
    config["mcp_servers"]["script"]["command"] += ["stays", str(tmp_path)]
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config))
    process = Process(["-c", str(path), "--port", "0", "--data-dir", str(tmp_path / "data")])
    try:
        base = process.wait_for(r"(http://\S+):").group(1)
        async with httpx.AsyncClient(base_url=base, timeout=30) as client:
            pid = int((await done(client, "pid", {}))["text"])
        os.kill(process.pid, signal.SIGKILL)
        assert await gone(pid)
    finally:
        process.stop()


def test_check_lists_tools_and_what_they_take(tmp_path):
    (tmp_path / "pointsman.yaml").write_text(yaml.safe_dump(sections(tmp_path)), encoding="utf-8")

    def check(*more: str) -> str:
        command = [sys.executable, "-m", "pointsman", "check", "-c", str(tmp_path / "pointsman.yaml"), *more]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout

    english, chinese, found = check("--language", "en"), check("--language", "zh"), json.loads(check("--json"))
    assert "mcp script: 29 tools" in english and "mcp script：29 个工具" in chinese
    [line] = [line for line in english.splitlines() if line.startswith("  add ")]
    assert "script_add" in line and "a: whole number, b: whole number" in line and line.endswith("Adds.")
    assert "a: 整数, b: 整数" in chinese
    [add] = [one for one in found["mcp_servers"]["script"]["tools"] if one["tool"] == "add"]
    assert add["actions"] == ["script_add"] and add["parameters"]["required"] == ["a", "b"] and add["read_only"]
    assert not running_in(tmp_path)
