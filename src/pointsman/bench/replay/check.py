"""Is the forecast true? The same requests through two gateways, one by the old policy and one by the new: what `replay` says
from the log of the first, beside what the second one's log says.

Requests go one after the other, each to both gateways in turn, in front of the same two engines: what else happens on the
machine meanwhile happens to both. Engines keep nothing of a prompt, so that nobody gains by coming second."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import random
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from pointsman import __version__
from pointsman.bench.admission.engine import MODEL
from pointsman.bench.processes import Child, free_port
from pointsman.bench.replay.configs import Changed, made_of, other_routes, patient, scored, write
from pointsman.bench.replay.paced import paced
from pointsman.bench.replay.replayed import replayed
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings
from pointsman.store.log_reader import LogReader

Progress = Callable[[str], None]
ROUTES, WEIGHTS = "routes and a rule", "weights"
ROWS: dict[str, tuple[Sequence[Changed], Sequence[Changed]]] = {
    ROUTES: ((), (other_routes,)),
    WEIGHTS: ((scored,), (scored, patient)),
}
FIGURES = ("mean_seconds", "median_seconds", "p95_seconds", "gpu_seconds")
_PAUSE = 0.12
"""Seconds by which the slow engine's events are held back."""
_WARM = 20
_STARTING = 60.0
_CONTEXT = 2048
_PATIENCE = 300.0


class _Asked(msgspec.Struct, frozen=True):
    """The body of a request, but for the model's name."""

    text: str
    tokens: int


def run_check(texts: Sequence[str], count: int, seed: int, rows: Sequence[str], progress: Progress) -> Results:
    """Raises PointsmanError."""
    results = new_results("replay-check", {"requests": count, "pause_ms": _PAUSE * 1000}, list(rows))
    folder = Path(tempfile.mkdtemp(prefix="pointsman-bench-"))
    dice = random.Random(seed)  # noqa: S311
    asked = [_Asked(texts[place % len(texts)], dice.choice((8, 16, 24, 40))) for place in range(count)]
    try:
        asyncio.run(_rows(results, folder, asked, rows, progress))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return results


async def _rows(
    results: Results, folder: Path, asked: Sequence[_Asked], rows: Sequence[str], progress: Progress
) -> None:
    async with _engine("light", folder) as light, _engine("heavy", folder) as heavy, paced(heavy.port, _PAUSE) as slow:
        results.versions = {POINTSMAN: __version__, "llama.cpp": light.version}
        config = made_of(_backend("light", light.port), _backend("heavy", slow))
        for row in rows:
            progress(said("{row}: {count} requests, twice", "{row}：{count} 个请求，两遍", row=row, count=len(asked)))
            values = await _row(folder / str(rows.index(row)), config, ROWS[row], asked)
            results.samples.append(Sample(POINTSMAN, row, 1, values))
            if row == ROUTES and values["wrong_n"]:
                why = said("requests went elsewhere than forecast", "请求的去向与预测不符")
                results.failures.append(Failure(POINTSMAN, row, 1, why))


async def _row(
    folder: Path, config: dict[str, Any], changes: tuple[Sequence[Changed], Sequence[Changed]], asked: Sequence[_Asked]
) -> dict[str, float]:
    files = [write(folder / name, config, *several) for name, several in zip(("a", "b"), changes, strict=True)]
    ports = [free_port() for _ in files]
    ids: tuple[list[str], list[str]] = ([], [])
    with contextlib.ExitStack() as running:
        for file, port in zip(files, ports, strict=True):
            command = [sys.executable, "-m", "pointsman", "serve", "-c", str(file), "--port", str(port)]
            command += ["--data-dir", str(file.parent / "data"), "--log-level", "warning"]
            child = running.enter_context(Child(command, port, file.parent / "gateway.txt"))
            await asyncio.to_thread(child.wait_until_it_answers, partial(_get, port, "/ready"), _STARTING)
        for place in range(_WARM):
            for port in ports:
                await asyncio.to_thread(_post, port, ("light", "heavy")[place % 2], asked[place % len(asked)])
        for place, each in enumerate(asked):
            for which in (0, 1) if place % 2 else (1, 0):
                ids[which].append(await asyncio.to_thread(_post, ports[which], "auto", each))
    return await asyncio.to_thread(_compared, files, ids)


