"""Three gateways before three nodes, in processes of their own: what the whole gets through beside one node, and how long
requests wait beside a queue that knows everything."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import yaml

from pointsman import __version__
from pointsman.bench.nodes.client import Served, as_many_as_fit, at_their_times
from pointsman.bench.nodes.store import STORES, shared_store
from pointsman.bench.nodes.work import Work, arrivals, central, in_turn, percentile, services
from pointsman.bench.processes import Child, free_port
from pointsman.bench.results import Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.domain.said import Said, said

Progress = Callable[[str], None]
IDEAL, TURNS, TURNS_RUN = "one central queue", "round robin, computed", "round robin"
ALONE = f"{POINTSMAN}, gateways that know nothing of each other"
WAITS, THROUGHPUT = "waits", "throughput"
ONE, ALL = "one node", POINTSMAN
_READY = 60.0
_ENGINE = Path(__file__).with_name("engine.py")


class Plan(msgspec.Struct, frozen=True):
    """`requests` come at `load` times what all slots get through, each of which takes `mean` seconds on average. Throughput
    is that of `seconds` with twice as many clients as slots."""

    gateways: int = 3
    nodes: int = 3
    slots: int = 4
    mean: float = 1.0
    load: float = 0.85
    requests: int = 1200
    seconds: float = 30.0
    seed: int = 1
    store: str = STORES[0]
    alone: bool = True

    @property
    def places(self) -> int:
        return self.nodes * self.slots


def run_nodes(plan: Plan, progress: Progress) -> Results:
    """Blocks; in the main thread. Raises PointsmanError where a process does not come up, or a request is not served."""
    return asyncio.run(_run(plan, progress))


async def _run(plan: Plan, progress: Progress) -> Results:
    results = new_results("nodes", {**msgspec.to_builtins(plan), "rounds": 1}, [WAITS, THROUGHPUT])
    work = arrivals(plan.requests, plan.load * plan.places / plan.mean, plan.mean, plan.seed)
    results.options["seconds"] = round(work[-1].at, 1)
    for subject, waits in ((IDEAL, central(work, plan.places)), (TURNS, in_turn(work, plan.nodes, plan.slots))):
        _waited(results, subject, waits)
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as name:
        folder = Path(name)
        async with _engines(plan, folder) as engines:
            progress(_now(TURNS_RUN, plan.requests))
            served = await at_their_times(work, lambda number: engines[number % plan.nodes])
            _waited(results, TURNS_RUN, [each.wait for each in served], served)
        for subject in (ALONE, POINTSMAN) if plan.alone else (POINTSMAN,):
            progress(_now(subject, plan.requests))
            here = folder / f"waits-{len(results.samples)}"
            async with _front(plan, here, plan.nodes, plan.gateways, subject == POINTSMAN) as ports:
                served = await at_their_times(work, lambda number: ports[number % len(ports)])
                _waited(results, subject, [each.wait for each in served], served)
        for subject, nodes, gateways in ((ONE, 1, 1), (ALL, plan.nodes, plan.gateways)):
            progress(said("{subject}: throughput", "{subject}：吞吐量", subject=subject))
            async with _front(plan, folder / f"through-{nodes}", nodes, gateways, True) as ports:
                done, took = await as_many_as_fit(
                    _endless(plan),
                    lambda number: ports[number % len(ports)],
                    2 * nodes * plan.slots,
                    plan.seconds,
                )
            worked = sum(each.work.seconds for each in done) / took
            values = {"served_per_s": len(done) / took, "slots_busy": worked, "served_n": float(len(done))}
            results.versions.setdefault(subject, __version__)
            results.samples.append(Sample(subject, THROUGHPUT, 1, values))
    return results


def _now(subject: str, sent: int) -> Said:
    return said("{subject}: waits of {sent} requests", "{subject}：{sent} 个请求的等待", subject=subject, sent=sent)


def _endless(plan: Plan) -> Iterator[Work]:
    number = 0
    while True:
        for seconds in services(1000, plan.mean, plan.seed + number):
            yield Work(number, 0.0, seconds)
            number += 1


def _waited(results: Results, subject: str, waits: Sequence[float], served: Sequence[Served] = ()) -> None:
    values = {
        "wait_mean_s": sum(waits) / len(waits),
        "wait_p50_s": percentile(waits, 0.5),
        "wait_p95_s": percentile(waits, 0.95),
        "wait_p99_s": percentile(waits, 0.99),
        "wait_max_s": max(waits),
    }
    if served:
        over = [each.took - each.work.seconds - each.wait for each in served]
        values["after_p50_ms"] = percentile(over, 0.5) * 1000
        at_once = [each.wait for each in served if each.wait < 0.05]
        values["at_once_p50_ms"] = percentile(at_once, 0.5) * 1000 if at_once else 0.0
    results.versions.setdefault(subject, "-" if not served or subject == TURNS_RUN else __version__)
    results.samples.append(Sample(subject, WAITS, 1, values))


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


@contextlib.asynccontextmanager
async def _engines(plan: Plan, folder: Path, nodes: int | None = None) -> AsyncIterator[list[int]]:
    with contextlib.ExitStack() as stack:
        ports = []
        for number in range(plan.nodes if nodes is None else nodes):
            port = free_port()
            command = [sys.executable, str(_ENGINE), str(port), str(plan.slots)]
            child = stack.enter_context(Child(command, port, folder / f"engine-{port}-{number}.txt"))
            await asyncio.to_thread(child.wait_until_it_listens, _READY)
            ports.append(port)
        yield ports


@contextlib.asynccontextmanager
async def _front(plan: Plan, folder: Path, nodes: int, gateways: int, together: bool) -> AsyncIterator[list[int]]:
    """Ports of gateways before nodes, from when they know of each other."""
    _new(folder)
    async with _engines(plan, folder, nodes) as engines:
        with contextlib.ExitStack() as stack:
            url = stack.enter_context(shared_store(plan.store, folder)) if together else None
            ports = []
            for number in range(gateways):
                own = _new(folder / f"gateway-{number}")
                ports.append(await _gateway(stack, own, engines, url))
            if together and gateways > 1:
                await asyncio.sleep(2.5)
            yield ports


async def _gateway(stack: contextlib.ExitStack, folder: Path, engines: Sequence[int], store: str | None) -> int:
    port = free_port()
    backend = {"engine": "llamacpp", "model": "m", "nodes": [f"http://127.0.0.1:{engine}/v1" for engine in engines]}
    config = {
        "models": {"medium": {"backends": [backend]}},
        "fallback": {"target": "medium"},
        "rules": {"packs": []},
        "admission": {"queue": 10_000, "wait": 600},
        "log": {"prompts": "off"},
        **({"store": store} if store is not None else {}),
    }
    file = folder / "pointsman.yaml"
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [sys.executable, "-m", "pointsman", "serve", "-c", str(file), "--port", str(port)]
    command += ["--data-dir", str(folder / "data"), "--log-level", "warning"]
    child = stack.enter_context(Child(command, port, folder / "gateway.txt"))
    await asyncio.to_thread(child.wait_until_it_answers, lambda: _get(f"http://127.0.0.1:{port}/ready"), _READY)
    return port


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310  # loopback
        return str(answer.read(), "utf-8")
