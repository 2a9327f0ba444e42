"""Calculations over the wire: by a rule, by the degrade path, as a job; what is not understood goes on to a model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import CHAT, Engine, config
from running import running

RULES = """
rules:
  - id: calculate
    when: {any: [帮我算, calculate]}
    action: sums
    examples: ["帮我算 1+1", "calculate 1+1"]
    counter_examples: [算了吧, the calculator]
    boundary: [{text: "算 1+1", takes: false}]
"""


async def asked(client: httpx.AsyncClient, text: str) -> tuple[str, str, str | None]:
    reply = await client.post(CHAT, json={"model": "auto", "messages": [{"role": "user", "content": text}]})
    assert reply.status_code == 200, reply.text
    headers = reply.headers
    return (
        reply.json()["choices"][0]["message"]["content"],
        headers["x-pointsman-stage"],
        headers.get("x-pointsman-rule"),
    )


def sections(engine: Engine, **more: Any) -> dict[str, Any]:
    return config(engine, rules={"packs": [], "files": []}, actions={"maths": {"maths": {}}}) | more


async def test_a_calculation_in_chat_without_any_rule(tmp_path: Path) -> None:
    async with (
        Engine() as engine,
        running(sections(engine), tmp_path) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        text, stage, rule = await asked(client, "求 x^3+2x 的导数")
        assert (stage, rule) == ("l0", "degrade.maths") and "3x^2 + 2" in text.splitlines()[0] and "过程" in text
        text, stage, _ = await asked(client, "what is 15% of 80?")
        assert stage == "l0" and text.splitlines()[0].endswith("= 12")
        text, stage, _ = await asked(client, "solve x^2 - 5x + 6 = 0")
        assert stage == "l0" and "x = 2 or x = 3" in text.splitlines()[0] and "How it came about" in text
        link = text.split("](")[1].rstrip(")")
        picture = await client.get(link)
        assert picture.status_code == 200 and picture.headers["content-type"] == "image/svg+xml"
        assert picture.content.startswith(b"<svg") and b"<script" not in picture.content
        assert engine.asked == []
        for other in ("今天天气怎么样", "what is love", "解方程是什么意思", "9.11 事件是什么"):
            text, stage, rule = await asked(client, other)
            assert (text, stage, rule) == ("hello", "model", None), other


async def test_too_large_is_refused_in_the_language_of_the_question(tmp_path: Path) -> None:
    async with (
        Engine() as engine,
        running(sections(engine), tmp_path) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        assert "20,000 位" in (await asked(client, "9**9**9等于多少"))[0]
        assert "5,000!" in (await asked(client, "what is 100000!"))[0]
        assert engine.asked == []


async def test_as_a_job(tmp_path: Path) -> None:
    async with (
        Engine() as engine,
        running(sections(engine), tmp_path) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        body = {"action": "maths", "parameters": {"question": "∫_0^1 x² dx", "language": "zh"}}
        job_id = (await client.post("/v1/jobs", json=body)).json()["id"]
        async with asyncio.timeout(60):
            while (job := (await client.get(f"/v1/jobs/{job_id}")).json())["state"] != "completed":
                await asyncio.sleep(0.05)
        assert job["outcome"] == "ok"
        values = job["result"]["body"]["values"]
        assert values["result"] == "1/3" and values["result_latex"] == r"\frac{1}{3}"
        assert values["approximate"].startswith("0.3333") and values["latex"].startswith(r"\int_{0}^{1}")


async def test_what_a_rule_sends_and_is_not_understood_is_refused_with_why(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with Engine() as engine:
        own = sections(
            engine, rules={"packs": [], "files": ["rules.yaml"]}, actions={"sums": {"maths": {"picture": False}}}
        )
        async with running(own, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
            body = {"action": "sums", "parameters": {"question": "__import__('os').system('touch x')"}}
            job_id = (await client.post("/v1/jobs", json=body)).json()["id"]
            async with asyncio.timeout(60):
                while (job := (await client.get(f"/v1/jobs/{job_id}")).json())["state"] != "completed":
                    await asyncio.sleep(0.05)
            assert "import" in json.dumps(job["result"])
            text, stage, rule = await asked(client, "帮我算 3的平方根加1")
            assert (stage, rule) == ("l0", "calculate") and text.splitlines()[0] == "√3 + 1 = 1 + √3 ≈ 2.732050808"
            text, _, rule = await asked(client, "calculate the mood of x and y")
            assert rule == "calculate" and text.startswith("I could not read this as a calculation")
            assert not list(tmp_path.rglob("x")) and not Path("x").exists()


@pytest.mark.slow
async def test_cancelled_calculations_leave_nothing(tmp_path: Path) -> None:
    """200 of them: as many processes and descriptors after as before."""
    import psutil

    async with (
        Engine() as engine,
        running(sections(engine), tmp_path) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        await asked(client, "1+1=?")
        me = psutil.Process()

        async def quiet() -> tuple[int, int]:
            await asyncio.sleep(4)
            return len(me.children(recursive=True)), len(list(Path("/proc/self/fd").iterdir()))

        before = await quiet()
        for number in range(200):
            task = asyncio.create_task(asked(client, f"∫_0^1 sin(x^{number + 2})^3 dx"))
            await asyncio.sleep(0.01 * (number % 10))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        after = await quiet()
        assert after[0] <= before[0] and after[1] <= before[1] + 2
