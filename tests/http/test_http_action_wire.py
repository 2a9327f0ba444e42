"""Calls to a service over the wire: by a rule in chat, in both languages, and as a job that is killed on its way."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from execution.engine import Engine, config, user
from running import process, running

RULES = """
rules:
  - id: stock
    when:
      all:
        - {any: [{regex: '[A-Z]{2}-[0-9]{3,6}'}], as: sku}
        - {any: [stock, 库存]}
    action: stock
    parameters: {sku: "{sku}"}
    examples: ["stock of AB-123"]
    counter_examples: [hello]
    boundary: [{text: "AB-123", takes: false}]
"""


class Shop:
    """A stock service in threads of its own. While `hold` is set, orders wait until it is cleared."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, str | None]] = []
        self.done: set[str] = set()
        self.hold = threading.Event()
        self.free = threading.Event()
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                """Quiet."""

            def do_GET(self) -> None:
                shop.got.append(("GET", self.path, None))
                self._say(b'{"count": 7, "place": "A3"}')

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                key = self.headers.get("idempotency-key")
                shop.got.append(("POST", self.path, key))
                shop.done.add(str(key))
                if shop.hold.is_set():
                    shop.free.wait(60)
                with contextlib.suppress(OSError):
                    self._say(b'{"order": 1}')

            def _say(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.free.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def shop() -> Iterator[Shop]:
    opened = Shop()
    yield opened
    opened.close()


def actions(shop: Shop, **more: Any) -> dict[str, Any]:
    base = f"http://127.0.0.1:{shop.port}"
    allow = [f"127.0.0.1:{shop.port}"]
    answer = {"en": "{sku}: {body.count} left, shelf {body.place}", "zh": "{sku} 还有 {body.count} 件，在 {body.place}"}
    return {
        "stock": {"http": {"url": f"{base}/items/{{sku}}", "allow": allow, "answer": answer}},
        "order": {
            "http": {"url": f"{base}/orders", "method": "POST", "body": {"sku": "{sku}"}, "allow": allow, **more}
        },
    }


async def test_in_chat_and_as_a_job(tmp_path: Path, shop: Shop) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with Engine() as engine:
        rules = {"packs": [], "files": ["rules.yaml"]}
        sections = config(engine, rules=rules, actions=actions(shop), jobs={"poll": 0.05})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            for question, told in (
                ("stock of AB-123 please", "AB-123: 7 left, shelf A3"),
                ("AB-123 还有多少库存？", "AB-123 还有 7 件，在 A3"),
            ):
                reply = await client.post("/v1/chat/completions", json=user(question, model="auto"))
                assert reply.json()["choices"][0]["message"]["content"] == told
            made = await client.post("/v1/jobs", json={"action": "order", "parameters": {"sku": "AB-1"}})
            job = await over(client, made.json()["id"])
            assert job["result"]["body"]["values"] == {"status": 200, "body": {"order": 1}}
            refused = await client.post("/v1/jobs", json={"action": "stock", "parameters": {"sku": "../admin"}})
            assert refused.status_code == 400 and "sku" in refused.text
        assert [got[:2] for got in shop.got] == [("GET", "/items/AB-123")] * 2 + [("POST", "/orders")]
        assert engine.asked == []


async def over(client: httpx.AsyncClient, name: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            with contextlib.suppress(httpx.TransportError):
                job: dict[str, Any] = (await client.get(f"/v1/jobs/{name}")).json()
                if job["state"] == "completed" or job["disposition"] == "dead":
                    return job
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("keyed", [False, True])
async def test_a_gateway_that_is_killed_while_it_waits_for_the_answer(tmp_path: Path, shop: Shop, keyed: bool) -> None:
    """Unless the service knows keys, the order is not sent again, and the job says that nobody knows; if it does, it is
    sent again with the same key."""
    sections = {
        "server": {"port": 0, "watch": False, "data_dir": str(tmp_path / "data")},
        "models": {"medium": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}},
        "rules": {"packs": []},
        "actions": actions(shop, keyed=keyed),
        "jobs": {"poll": 0.05, "lease": 1.0, "backoff": 0.05},
    }
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(sections, allow_unicode=True), encoding="utf-8")
    shop.hold.set()
    with process(["--config", str(path)]) as first:
        async with httpx.AsyncClient(base_url=first.base, timeout=30) as client:
            made = await client.post("/v1/jobs", json={"action": "order", "parameters": {"sku": "AB-1"}})
            assert made.status_code == 202, made.text
        end = time.monotonic() + 30
        while not shop.got and time.monotonic() < end:
            await asyncio.sleep(0.02)
        assert len(shop.got) == 1
        first.signal(signal.SIGKILL)
    shop.hold.clear()
    shop.free.set()
    with process(["--config", str(path)]) as second:
        async with httpx.AsyncClient(base_url=second.base, timeout=30) as client:
            job = await over(client, made.json()["id"])
    assert len(shop.done) == 1
    body = job["result"]["body"]
    if keyed:
        assert body["outcome"] == "ok" and len(shop.got) == 2
    else:
        assert body["error"] == "uncertain" and len(shop.got) == 1
