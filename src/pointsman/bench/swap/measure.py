"""`bench swap`: what a swap costs beside the engine's own load, and how many loads mixed requests lead to beside the fewest
with which they could have been served."""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from pointsman import __version__
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.bench.swap.gateway import Asked, Gateway, Model, gateway, models
from pointsman.bench.swap.optimum import fewest_loads
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings

Progress = Callable[[str], None]
SWAP, MIXED = "swap", "mixed"
ROWS = (SWAP, MIXED)
MODEL = "builtin:smollm2-135m"
PLACES = 2


class Plan(msgspec.Struct, frozen=True):
    """`swaps` between two models with memory for one; `requests` over three with memory for two, `rate` of them a second,
    once for each of `gathers` (seconds, the setting memory.gather)."""

    swaps: int = 10
    requests: int = 200
    rate: float = 4.0
    gathers: tuple[float, ...] = (0.0, 2.0, 5.0)
    seed: int = 1
    model: str = MODEL
    rows: tuple[str, ...] = ROWS


def run_swap(plan: Plan, progress: Progress) -> Results:
    """Blocks; in the main thread. Raises PointsmanError where an engine or a gateway does not come up."""
    return asyncio.run(_run(plan, progress))


def subject_of(gather: float) -> str:
    """Who serves mixed requests."""
    return f"{POINTSMAN}, gather {gather:g} s"


async def _run(plan: Plan, progress: Progress) -> Results:
    results = new_results(
        "swap",
        {**msgspec.to_builtins(plan), "rounds": 1, "seconds": plan.requests / plan.rate, "places": PLACES},
        list(plan.rows),
    )
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as name:
        folder = Path(name)
        progress(Said("three models are written", "写出三个模型"))
        loaded = await asyncio.to_thread(models, plan.model, folder)
        if SWAP in plan.rows:
            progress(said("the engine's own load time", "测引擎自己的加载时间"))
            own = {model.name: await _own_load(model, folder) for model in loaded}
            results.options["own_load_s"] = own
            progress(said("{n} swaps", "{n} 次切换", n=plan.swaps))
            results.versions[POINTSMAN] = __version__
            await _swaps(plan, loaded[:2], own, folder / "swap", results)
        if MIXED in plan.rows:
            for number, gather in enumerate(plan.gathers):
                subject = subject_of(gather)
                progress(said("{n} requests, {who}", "{n} 个请求，{who}", n=plan.requests, who=subject))
                results.versions[subject] = __version__
                await _mixed(plan, loaded, gather, folder / f"mixed{number}", results)
    return results


async def _own_load(model: Model, folder: Path) -> list[float]:
    """Seconds from the spawn to the first healthy answer, without a gateway; three times. Raises PointsmanError."""
    settings = ModelSettings(model=model.file, name=model.name, context=model.context, slots=2, threads=1)
    found = []
    for _ in range(3):
        process = ModelProcess(settings, log_path=folder / "own.txt")
        await process.start()
        try:
            if await process.settled(120.0) != "up" or process.load_seconds is None:
                why = process.problem or "…"
                raise PointsmanError(said("the engine does not run: {why}", "引擎无法运行：{why}", why=why))
            found.append(process.load_seconds)
        finally:
            await process.stop()
    return found


async def _swaps(
    plan: Plan, loaded: Sequence[Model], own: dict[str, list[float]], folder: Path, results: Results
) -> None:
    """To and fro, each request once right after the swap and once more. `over_s` is by how much its wait at the gate was
    longer than the load, `fresh_s` by how much the reply itself than one of an engine that has replied before."""
    async with gateway(loaded, 1, 0.0, folder) as front:
        await front.ask(loaded[0].name)
        for number in range(plan.swaps):
            model = loaded[(number + 1) % 2]
            cold, load = await front.ask(model.name), await _load_seconds(front, model)
            warm = await front.ask(model.name)
            if (cold.status, warm.status) != (200, 200):
                results.failures.append(Failure(POINTSMAN, SWAP, number + 1, f"status {cold.status}, {warm.status}"))
                continue
            values = {
                "cold_s": cold.took,
                "warm_s": warm.took,
                "load_s": load,
                "over_s": cold.waited - load,
                "fresh_s": cold.took - cold.waited - warm.took,
                "own_s": statistics.median(own[model.name]),
            }
            results.samples.append(Sample(POINTSMAN, SWAP, number + 1, values))


async def _load_seconds(front: Gateway, model: Model) -> float:
    """What its last load took, as the gateway measured it: from the spawn until the engine answered."""
    for each in await front.residences():
        if each["target"].endswith(f"@{model.name}"):
            return float(each["load_seconds"])
    raise PointsmanError(said("the gateway does not know {name}", "网关不认识 {name}", name=model.name))


def arrivals(plan: Plan, names: Sequence[str]) -> list[tuple[float, str]]:
    """Poisson, each for one of the models at random."""
    rng, at, found = random.Random(plan.seed), 0.0, []  # noqa: S311
    for _ in range(plan.requests):
        at += rng.expovariate(plan.rate)
        found.append((at, rng.choice(names)))
    return found


async def _mixed(plan: Plan, loaded: Sequence[Model], gather: float, folder: Path, results: Results) -> None:
    coming = arrivals(plan, [model.name for model in loaded])
    subject = subject_of(gather)
    async with gateway(loaded, PLACES, gather, folder) as front:
        loop = asyncio.get_running_loop()
        began, tasks = loop.time(), []
        for at, name in coming:
            await asyncio.sleep(max(began + at - loop.time(), 0.0))
            tasks.append(asyncio.create_task(front.ask(name)))
        asked = await asyncio.gather(*tasks)
        loads = await front.loads()
    wrong = sum(each.status != 200 or not each.target.endswith(f"@{each.model}") for each in asked)
    if wrong:
        results.failures.append(Failure(subject, MIXED, 1, f"{wrong} of {len(asked)} were not answered by their model"))
    results.samples.append(Sample(subject, MIXED, 1, {**_figures(asked, loads, gather), "wrong_n": float(wrong)}))


def _figures(asked: Sequence[Asked], loads: int, gather: float) -> dict[str, float]:
    """By when requests came in fact. `fewest_n` waits for nobody (Belady), `fewest_gathered_n` lets each wait as long as the
    gateway gathers, `fewest_waited_n` as long as the one that waited longest here."""
    came = sorted((each.at, each.model) for each in asked)
    waits = sorted(each.waited for each in asked)
    fewest = fewest_loads(came, PLACES)
    gathered = fewest_loads(came, PLACES, gather)
    return {
        "sent_n": float(len(asked)),
        "ok_n": float(sum(each.status == 200 for each in asked)),
        "loads_n": float(loads),
        "fewest_n": float(fewest),
        "ratio": loads / fewest,
        "fewest_gathered_n": float(gathered),
        "ratio_gathered": loads / gathered,
        "fewest_waited_n": float(fewest_loads(came, PLACES, waits[-1])),
        "wait_p50_s": waits[len(waits) // 2],
        "wait_p95_s": waits[len(waits) * 95 // 100],
        "wait_most_s": waits[-1],
    }