def _compared(files: Sequence[Path], ids: tuple[list[str], list[str]]) -> dict[str, float]:
    first, second = files
    forecast = replayed(first, first.parent / "data", second, "--samples", "1000")
    happened = replayed(second, second.parent / "data", second, "--verify")
    before, after = (_places(file.parent / "data") for file in files)
    told = dict(before)
    for move in forecast["moves"]:
        for sample in move["samples"]:
            told[sample["id"]] = (move["to"]["kind"], move["to"]["name"])
    pairs = list(zip(*ids, strict=True))
    values = {
        "requests_n": float(len(pairs)),
        "told_moved_share": sum(told[a] != before[a] for a, _ in pairs) / len(pairs),
        "real_moved_share": sum(after[b] != before[a] for a, b in pairs) / len(pairs),
        "wrong_n": float(sum(told[a] != after[b] for a, b in pairs)),
        "same_again_n": float(happened["checked"] - happened["moved"]),
        "compared_n": float(happened["compared"]),
    }
    for name in FIGURES:
        effect, real = forecast["forecast"][name], happened["forecast"][name]["before"]
        values |= {
            f"{name}_was": effect["before"],
            f"{name}_told": effect["after"],
            f"{name}_low": effect["low"],
            f"{name}_high": effect["high"],
            f"{name}_real": real,
            f"{name}_error_share": effect["after"] / real - 1.0 if real else 0.0,
        }
    return values


def _places(folder: Path) -> dict[str, tuple[str, str]]:
    """Where each request of the log went."""
    with contextlib.closing(LogReader(folder)) as reader:
        heads = [logged.head for logged in reader.scan()]
    return {
        head.id: ("rule", head.rule or "") if head.stage == "l0" else ("target", head.target or head.error or "")
        for head in heads
    }


class _Engine(msgspec.Struct, frozen=True):
    port: int
    version: str


@contextlib.asynccontextmanager
async def _engine(name: str, folder: Path) -> AsyncIterator[_Engine]:
    """llama.cpp as the embedded engine runs it, on one thread. Raises PointsmanError."""
    port = free_port()
    settings = ModelSettings(model=MODEL, name=name, context=_CONTEXT, slots=1, threads=1, port=port)
    process = ModelProcess(settings, log_path=folder / f"{name}.txt")
    await process.start()
    try:
        if await process.settled(120.0) != "up":
            why = process.problem or "…"
            raise PointsmanError(said("the engine does not run: {why}", "引擎无法运行：{why}", why=why))
        yield _Engine(port, process.facts.engine_version or "")
    finally:
        await process.stop()


def _backend(name: str, port: int) -> dict[str, Any]:
    """As an engine that tells nothing of its own speed: what it holds back shows in its stream alone."""
    return {"engine": "vllm", "model": name, "name": name, "base_url": f"http://127.0.0.1:{port}/v1"}


def _get(port: int, path: str) -> None:
    """Raises OSError."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(connection):
        connection.request("GET", path)
        if connection.getresponse().status != 200:
            raise OSError


def _post(port: int, model: str, asked: _Asked) -> str:
    """The id of a request that was answered to its end. Raises PointsmanError."""
    body = msgspec.json.encode(
        {
            "model": model,
            "messages": [{"role": "user", "content": asked.text}],
            "max_tokens": asked.tokens,
            "temperature": 0,
            "stream": True,
            "cache_prompt": False,
        }
    )
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    with contextlib.closing(connection):
        connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        told = response.read()
        if response.status != 200 or b"[DONE]" not in told:
            raise PointsmanError(said("no whole reply: {told}", "没有完整的回复：{told}", told=told[-200:].decode()))
        return response.headers["x-pointsman-request-id"]
