"""Real engines, one thread each on a core of its own where there are enough, behind a gateway. The log of one node is all
that `report scale` is given; then the same arrivals come to what it foretold."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import yaml

from pointsman import __version__
from pointsman.bench.admission.arrivals import Arrival, Shape, arrivals, fitting, mean_tokens
from pointsman.bench.admission.client import Reply, ask
from pointsman.bench.admission.engine import MODEL, SLOTS, Engine, engine
from pointsman.bench.nodes.work import percentile
from pointsman.bench.processes import Child, clean_environment, free_port
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.store.log_reader import LogReader

Progress = Callable[[str], None]
REAL, FORETOLD = "real", "foretold"
BASE, NODES, FEWER = "one node", "two nodes", "half the slots"
ROWS = (BASE, NODES, FEWER)
_STARTING = 60.0
_PATIENCE = 600.0
_LONGEST = 600
"""Words of a prompt: four of them fit into the cells."""
_SMALLER = 3.0
"""Requests take a third of a second on average, so that there are enough of them for a P99."""


class Plan(msgspec.Struct, frozen=True):
    """`seconds` of arrivals at `load` times what one engine gets through with all slots busy, which `measured` seconds tell.
    `wait`: seconds after which the gate turns one away."""

    seconds: float = 120.0
    seed: int = 1
    load: float = 0.85
    measured: float = 12.0
    wait: float = 60.0
    model: str = MODEL


def run_whatif(plan: Plan, progress: Progress) -> Results:
    """Blocks; in the main thread. Raises PointsmanError where an engine or a gateway does not come up."""
    return asyncio.run(_run(plan, progress))


async def _run(plan: Plan, progress: Progress) -> Results:
    results = new_results("whatif", {**msgspec.to_builtins(plan), "rounds": 1, "slots": SLOTS}, list(ROWS))
    results.versions = {REAL: __version__, FORETOLD: __version__}
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as name:
        folder = Path(name)
        progress(said("how much one engine serves", "先测单个引擎能服务多少"))
        shape, rate = await _fitted(plan, _new(folder / "first"), results)
        coming = arrivals(rate, plan.seconds, plan.seed, shape)
        results.options["requests"] = len(coming)
        for row, nodes, slots in ((BASE, 1, SLOTS), (NODES, 2, SLOTS), (FEWER, 1, SLOTS // 2)):
            progress(said("{row}: {n} requests", "{row}：{n} 个请求", row=row, n=len(coming)))
            here = _new(folder / f"{nodes}-{slots}")
            await _measure(plan, row, coming, here, nodes, slots, results)
        for row, nodes, slots in ((BASE, 1, SLOTS), (NODES, 2, SLOTS), (FEWER, 1, SLOTS // 2)):
            told = _foretold(folder / f"1-{SLOTS}" / "data", _config(plan, folder, [], slots), nodes)
            results.samples.append(Sample(FORETOLD, row, 1, _of_forecast(told)))
            results.options["engine_beside"] = next(iter(told["engines"].values()))
    return results


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def _fitted(plan: Plan, folder: Path, results: Results) -> tuple[Shape, float]:
    usual = arrivals(10.0, 600.0, plan.seed, Shape(chains=()))
    async with _engines(plan, folder, 1) as [running]:
        results.options["engine"] = running.version
        began, tokens, next_one = time.monotonic(), 0, iter(usual)

        async def one_after_another() -> None:
            nonlocal tokens
            while time.monotonic() - began < plan.measured:
                reply = await ask(running.port, next(next_one), plan.seed, _PATIENCE)
                tokens += (reply.arrival.words + reply.arrival.reply) * (reply.outcome == "ok")

        await asyncio.gather(*(one_after_another() for _ in range(SLOTS)))
        speed = max(tokens, 1) / (time.monotonic() - began)
    shape = fitting(speed, plan.wait, ())
    shape = msgspec.structs.replace(shape, divide=_SMALLER * shape.divide, longest=min(shape.longest, _LONGEST))
    results.options["engine_tokens_per_s"] = round(speed, 1)
    return shape, plan.load * speed / mean_tokens(shape)


async def _measure(
    plan: Plan, row: str, coming: Sequence[Arrival], folder: Path, nodes: int, slots: int, results: Results
) -> None:
    async with _engines(plan, folder, nodes) as engines, _gateway(plan, folder, engines, slots) as port:
        computed = [running.cpu_seconds() for running in engines]
        began = time.monotonic()
        tasks = []
        for arrival in coming:
            await asyncio.sleep(max(began + arrival.at - time.monotonic(), 0.0))
            tasks.append(asyncio.create_task(ask(port, arrival, plan.seed, _PATIENCE)))
        replies: list[Reply] = await asyncio.gather(*tasks)
        took = time.monotonic() - began
        cores = sum(running.cpu_seconds() for running in engines) - sum(computed)
    if wrong := [reply.outcome for reply in replies if reply.outcome not in ("ok", "shed")]:
        results.failures.append(Failure(REAL, row, 1, f"{len(wrong)} of {len(replies)}: {sorted(set(wrong))}"))
    results.samples.append(Sample(REAL, row, 1, {**_of_log(folder / "data"), "engine_cores": cores / took}))


@contextlib.asynccontextmanager
async def _engines(plan: Plan, folder: Path, nodes: int) -> AsyncIterator[list[Engine]]:
    """The last core first: the first one is the gateway's, as long as it can be."""
    cores = sorted(os.sched_getaffinity(0), reverse=True)
    async with contextlib.AsyncExitStack() as stack:
        running = []
        for node in range(nodes):
            running.append(await stack.enter_async_context(engine(plan.model, _new(folder / f"engine-{node}"))))
            running[-1].pin(cores[node % len(cores)])
        yield running


