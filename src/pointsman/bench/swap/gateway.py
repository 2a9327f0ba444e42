"""A gateway with three models and memory for fewer of them, and a client that asks it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from pointsman.bench.processes import Child, free_port
from pointsman.bench.swap.requantise import requantised
from pointsman.fleet.builtin import find_model

_STARTING = 60.0
MEMORY = 200
"""MB that each is said to take: the budget is so many times that."""


class Model(msgspec.Struct, frozen=True):
    """`name` is the key under `models:`, `file` what it loads."""

    name: str
    file: str
    context: int


def models(source: str, folder: Path) -> tuple[Model, ...]:
    """The same model three times: as it is, the same file under another name and with a longer context, and in another
    quantisation. Raises Problem, PointsmanError, OSError."""
    first = find_model(source)
    copy, other = folder / "copy.gguf", folder / "q8_0.gguf"
    try:
        os.link(first, copy)
    except OSError:  # another file system
        shutil.copyfile(first, copy)
    requantised(first, other)
    return Model("one", str(first), 512), Model("two", str(copy), 1024), Model("three", str(other), 512)


class Asked(msgspec.Struct, frozen=True):
    """`at` and `took` in seconds, `waited` those at the gate."""

    model: str
    at: float
    took: float
    status: int
    waited: float
    target: str


class Gateway:
    """One that runs, on `port`."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._began = time.monotonic()

    async def ask(self, model: str, tokens: int = 2) -> Asked:
        """One request. Raises OSError where it breaks off."""
        asked = {
            "model": model,
            "max_tokens": tokens,
            "temperature": 0,
            "messages": [{"role": "user", "content": "Hi"}],
        }
        body = json.dumps(asked).encode()
        at = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            head = "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\nconnection: close\r\n"
            head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await reader.read()
        finally:
            writer.close()
        lines = answer.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        waited = float(fields.get("x-pointsman-waited", "0").partition(";")[0])
        took, target = time.monotonic() - at, fields.get("x-pointsman-target", "")
        return Asked(model, at - self._began, took, int(lines[0].split()[1]), waited, target)

    async def residences(self) -> list[dict[str, Any]]:
        """How its models are."""
        found: list[dict[str, Any]] = (await asyncio.to_thread(_get, self.port, "/admin/models"))["models"]
        return found

    async def loads(self) -> int:
        """So far, of all models."""
        return sum(each["loads"] for each in await self.residences())


@contextlib.asynccontextmanager
async def gateway(loaded: Sequence[Model], places: int, gather: float, folder: Path) -> AsyncIterator[Gateway]:
    """In a process of its own, from when it is ready to its end; memory for so many `places`. Raises PointsmanError."""
    port = free_port()
    with Child(_command(_config(loaded, places, gather), folder, port), port, folder / "gateway.txt") as child:
        await asyncio.to_thread(child.wait_until_it_answers, lambda: _get(port, "/ready"), _STARTING)
        yield Gateway(port)
        await asyncio.to_thread(child.stop)


def _command(config: dict[str, Any], folder: Path, port: int) -> list[str]:
    folder.mkdir()
    file = folder / "pointsman.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [sys.executable, "-m", "pointsman", "serve", "-c", str(file), "--port", str(port)]
    return [*command, "--data-dir", str(folder / "data")]


def _config(loaded: Sequence[Model], places: int, gather: float) -> dict[str, Any]:
    def backend(model: Model) -> dict[str, Any]:
        own = {"engine": "embedded", "model": model.file, "name": model.name, "context": model.context}
        return own | {"slots": 2, "threads": 1, "load": {"when": "demand", "memory": f"{MEMORY}MB"}}

    return {
        "models": {model.name: {"backends": [backend(model)]} for model in loaded},
        "memory": {"budget": f"{places * MEMORY}MB", "gather": gather},
        "admission": {"queue": 10_000, "wait": 600},
        "rules": {"packs": []},
        "log": {"prompts": "off"},
    }


def _get(port: int, path: str) -> Any:
    """Raises OSError."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://127.0.0.1:{port}{path}", timeout=10) as response:
        return json.loads(response.read())
