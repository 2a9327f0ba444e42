"""The gateway as an MCP server: by the official client over both transports, and by hand."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from actions.mcp.given import servers, tool
from execution.engine import Engine, config
from pointsman.http.auth import hash_key
from running import Running, running

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
ACTIONS = {
    "say": {"mcp": tool("echo"), "about": {"en": "Says it.", "zh": "照着说。"}},
    "sum": {"mcp": tool("add")},
    "picture": {"mcp": tool("picture")},
    "broken": {"mcp": tool("fails")},
    "加法": {"mcp": tool("add"), "about": {"en": "Adds.", "zh": "求和。"}},
}


@contextlib.asynccontextmanager
async def gateway(folder: Path, *engines: Engine, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    nobody = {
        "models": {"medium": {"backends": [{"engine": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}]}}
    }
    sections = config(*engines) if engines else nobody
    sections |= {"rules": {"packs": []}, "actions": ACTIONS, "mcp_servers": servers()} | more
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
        yield served, client


def message(method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


async def called(client: httpx.AsyncClient, name: str, arguments: Any, **headers: str) -> dict[str, Any]:
    headers = {"mcp-protocol-version": "2025-11-25"} | headers
    reply = await client.post("/mcp", json=message("tools/call", name=name, arguments=arguments), headers=headers)
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def sdk_target(served: Running, transport: str) -> Any:
    import mcp

    if transport == "http":
        return f"{served.base}/mcp"
    arguments = ["-m", "pointsman", "mcp", "--url", served.base]
    return mcp.StdioServerParameters(command=sys.executable, args=arguments)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
async def test_the_official_client_lists_and_calls(tmp_path, transport, mode):
    mcp = pytest.importorskip("mcp")
    async with Engine() as engine, gateway(tmp_path, engine) as (served, client):
        async with mcp.Client(sdk_target(served, transport), mode=mode) as sdk:
            tools = {one.name: one for one in (await sdk.list_tools()).tools}
            assert {"say", "sum", "picture", "broken", "report", "decide"} <= set(tools)
            assert tools["say"].input_schema["required"] == ["text"] and tools["say"].annotations.read_only_hint
            said = await sdk.call_tool("say", {"text": "hi 你好"})
            assert said.content[0].text == "hi 你好" and not said.is_error
            total = await sdk.call_tool("sum", {"a": 1, "b": 2})
            assert total.structured_content == {"total": 3}
            wrong = await sdk.call_tool("sum", {"a": "x", "b": 2})
            assert wrong.is_error and "parameters.a must be a whole number" in wrong.content[0].text
            failed = await sdk.call_tool("broken", {})
            assert failed.is_error and "no such row" in failed.content[0].text
            picture = await sdk.call_tool("picture", {})
            links = [block for block in picture.content if block.type == "resource_link"]
            assert [link.name for link in links] == ["image-1.png", "audio-2.wav"]
            assert (await client.get(str(links[0].uri))).content.startswith(b"\x89PNG")
            decided = await sdk.call_tool("decide", {"text": "What is the capital of France?"})
            assert decided.structured_content["stage"] == "model"
            assert json.loads(decided.content[0].text) == decided.structured_content
        metrics = (await client.get("/metrics")).text
        assert 'pointsman_tool_calls_total{outcome="ok",tool="sum"} 1' in metrics
        assert 'pointsman_tool_calls_total{outcome="failed",tool="broken"} 1' in metrics
        assert engine.asked == []


async def test_tools_in_the_language_of_the_client(tmp_path):
    async with gateway(tmp_path) as (_, client):
        for language, about in (("en", "Says it."), ("zh-CN", "照着说。")):
            reply = await client.post("/mcp", json=message("tools/list"), headers={"accept-language": language})
            tools = {one["name"]: one for one in reply.json()["result"]["tools"]}
            assert tools["say"]["description"] == about
            assert "x-mcp" not in json.dumps(tools)
        [odd] = [one for one in tools.values() if one.get("title") == "加法"]
        assert odd["name"].isascii() and odd["description"] == "求和。"
        answer = await called(client, odd["name"], {"a": 2, "b": 3})
        assert answer["result"]["structuredContent"] == {"total": 5}


async def test_a_version_is_agreed_on(tmp_path):
    async with gateway(tmp_path) as (_, client):
        for wanted, agreed in (
            ("2025-06-18", "2025-06-18"),
            ("2024-11-05", "2024-11-05"),
            ("1999", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
        ):
            reply = await client.post("/mcp", json=message("initialize", protocolVersion=wanted, capabilities={}))
            assert reply.json()["result"]["protocolVersion"] == agreed
            assert "mcp-session-id" not in reply.headers
        reply = await client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert (reply.status_code, reply.content) == (202, b"")
        assert (await client.post("/mcp", json=message("ping", "x"))).json() == {
            "jsonrpc": "2.0",
            "id": "x",
            "result": {},
        }
        wrong = await client.post("/mcp", json=message("ping"), headers={"mcp-protocol-version": "1999-01-01"})
        assert wrong.status_code == 400 and "2025-11-25" in wrong.json()["error"]["data"]["supported"]
        assert (await client.get("/mcp")).status_code == (await client.delete("/mcp")).status_code == 405


async def test_requests_that_say_all_themselves(tmp_path):
    def headers(method: str, name: str | None = None) -> dict[str, str]:
        named = {} if name is None else {"mcp-name": name}
        return {"mcp-protocol-version": "2026-07-28", "mcp-method": method, **named}

    async with gateway(tmp_path) as (_, client):
        reply = await client.post(
            "/mcp", json=message("server/discover", _meta=META), headers=headers("server/discover")
        )
        found = reply.json()["result"]
        assert found["resultType"] == "complete" and "2026-07-28" in found["supportedVersions"]
        call = message("tools/call", name="say", arguments={"text": "x"}, _meta=META)
        assert (await client.post("/mcp", json=call, headers=headers("tools/call", "say"))).json()["result"]["content"]
        other = await client.post("/mcp", json=call, headers=headers("tools/call", "sum"))
        assert (other.status_code, other.json()["error"]["code"]) == (400, -32020)
        none = await client.post("/mcp", json=message("initialize", _meta=META), headers=headers("initialize"))
        assert (none.status_code, none.json()["error"]["code"]) == (404, -32601)
        bare = await client.post("/mcp", json=message("tools/list"), headers=headers("tools/list"))
        assert (bare.status_code, bare.json()["error"]["code"]) == (400, -32602)


BAD = [
    (b"{", 400, -32700),
    (b'{"a": 1, "a": 2}', 400, -32700),
    (b"[]", 400, -32600),
    (b"5", 400, -32700),
    (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', 200, -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}', 200, -32601),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sy"}}', 200, -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": ["say"]}}', 200, -32602),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "say", "arguments": 5}}', 200, -32602),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD)
async def test_what_is_wrong_is_said_in_both_languages(tmp_path, body, status, code):
    async with gateway(tmp_path) as (_, client):
        words = []
        for language in ("en", "zh"):
            reply = await client.post("/mcp", content=body, headers={"accept-language": language})
            assert (reply.status_code, reply.json()["error"]["code"]) == (status, code), reply.text
            words.append(reply.json()["error"]["message"])
        assert words[0] != words[1]


async def test_a_client_that_hangs_up_stops_what_it_called(tmp_path):
    actions = {"hang": {"mcp": tool("hang")}, "cancelled": {"mcp": tool("cancelled")}}
    async with gateway(tmp_path, actions=actions) as (served, client):
        await called(client, "cancelled", {})
        async with httpx.AsyncClient(base_url=served.base) as other:
            waiting = asyncio.create_task(called(other, "hang", {}))
            await asyncio.sleep(0.3)
            waiting.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await waiting
        for _ in range(1500):
            if (await called(client, "cancelled", {}))["result"]["content"][0]["text"] == "1":
                break
            await asyncio.sleep(0.02)
        else:
            raise AssertionError("it goes on")


async def test_batches_are_of_one_version(tmp_path):
    batch = [message("ping", 1), {"jsonrpc": "2.0", "method": "notifications/x"}, message("nothing", 2)]
    async with gateway(tmp_path) as (_, client):
        reply = await client.post("/mcp", json=batch)
        assert [one["id"] for one in reply.json()] == [1, 2] and reply.json()[1]["error"]["code"] == -32601
        newer = await client.post("/mcp", json=batch, headers={"mcp-protocol-version": "2025-06-18"})
        assert newer.status_code == 400 and "2025-03-26" in newer.json()["error"]["message"]
        assert (await client.post("/mcp", json=[message("ping")] * 21)).status_code == 400


async def test_keys_and_pages(tmp_path):
    keys = {"keys": [{"name": "a", "hash": hash_key("secret")}], "loopback": "key"}
    async with gateway(tmp_path, auth=keys) as (_, client):
        assert (await client.post("/mcp", json=message("ping"))).status_code == 401
        key = {"authorization": "Bearer secret"}
        assert (await client.post("/mcp", json=message("ping"), headers=key)).status_code == 200
        page = await client.post("/mcp", json=message("ping"), headers={**key, "origin": "https://evil.example"})
        assert page.status_code == 403
        own = await client.post("/mcp", json=message("ping"), headers={**key, "origin": "http://localhost:3000"})
        assert own.status_code == 200


async def test_the_bridge_says_when_no_gateway_answers(tmp_path):
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pointsman", "mcp", "--url", "http://127.0.0.1:9", "--language", "zh"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    lines = b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n{"jsonrpc":"2.0","method":"notifications/x"}\nnonsense\n'
    out, _ = await process.communicate(lines)
    [answer] = [json.loads(line) for line in out.splitlines()]
    assert answer["id"] == 7 and "网关没有应答" in answer["error"]["message"] and process.returncode == 0


async def test_calls_are_in_the_log_as_requests_are(tmp_path):
    """Each with its caller, its action, how it ended and how long it took; without what nobody is to see."""
    actions = ACTIONS | {"say": {"mcp": tool("echo"), "redact": ["text"]}}
    keys = [{"name": "ann", "hash": hash_key("k")}]
    async with gateway(tmp_path, actions=actions, auth={"keys": keys}) as (_, client):
        client.headers["authorization"] = "Bearer k"
        ids = {}
        calls = {
            "ok": ("say", {"text": "the password is tulip"}),
            "bad": ("sum", {"a": "x", "b": 2}),
            "broken": ("broken", {}),
            "decided": ("decide", {"text": "hello"}),
        }
        for what, (name, arguments) in calls.items():
            body = message("tools/call", name=name, arguments=arguments)
            reply = await client.post("/mcp", json=body, headers={"mcp-protocol-version": "2025-11-25"})
            ids[what] = reply.headers["x-pointsman-request-id"]
        several = [message("tools/call", number, name="sum", arguments={"a": number, "b": 1}) for number in (1, 2)]
        reply = await client.post("/mcp", json=several)
        assert [one["result"]["structuredContent"]["total"] for one in reply.json()] == [2, 3]
        ids["first"] = reply.headers["x-pointsman-request-id"]
        ids["second"] = ids["first"] + ".1"
        traces = {}
        for what, number in ids.items():
            reply = await client.get(f"/v1/requests/{number}")
            for _ in range(1500):
                if reply.status_code == 200:
                    break
                await asyncio.sleep(0.02)
                reply = await client.get(f"/v1/requests/{number}")
            assert reply.status_code == 200, (what, reply.text)
            traces[what] = reply.json(), (await client.get(f"/v1/requests/{number}/trace")).json()
        metrics = (await client.get("/metrics")).text
    rows = {what: (row["endpoint"], row["outcome"], row["error"]) for what, (row, _) in traces.items()}
    assert rows == {
        "ok": ("tool", "ok", None),
        "bad": ("tool", "refused", "bad_parameters"),
        "broken": ("tool", "failed", "tool_error"),
        "decided": ("tool", "ok", None),
        "first": ("tool", "ok", None),
        "second": ("tool", "ok", None),
    }
    decisions = {what: trace["decision"] for what, (_, trace) in traces.items()}
    assert decisions["ok"]["action"] == "say" and decisions["ok"]["parameters"] == {"text": "•••"}
    assert decisions["second"]["parameters"] == {"a": 2, "b": 1} and decisions["bad"]["reason"]
    assert 'pointsman_requests_total{endpoint="tool",entry="(model)",outcome="failed",stage="l0"} 1.0' in metrics
    from pointsman.store.log_reader import LogReader

    reader = LogReader(tmp_path / "data")
    heads = {row["id"]: row for row in reader.rows({}, None, 10)}
    reader.close()
    assert {row["caller"] for row in heads.values()} == {"ann"} and len(heads) == 6
    assert heads[ids["ok"]]["action"] == "say" and heads[ids["ok"]]["total_ms"] > 0


async def test_what_nobody_is_to_see_is_in_no_trace_of_a_chat(tmp_path):
    rules = {"packs": [], "files": ["own.yaml"]}
    rule = {"id": "say", "when": {"any": ["照着说"]}, "action": "say", "parameters": {"text": "tulip"}}
    rule |= {"examples": ["照着说一遍"], "counter_examples": ["你好"], "boundary": [{"text": "照说", "takes": False}]}
    (tmp_path / "own.yaml").write_text(json.dumps({"rules": [rule]}), encoding="utf-8")
    actions = ACTIONS | {"say": {"mcp": tool("echo"), "redact": ["text"]}}
    async with gateway(tmp_path, actions=actions, rules=rules) as (_, client):
        body = {"model": "auto", "messages": [{"role": "user", "content": "请照着说一遍"}]}
        reply = await client.post("/v1/chat/completions", json=body)
        assert reply.json()["choices"][0]["message"]["content"] == "tulip"
        for _ in range(1500):
            trace = await client.get(f"/v1/requests/{reply.headers['x-pointsman-request-id']}/trace")
            if trace.status_code == 200:
                break
            await asyncio.sleep(0.02)
        assert trace.json()["decision"]["parameters"] == {"text": "•••"}
