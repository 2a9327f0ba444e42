# ruff: noqa: E501
"""Answers filled with what came with the question, over the wire: by a rule in both languages, as a job, streamed; what no
chunk says; what is kept of it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import Engine, config, conversation, streamed
from framing.product_messages import LEARNED, MESSAGES
from pointsman.pipeline.acting import shown
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
from running import running

RULES = """
rules:
  - id: account
    when: {any: [被锁, locked]}
    action: account_unlock
    examples: [账号被锁了怎么办, my account is locked]
    counter_examples: [写一首诗]
    boundary: [{text: 被子, takes: false}]
"""
UNLOCK: dict[str, Any] = {
    "schema": {
        "steps": {"type": "array", "description": {"zh": "解锁步骤", "en": "the steps"}},
        "sla": {"type": "string", "x-kind": "duration", "description": {"zh": "响应时限", "en": "the response time"}},
    },
    "template": {
        "zh": "解锁步骤：\n{steps}\n响应时限：{sla}\n依据：{chunks}",
        "en": "To unlock it:\n{steps}\nThey react {sla}.\nFrom: {chunks}",
    },
    "model": "medium",
}
CONTEXT = {
    "zh": '<source id="12" name="手册.docx">账号被锁后，先提供工号验证，再联系IT支持。</source>\n<source id="13">IT支持2小时内响应，日志留30天。</source>',
    "en": '<source id="12" name="kb.pdf">Show your badge, then call IT support.</source>\n<source id="13">They react within 2 hours; logs stay 30 days.</source>',
}
QUESTION = {"zh": "账号被锁了怎么办？", "en": "My account is locked, what now?"}
ANSWER = {
    "zh": "解锁步骤：\n1. 提供工号验证\n2. 联系IT支持\n响应时限：2小时内\n依据：[12] [13]",
    "en": "To unlock it:\n1. Show your badge\n2. call IT support\nThey react within 2 hours.\nFrom: [12] [13]",
}
STEPS = {"zh": ["联系IT支持", "提供工号验证"], "en": ["call IT support", "show your badge"]}


def filled(tongue: str, sla: str | None = "2 hours") -> Any:
    """What the scripted model says."""
    reply = {
        "steps": [{"value": step, "passage": 1} for step in STEPS[tongue]],
        "sla": None if sla is None else {"value": sla, "passage": 2},
    }
    return streamed(conversation(json.dumps(reply, ensure_ascii=False)))


def framed(tongue: str) -> str:
    return MESSAGES["open-webui"].replace("{context}", CONTEXT[tongue]).replace("{question}", QUESTION[tongue])


@contextlib.asynccontextmanager
async def gateway(folder: Path, engine: Engine) -> AsyncIterator[httpx.AsyncClient]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    sections = config(
        engine,
        actions={"account_unlock": {"extract": UNLOCK}},
        rules={"packs": [], "files": ["rules.yaml"]},
        fallback={"target": "medium"},
    )
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
        yield client


async def asked(
    client: httpx.AsyncClient, *messages: dict[str, str], stream: bool = False
) -> tuple[str, httpx.Response]:
    body = {"model": "auto", "messages": list(messages), "stream": stream}
    reply = await client.post("/v1/chat/completions", json=body, headers={"x-pointsman-trace": "1"})
    assert reply.status_code == 200 and reply.headers["x-pointsman-stage"] == "l0", reply.text
    if not stream:
        return str(reply.json()["choices"][0]["message"]["content"]), reply
    events = [json.loads(line[6:]) for line in reply.text.split("\n\n") if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"]), reply


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_by_a_rule(tongue: str, stream: bool, tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine) as client:
        engine.plays = [filled(tongue)]
        text, _ = await asked(client, {"role": "user", "content": framed(tongue)}, stream=stream)
        assert text == ANSWER[tongue]
    [call] = engine.asked
    assert call.fields["temperature"] == 0 and call.fields["response_format"]["type"] == "json_schema"
    assert call.fields["response_format"]["json_schema"]["schema"]["required"] == ["sla", "steps"]


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_the_context_may_stand_in_the_system_message(tongue: str, tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine) as client:
        engine.plays = [filled(tongue)]
        system = {"role": "system", "content": LEARNED.replace("{context}", CONTEXT[tongue])}
        text, _ = await asked(client, system, {"role": "user", "content": QUESTION[tongue]})
        assert text == ANSWER[tongue]


async def test_what_no_chunk_says_is_told_with_what_it_would_need(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine) as client:
        engine.plays = [filled("zh", "5 minutes"), filled("en", None)]
        text, _ = await asked(client, {"role": "user", "content": framed("zh")})
        assert text == "资料中没有写明：响应时限。需要有写明这些内容的资料，才能回答。"
        text, _ = await asked(client, {"role": "user", "content": framed("en")})
        assert text == ("The passages do not say: the response time. To answer it, a passage is needed that says it.")
        text, _ = await asked(client, {"role": "user", "content": QUESTION["zh"]})
        assert text == "这个问题没有附带任何资料。需要有写明以下内容的资料，才能回答：响应时限、解锁步骤。"
        assert len(engine.asked) == 2


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_as_a_job(tongue: str, tmp_path: Path) -> None:
    chunks = [
        {"id": 12, "text": CONTEXT[tongue].split(">")[1].split("<")[0]},
        CONTEXT[tongue].split(">")[3].split("<")[0],
    ]
    async with Engine() as engine, gateway(tmp_path, engine) as client:
        engine.plays = [filled(tongue)]
        parameters = {"question": QUESTION[tongue], "chunks": chunks}
        sent = await client.post("/v1/jobs", json={"action": "account_unlock", "parameters": parameters})
        job = sent.json()
        while job["state"] not in ("completed", "failed"):
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
        body = job["result"]["body"]
    assert body["outcome"] == "ok", body
    assert body["values"]["fields"]["sla"] == ("2小时内" if tongue == "zh" else "within 2 hours")
    assert body["values"]["chunks"] == {"steps": ["12"], "sla": ["2"]}
    assert body["values"]["intent"] == "account_unlock" and body["values"]["missing"] == []


async def test_chunks_are_in_no_trace_and_sealed_in_the_log(tmp_path: Path) -> None:
    async with Engine() as engine, gateway(tmp_path, engine) as client:
        engine.plays = [filled("zh")]
        _, reply = await asked(client, {"role": "user", "content": framed("zh")})
        decision = reply.json()["pointsman"]["decision"]
        assert decision["parameters"] == {"question": QUESTION["zh"], "chunks": "•••"}, decision
        assert "30天" not in json.dumps(dict(reply.headers)) + json.dumps(decision, ensure_ascii=False)
        told = (await client.post("/v1/decide", json={"text": framed("zh")})).json()
        assert told["parameters"]["chunks"] == "•••"
        request_id = reply.headers["x-pointsman-request-id"]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert "30天".encode() not in kept and "工号验证".encode() not in kept
    reader = LogReader(tmp_path / "data")
    try:
        found = reader.evidence(request_id)
        assert found is not None and found.request.turns[0].text == framed("zh")
        again = decide(found.request, Policy(found.policy), found.snapshot, seed=found.decision.seed)
        assert [chunk["id"] for chunk in again.parameters["chunks"]] == ["12", "13"]
        assert shown(again, found.policy.actions) == found.decision
    finally:
        reader.close()
