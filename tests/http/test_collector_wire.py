"""A whole gateway that tells a collector: traces go through it from the client to the engine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("opentelemetry.proto.trace.v1.trace_pb2")

from execution.engine import Engine, config, conversation, streamed
from ruling import cases
from running import running
from telemetry.collector import Collector, about, collector

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
UNSAMPLED = "00-aaaabbbbccccdddd1111222233334444-00f067aa0ba902b7-00"
HELLO = f"- {{id: hello, when: {{any: [hello]}}, answer: Hi., {cases('hello')}}}\n"


def told(engine: Engine, folder: Path, there: Collector, **more: Any) -> dict[str, Any]:
    (folder / "r.yaml").write_text(HELLO, encoding="utf-8")
    otlp = {"endpoint": there.base, "every": 1, "headers": {"authorization": "Bearer key"}, **more}
    return config(
        engine,
        models={"light": {"backends": [engine.backend()]}},
        fallback={"target": "light"},
        rules={"packs": [], "files": ["r.yaml"]},
        telemetry={"otlp": otlp},
    )


async def chat(client: httpx.AsyncClient, text: str, parent: str | None = None) -> httpx.Response:
    headers = {} if parent is None else {"traceparent": parent, "tracestate": "desk=1"}
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    return await client.post("/v1/chat/completions", json=body, headers=headers)


async def come(there: Collector, many: int) -> list[Any]:
    async with asyncio.timeout(30):
        while len(there.spans) < many:
            await asyncio.sleep(0.02)
    return there.spans


async def test_one_tree_from_the_client_to_the_engine(tmp_path: Path) -> None:
    with collector() as there:
        async with Engine() as engine:
            engine.plays = [streamed(conversation("fine"))]
            sections = told(engine, tmp_path, there)
            async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base) as client:
                assert (await chat(client, "something open", PARENT)).status_code == 200
                spans = await come(there, 6)
                sent = engine.asked[-1].headers
    root = next(span for span in spans if span.kind == 2)
    called = next(span for span in spans if span.kind == 3)
    assert [span.name for span in spans if span.kind == 1] == [
        "pointsman.door", "pointsman.rules", "pointsman.routing", "pointsman.queue",
    ]  # fmt: skip
    assert {span.trace_id.hex() for span in spans} == {PARENT[3:35]}
    assert root.parent_span_id.hex() == PARENT[36:52]
    assert sent["traceparent"] == f"00-{PARENT[3:35]}-{called.span_id.hex()}-01"
    assert sent["tracestate"] == "desk=1"
    assert there.headers["authorization"] == "Bearer key"
    assert about(root)["pointsman.request_id"].startswith("req_")


async def test_a_rules_answer_has_a_trace_of_its_own_and_one_that_nobody_watches_none(tmp_path: Path) -> None:
    with collector() as there:
        async with Engine() as engine:
            engine.plays = [streamed(conversation("fine"))]
            sections = told(engine, tmp_path, there)
            async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base) as client:
                assert (await chat(client, "something open", UNSAMPLED)).status_code == 200
                assert engine.asked[-1].headers["traceparent"].startswith(UNSAMPLED[:35])
                assert engine.asked[-1].headers["traceparent"].endswith("-00")
                assert (await chat(client, "hello")).status_code == 200
                spans = await come(there, 4)
                await client.get("/metrics")
                async with asyncio.timeout(30):
                    while "gen_ai.server.request.duration" not in there.latest:
                        await asyncio.sleep(0.02)
    assert [span.name for span in spans] == ["chat auto", "pointsman.door", "pointsman.rules", "pointsman.action"]
    assert about(spans[2])["pointsman.rule"] == "hello"
    assert not spans[0].parent_span_id


async def test_without_a_collector_requests_are_served_and_it_is_counted(tmp_path: Path) -> None:
    with collector() as there:
        there.answers = [400] * 1000
        async with Engine() as engine:
            sections = told(engine, tmp_path, there)
            async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base) as client:
                replies = await asyncio.gather(*(chat(client, "hello") for _ in range(20)))
                async with asyncio.timeout(30):
                    text = ""
                    while 'pointsman_otlp_total{outcome="failed",signal="span"} 80.0' not in text:
                        text = (await client.get("/metrics")).text
                        await asyncio.sleep(0.05)
    assert [reply.status_code for reply in replies] == [200] * 20
    assert not there.traces
