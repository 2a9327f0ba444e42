"""A backend that answers by a function, without a network."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import msgspec

from pointsman.domain.target import BackendState, Health, Target
from pointsman.ports.backend import Call

Answer = Callable[[str, dict[str, Any]], Any]
"""Path and fields of a call → the body as plain data, or (status, body), or an exception to raise."""


class Reply:
    headers: Sequence[tuple[str, str]] = ()

    def __init__(self, status: int, body: bytes, gate: asyncio.Event | None) -> None:
        self.status, self.body, self.gate, self.closed = status, body, gate, False

    def header(self, name: str) -> str | None:
        return None

    async def read(self, limit: int = 0) -> bytes:
        if self.gate is not None:
            await self.gate.wait()
        return self.body

    def chunks(self) -> AsyncIterator[bytes]:
        raise NotImplementedError

    async def pour(self, sink: Any, room: Any) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.closed = True


class Scripted:
    """With a `gate`, replies come when it is set."""

    first_byte = 1.0
    whole = True
    upstream: Mapping[str, int] = {}

    def __init__(
        self, engine: str, answer: Answer, *, gate: asyncio.Event | None = None, health: Health = "up"
    ) -> None:
        self.target = Target("m@b", "light", "m", "b", engine)
        self.answer, self.gate, self.health = answer, gate, health
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.replies: list[Reply] = []

    async def open(self, call: Call) -> Reply:
        fields = msgspec.json.decode(call.body)
        self.calls.append((call.path, fields))
        said = self.answer(call.path, fields)
        if isinstance(said, Exception):
            raise said
        status, body = said if isinstance(said, tuple) else (200, said)
        data = body if isinstance(body, bytes) else msgspec.json.encode(body)
        if fields.get("stream"):
            data = b"data: " + data + b"\n\n"
        self.replies.append(Reply(status, data, self.gate))
        return self.replies[-1]

    async def probe(self) -> BackendState:
        return BackendState("m@b", self.health)

    async def count_tokens(self, messages: Any) -> int | None:
        return None

    async def close(self) -> None: ...
