"""A Kubernetes API server for tests, as far as EndpointSlices go: lists, watches with bookmarks, 410 for what is too old,
401 without the token. It behaves as the API's concepts page says of `resourceVersion`, `watch` and bookmarks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pointsman.backends.http import Pool
from pointsman.fleet.registry.kubernetes import Ask
from pointsman.ports.backend import Call, Stream

TOKEN = "sesame"


def endpoint(address: str, pod: str = "", **conditions: bool) -> dict[str, Any]:
    reference = {"targetRef": {"kind": "Pod", "name": pod, "uid": f"uid-{pod}"}} if pod else {}
    return {"addresses": [address], "conditions": conditions, **reference}


def slice_of(name: str, *endpoints: dict[str, Any], ports: Any = None, kind: str = "IPv4") -> dict[str, Any]:
    ports = [{"name": "http", "port": 8000, "protocol": "TCP"}] if ports is None else ports
    return {"metadata": {"name": name}, "addressType": kind, "endpoints": list(endpoints), "ports": ports}


class ApiServer:
    """`put` and `remove` change what there is and tell who watches. `oldest` is the first version that can still be watched
    from; `refuse` a status that every request gets."""

    def __init__(self) -> None:
        self.version = 100
        self.oldest = 0
        self.refuse: int | None = None
        self.asked: list[str] = []
        self.slices: dict[str, dict[str, Any]] = {}
        self.port = 0
        self._events: list[tuple[int, dict[str, Any]]] = []
        self._watching: dict[asyncio.StreamWriter, asyncio.Event] = {}
        self._open: set[asyncio.StreamWriter] = set()
        self._pools: list[Pool] = []

    def put(self, found: dict[str, Any]) -> None:
        name = found["metadata"]["name"]
        self._tell("MODIFIED" if name in self.slices else "ADDED", found)
        self.slices[name] = found

    def remove(self, name: str) -> None:
        self._tell("DELETED", self.slices.pop(name))

    def bookmark(self) -> None:
        """Time has passed, and things that nobody here watches have changed."""
        self.version += 50
        event = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": str(self.version)}}}
        for writer in self._watching:
            writer.write(_chunk(event))

    def drop(self) -> None:
        """Every watch breaks off."""
        for writer, over in self._watching.items():
            writer.transport.abort()
            over.set()

    def end(self) -> None:
        """Every watch comes to its end, as after some minutes."""
        for writer, over in self._watching.items():
            writer.write(b"0\r\n\r\n")
            over.set()

    async def close(self) -> None:
        self.drop()
        for pool in self._pools:
            await pool.close()
        for writer in self._open:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in self._open), return_exceptions=True)

    def expire(self) -> None:
        """What is watched from is too old, which those who watch are told."""
        self.oldest = self.version + 1
        self.version += 10
        event = {"type": "ERROR", "object": {"kind": "Status", "code": 410, "message": "too old resource version"}}
        for writer in self._watching:
            writer.write(_chunk(event))
        self.end()

    @property
    def watches(self) -> int:
        return sum("watch=1" in path for path in self.asked)

    @property
    def lists(self) -> int:
        return len(self.asked) - self.watches

    def ask(self) -> Ask:
        pool = Pool(f"http://127.0.0.1:{self.port}")
        self._pools.append(pool)

        async def ask(call: Call) -> Stream:
            return await pool.open(call, (("authorization", f"Bearer {TOKEN}"),))

        return ask

    def _tell(self, kind: str, found: dict[str, Any]) -> None:
        self.version += 1
        found["metadata"]["resourceVersion"] = str(self.version)
        event = {"type": kind, "object": json.loads(json.dumps(found))}
        self._events.append((self.version, event))
        for writer in self._watching:
            writer.write(_chunk(event))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                path = head.split(" ", 2)[1]
                self.asked.append(path)
                await self._answer(path, f"bearer {TOKEN}" in head.lower(), writer)

    async def _answer(self, path: str, known: bool, writer: asyncio.StreamWriter) -> None:
        asked = parse_qs(urlsplit(path).query)
        if not known or self.refuse is not None:
            _respond(writer, self.refuse or 401, {"kind": "Status", "code": 403, "message": "not for you"})
            return
        if "watch" not in asked:
            listed = {"metadata": {"resourceVersion": str(self.version)}, "items": list(self.slices.values())}
            _respond(writer, 200, listed)
            return
        since = int(asked["resourceVersion"][0])
        if since < self.oldest:
            _respond(writer, 410, {"kind": "Status", "code": 410, "message": "too old"})
            return
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n")
        for version, event in self._events:
            if version > since:
                writer.write(_chunk(event))
        over = self._watching[writer] = asyncio.Event()
        await over.wait()
        del self._watching[writer]


def _respond(writer: asyncio.StreamWriter, status: int, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)


def _chunk(event: dict[str, Any]) -> bytes:
    """In two pieces, as networks cut."""
    data = json.dumps(event).encode() + b"\n"
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (data[:20], data[20:]))


@contextlib.asynccontextmanager
async def api_server(tls: ssl.SSLContext | None = None) -> AsyncIterator[ApiServer]:
    found = ApiServer()
    server = await asyncio.start_server(found._serve, "127.0.0.1", 0, ssl=tls)
    found.port = server.sockets[0].getsockname()[1]
    try:
        yield found
    finally:
        server.close()
        await found.close()
