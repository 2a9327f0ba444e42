"""A server that has an address: sessions, streams, and what it may do wrong."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from actions.mcp.given import called, nothing_left, text_of
from actions.mcp.remote import Remote
from actions.workshop import OCCASION, workshop
from pointsman.actions.mcp.events import Events
from pointsman.actions.mcp.reach import opener
from pointsman.actions.mcp.rpc import McpFailure, RpcError
from pointsman.actions.mcp.use import ServerInUse
from pointsman.config.action_schema import McpServer
from pointsman.domain.said import Said
from pointsman.outbound.calls import HttpOutbound


@contextlib.asynccontextmanager
async def in_use(
    *replies: Any, headers: dict[str, str] | None = None, **more: Any
) -> AsyncIterator[tuple[Remote, ServerInUse]]:
    idle = more.pop("idle", 300.0)
    async with Remote(*replies, **more) as remote:
        server = McpServer(url=remote.url, headers=headers or {})
        open_wire, let_go = opener("there", server, Path.cwd(), HttpOutbound)
        use = ServerInUse("there", open_wire, idle=idle, let_go=let_go)
        try:
            yield remote, use
        finally:
            await use.close()


async def failure(use: ServerInUse, seconds: float = 20.0) -> McpFailure:
    with pytest.raises(McpFailure) as caught:
        await called(use, "echo", {"text": "x"}, seconds)
    assert isinstance(caught.value.message, Said) and "there" in caught.value.message
    return caught.value


async def test_a_session_and_its_headers():
    async with in_use("one", "two", headers={"Authorization": "Bearer x"}) as (remote, use):
        assert text_of(await called(use, "echo", {"text": "x"})) == "one"
        assert text_of(await called(use, "echo", {"text": "x"})) == "two"
        assert remote.methods() == ["initialize", "notifications/initialized", "tools/list", "tools/call", "tools/call"]
        first, second = remote.seen[0][1], remote.seen[1][1]
        assert "mcp-session-id" not in first and "mcp-protocol-version" not in first
        assert (second["mcp-session-id"], second["mcp-protocol-version"]) == ("1", "2025-11-25")
        assert all(headers["authorization"] == "Bearer x" for _, headers, _ in remote.seen)
        assert "text/event-stream" in first["accept"]


async def test_a_session_that_is_forgotten_begins_anew():
    async with in_use("one", "two") as (remote, use):
        await called(use, "echo", {"text": "x"})
        remote.forget()
        assert text_of(await called(use, "echo", {"text": "x"})) == "two"
        assert remote.session == 2


async def test_a_session_that_is_not_used_is_given_back():
    async with in_use("one", idle=0.05) as (remote, use):
        await called(use, "echo", {"text": "x"})
        for _ in range(1500):
            if remote.methods()[-1] == "DELETE":
                break
            await asyncio.sleep(0.02)
        assert remote.methods()[-1] == "DELETE" and remote.seen[-1][1]["mcp-session-id"] == "1"


async def test_one_that_knows_no_handshake():
    async with in_use("one", stateless=True) as (remote, use):
        await called(use, "echo", {"text": "x"})
        _, headers, message = remote.seen[-1]
        assert (headers["mcp-protocol-version"], headers["mcp-method"], headers["mcp-name"]) == (
            "2026-07-28",
            "tools/call",
            "echo",
        )
        assert message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"


STREAMS = [
    ["event: message\r\ndata: {answer}\r\n\r\n", "wait"],
    [": hello\n\n", 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\nda', "ta: {answer}\n\n"],
    ["id: 7\nretry: 10\ndata:\n\n"],
    ['data: {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}\n\n', "data: {answer}\n\n"],
]


@pytest.mark.parametrize("chunks", STREAMS)
async def test_streams(chunks):
    async with in_use(chunks, ["data: {answer}\n\n"]) as (remote, use):
        assert text_of(await called(use, "echo", {"text": "x"})) == "streamed"
        if "sampling" in chunks[0]:
            for _ in range(1500):
                if remote.seen[-1][2].get("error"):
                    break
                await asyncio.sleep(0.02)
            assert remote.seen[-1][2]["error"]["code"] == -32601
        if "retry" in chunks[0]:
            assert remote.seen[-1][0] == "GET" and remote.seen[-1][1]["last-event-id"] == "7"


BAD = [
    ((200, "hello"), "protocol", True, "no message"),
    ((200, '{"jsonrpc":"2.0","id":99,"result":{}}'), "protocol", True, "no message"),
    ((500, "oops"), "lost", True, "500"),
    ((503, "busy"), "unreachable", False, "503"),
    ((401, '{"error":"invalid_token"}'), "refused", False, "credentials"),
    ((405, ""), "refused", False, "no Streamable HTTP endpoint"),
    ((302, ""), "refused", False, "redirects"),
    (["data: x\n\n"], "lost", True, "stream ended"),
    (["data: " + "x" * (1 << 20)] * 17, "too_large", True, "16,777,216"),
]


@pytest.mark.parametrize(("reply", "kind", "sent", "words"), BAD)
async def test_what_it_may_do_wrong(reply, kind, sent, words):
    async with in_use(reply) as (_, use):
        wrong = await failure(use)
        assert (wrong.kind, wrong.sent) == (kind, sent) and words in wrong.message


async def test_an_error_in_its_own_words():
    async with in_use((400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}')) as (_, use):
        with pytest.raises(RpcError, match="no"):
            await called(use, "echo", {"text": "x"})


async def test_a_call_that_hangs_is_called_off_there():
    async with in_use(["wait"]) as (remote, use):
        wrong = await failure(use, 0.3)
        assert (wrong.kind, wrong.sent) == ("timeout", True)
        for _ in range(1500):
            if "notifications/cancelled" in remote.methods():
                break
            await asyncio.sleep(0.02)
        assert "notifications/cancelled" in remote.methods()


async def test_nobody_there():
    async with Remote() as remote:
        url = remote.url
    open_wire, let_go = opener("there", McpServer(url=url), Path.cwd(), HttpOutbound)
    use = ServerInUse("there", open_wire, let_go=let_go)
    wrong = await failure(use)
    assert wrong.kind == "unreachable" and not wrong.sent and "refused" in wrong.message
    await use.close()


async def test_as_an_action_and_nothing_is_left(tmp_path):
    async with Remote("one", "two") as remote, nothing_left():
        servers = {"there": {"url": remote.url}}
        actions = {"say": {"mcp": {"server": "there", "tool": "echo"}}}

        async with workshop(tmp_path, actions, mcp_servers=servers) as made:
            assert (await made["say"].run({"text": "x"}, OCCASION)).text == "one"


def test_events_in_any_pieces():
    text = b"id: 1\r\ndata: a\rdata:b\n\n: x\n\ndata\n\nretry: 20\n\rdata: c\r\n\r\n"
    whole = Events().feed(text)
    assert whole == [b"a\nb", b"", b"c"]
    for size in range(1, 8):
        events = Events()
        found = [data for at in range(0, len(text), size) for data in events.feed(text[at : at + size])]
        assert found + events.feed(b"\n") == whole, size
        assert (events.last, events.retry) == ("1", 0.02)
