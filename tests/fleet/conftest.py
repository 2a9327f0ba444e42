"""The shared real model, and children that only play one."""

from __future__ import annotations

import textwrap
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from fleet.gguf_writer import SMALL
from pointsman.fleet import launch
from pointsman.fleet.launch import COMMAND
from pointsman.fleet.process import Backoff, ModelProcess
from pointsman.fleet.settings import ModelSettings

FAST = Backoff(delays=(0.05,))


_before: set[int] = set()


def children() -> list[str]:
    """Children of this process that the test started with `fake`, zombies too."""
    return [f"{child.pid} {child.status()}" for child in psutil.Process().children() if child.pid not in _before]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def smollm2() -> AsyncIterator[ModelProcess]:
    """SmolLM2 in a real child, with 2 slots of 1024 tokens. Tests may kill its child and wait until it is up again."""
    settings = ModelSettings(model="builtin:smollm2-135m", name="smol", context=1024, threads=1)
    process = ModelProcess(settings, backoff=FAST, log_lines=1000)
    await process.start()
    assert await process.settled(60) == "up", process.problem
    yield process
    await process.stop()


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], ModelSettings]:
    """Makes the given Python text the child; `report` and `listen` are at its service."""
    _before.clear()
    _before.update(child.pid for child in psutil.Process().children())
    model = tmp_path / "fake.gguf"
    model.write_bytes(SMALL + bytes(2048))  # its tensors
    prelude = """
        import http.server, json, os, signal, sys, threading, time
        settings = json.loads(sys.stdin.readline())
        def report(**fields):
            print(json.dumps(fields), flush=True)
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers()
                self.wfile.write(b"ok")
            def log_message(self, *words): pass
        def listen():
            server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
            report(address=f"http://127.0.0.1:{server.server_port}", context_length=settings["context"], slots=2)
            server.serve_forever()
    """

    def become(body: str) -> ModelSettings:
        script = tmp_path / "child.py"
        script.write_text(textwrap.dedent(prelude) + textwrap.dedent(body))
        monkeypatch.setattr(launch, "COMMAND", (COMMAND[0], str(script)))
        return ModelSettings(model=str(model), name="fake")

    return become
