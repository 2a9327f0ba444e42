"""An MCP server over HTTP that does what it is told, on loopback, in the test's own loop."""

from __future__ import annotations

import asyncio
import json
from typing import Any

TOOLS = [{"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}]


class Remote:
    """`replies` are what calls of the tool get, in turn: a text for a JSON answer; a list of chunks of a stream of events,
    `{answer}` in which stands for the answer; or (status, body). `seen` are requests: (method, headers, message)."""

    def __init__(self, *replies: Any, sessions: bool = True, stateless: bool = False) -> None:
        self.replies = list(replies)
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.session = 0
        self._sessions, self._stateless = sessions, stateless
        self._gone: set[str] = set()

    async def __aenter__(self) -> Remote:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/mcp"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    def forget(self) -> None:
        """It does not know its session any more."""
        self._gone.add(str(self.session))

    def methods(self) -> list[str]:
        return [str(message["method"]) if message and "method" in message else verb for verb, _, message in self.seen]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            message = json.loads(body) if body else None
            self.seen.append((first.split(" ")[0], headers, message))
            await self._reply(writer, first.split(" ")[0], headers, message)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _reply(self, writer: asyncio.StreamWriter, verb: str, headers: dict[str, str], message: Any) -> None:
        method = (message or {}).get("method")
        if verb == "DELETE":
            return self._send(writer, 200, "")
        if verb == "GET":
            return await self._stream(writer, self.replies.pop(0), {})
        if headers.get("mcp-session-id") in self._gone:
            return self._send(writer, 404, "no such session")
        if message is None or "id" not in message or method is None:
            return self._send(writer, 202, "")
        if method == "initialize" and self._stateless:
            error = {"code": -32022, "message": "Unsupported protocol version"}
            return self._send(writer, 400, json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}))
        if method == "initialize":
            result: Any = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {}}
            self.session += 1
            more = {"mcp-session-id": str(self.session)} if self._sessions else {}
            return self._send(writer, 200, self._answer(message, result), more)
        if method == "server/discover":
            return self._send(
                writer, 200, self._answer(message, {"supportedVersions": ["2026-07-28"], "capabilities": {}})
            )
        if method == "tools/list":
            return self._send(writer, 200, self._answer(message, {"tools": TOOLS}))
        reply = self.replies.pop(0)
        if isinstance(reply, tuple):
            return self._send(writer, *reply)
        if isinstance(reply, list):
            return await self._stream(writer, reply, message)
        return self._send(writer, 200, self._answer(message, {"content": [{"type": "text", "text": reply}]}))

    def _answer(self, message: Any, result: Any) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result})

    def _send(self, writer: asyncio.StreamWriter, status: int, body: str, more: dict[str, str] | None = None) -> None:
        data = body.encode()
        headers = {"content-type": "application/json", "content-length": str(len(data)), **(more or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + data)

    async def _stream(self, writer: asyncio.StreamWriter, chunks: list[Any], message: Any) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        number = message.get("id", self._last if not message else None)
        if message:
            self._last = message["id"]
        answer = json.dumps(
            {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "streamed"}]}}
        )
        for chunk in chunks:
            if chunk == "wait":
                await asyncio.sleep(1000)
            writer.write(chunk.replace("{answer}", answer).encode())
            await writer.drain()
            await asyncio.sleep(0.01)
