"""Drives an ASGI application by hand: every message that goes in and comes out is the test's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

Message = dict[str, Any]


class Seen:
    """What came out."""

    def __init__(self, sent: list[Message]) -> None:
        self.sent = sent
        start = next((each for each in sent if each["type"] == "http.response.start"), {"status": 0, "headers": []})
        self.status: int = start["status"]
        self.headers = {name.decode(): value.decode() for name, value in start["headers"]}
        self.body = b"".join(each.get("body", b"") for each in sent if each["type"] == "http.response.body")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def scope_of(path: str = "/chat", method: str = "POST", headers: dict[str, str] | None = None, **more: Any) -> Message:
    pairs = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": pairs,
        "query_string": b"",
        "root_path": "",
        **more,
    }


def parts(*bodies: bytes, gone: bool = False) -> list[Message]:
    """A body in pieces; `gone`: the client goes before the last of them."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": True} for body in bodies]
    if gone:
        return [*messages, {"type": "http.disconnect"}]
    messages[-1]["more_body"] = False
    return messages


async def drive(app: Any, scope: Message, messages: Iterable[Message]) -> Seen:
    left, sent = list(messages), []

    async def receive() -> Message:
        await asyncio.sleep(0)
        return left.pop(0) if left else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return Seen(sent)


class Heard:
    """An application that keeps what it heard, and says how often it was called."""

    def __init__(self) -> None:
        self.calls: list[tuple[Message, list[Message]]] = []

    async def __call__(self, scope: Message, receive: Any, send: Any) -> None:
        heard: list[Message] = []
        self.calls.append((scope, heard))
        if scope["type"] != "http":
            return
        while True:
            message = await receive()
            heard.append(message)
            if not message.get("more_body"):
                break
        await send({"type": "http.response.start", "status": 201, "headers": [(b"x-app", b"1")]})
        await send({"type": "http.response.body", "body": b"app"})

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.calls[-1][1])