@contextlib.asynccontextmanager
async def _gateway(plan: Plan, folder: Path, engines: Sequence[Engine], slots: int) -> AsyncIterator[int]:
    port = free_port()
    file = _config(plan, folder, [running.port for running in engines], slots)
    command = [sys.executable, "-m", "pointsman", "serve", "-c", str(file), "--port", str(port)]
    command += ["--data-dir", str(folder / "data"), "--log-level", "warning"]
    with Child(command, port, folder / "gateway.txt") as child:
        await asyncio.to_thread(child.wait_until_it_answers, lambda: _get(f"http://127.0.0.1:{port}/ready"), _STARTING)
        yield port
        await asyncio.to_thread(child.stop)


def _config(plan: Plan, folder: Path, ports: Sequence[int], slots: int) -> Path:
    """Written beside others; which engines there are does not change the target's name."""
    backend = {
        "engine": "llamacpp",
        "name": "pool",
        "model": "m",
        "nodes": [f"http://127.0.0.1:{port}/v1" for port in ports or (1,)],
        "limits": {"sequences": slots},
        "first_byte_timeout": _PATIENCE,
        "idle_timeout": _PATIENCE,
    }
    config = {
        "models": {"medium": {"backends": [backend]}},
        "fallback": {"target": "medium"},
        "rules": {"packs": []},
        "admission": {"queue": 10_000, "wait": plan.wait},
        "log": {"prompts": "off"},
    }
    file = folder / f"pointsman-{slots}.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    return file


def _foretold(data: Path, config: Path, nodes: int) -> dict[str, Any]:
    """What `report scale` says, run as its users run it. Raises PointsmanError."""
    command = [sys.executable, "-m", "pointsman", "report", "scale", "-c", str(config), "--data-dir", str(data)]
    command += ["--nodes", str(nodes), "--since", "1d", "--json"]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, timeout=_PATIENCE, env=clean_environment()
    )
    if done.returncode != 0:
        why = done.stderr.strip() or done.stdout.strip()[-300:]
        raise PointsmanError(said("report scale failed: {why}", "report scale 失败：{why}", why=why))
    told: dict[str, Any] = msgspec.json.decode(done.stdout)
    return told


def _of_log(data: Path) -> dict[str, float]:
    reader = LogReader(data)
    try:
        heads = [logged.head for logged in reader.scan()]
    finally:
        reader.close()
    waits = [(head.queued_ms or 0.0) / 1000 for head in heads if head.target is not None]
    away = sum(head.target is None for head in heads)
    figures = {f"wait_p{share}_s": percentile(waits, share / 100) for share in (50, 95, 99)}
    return {**figures, "shed_ratio": away / max(len(heads), 1)}


def _of_forecast(told: dict[str, Any]) -> dict[str, float]:
    [row] = told["nodes"]
    figures: dict[str, float] = {}
    for share in (50, 95, 99):
        for end in ("value", "low", "high"):
            figures[f"wait_p{share}{'' if end == 'value' else '_' + end}_s"] = row[f"p{share}"][end]
    return {**figures, "shed_ratio": row["shed"]["value"]}


def _get(url: str) -> str:
    """Raises OSError."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(url, timeout=10) as response:
        return str(response.read(), "utf-8")


NAMES = {
    BASE: Said("one node, whose log it is", "单节点（日志即来自它）"),
    NODES: Said("two nodes", "两个节点"),
    FEWER: Said("one node, half the slots", "单节点，槽位减半"),
}
