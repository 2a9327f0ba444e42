"""`bench admission`: the same arrivals at the bare engine, behind a semaphore, through a gateway that lets everything in,
and through one that does not; and while the engine is killed, or stands still."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import msgspec

from pointsman import __version__
from pointsman.bench.admission.arrivals import Arrival, Shape, arrivals, fitting, mean_tokens
from pointsman.bench.admission.client import Reply, ask
from pointsman.bench.admission.engine import CELLS, MODEL, SLOTS, Engine, engine
from pointsman.bench.admission.figures import figures
from pointsman.bench.admission.gateway import Gateway, Limits, gateway, unaccounted
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.domain.said import Said, said

Progress = Callable[[str], None]
BARE, SEMAPHORE, OPEN = "llama.cpp", "llama.cpp, semaphore", f"{POINTSMAN}, no limits"
LOAD, LARGE, KILLED, STALLED = "load", "large", "killed", "stalled"
ROWS = (LOAD, LARGE, KILLED, STALLED)
SUBJECTS = (BARE, SEMAPHORE, OPEN, POINTSMAN)
_FAULT_AT = 0.35
"""The share of the time at which the engine is killed, or stands still."""
_UNHURRIED = 900.0
"""Seconds for which everybody waits where it is about room alone."""


class Plan(msgspec.Struct, frozen=True):
    """`seconds` of arrivals: the usual callers' at `load` times what the engine gets through with all slots busy, which is
    measured first, and chains that begin at these shares of the time. Clients give up after `patience` seconds without
    content; `within` so many a first content is of use. `stall`: seconds for which the engine stands still,
    `measured` those of measuring it."""

    seconds: float = 90.0
    seed: int = 1
    load: float = 0.8
    chains: tuple[float, ...] = (0.15, 0.5)
    patience: float = 20.0
    within: float = 10.0
    stall: float = 15.0
    measured: float = 12.0
    model: str = MODEL
    rows: tuple[str, ...] = ROWS
    subjects: tuple[str, ...] = SUBJECTS
    limits: Limits = Limits(SLOTS, CELLS)


def run_admission(plan: Plan, progress: Progress) -> Results:
    """Blocks; in the main thread. Raises PointsmanError where the engine or a gateway does not come up."""
    return asyncio.run(_run(plan, progress))


async def _run(plan: Plan, progress: Progress) -> Results:
    options = {**msgspec.to_builtins(plan), "rounds": 1, "seconds": plan.seconds, "slots": SLOTS, "cells": CELLS}
    results = new_results("admission", options, list(plan.rows))
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as name:
        folder = Path(name)
        shape, rate = await _fitted(plan, folder, results, progress)
        results.options["rate_per_s"] = round(rate, 3)
        usual = arrivals(rate, plan.seconds, plan.seed, shape)
        for row in plan.rows:
            coming = _large() if row == LARGE else usual
            for subject in plan.subjects if row in (LOAD, LARGE) else (POINTSMAN,):
                progress(_now(subject, row, len(coming)))
                ours = subject in (OPEN, POINTSMAN)
                results.versions.setdefault(subject, __version__ if ours else results.options["engine"])
                here = _new(folder / f"{len(results.samples)}")
                await _measure(plan, subject, row, coming, here, results)
    return results


def _now(subject: str, row: str, sent: int) -> Said:
    en, zh = "{subject}: {row}, {sent} requests", "{subject}：{row}，{sent} 个请求"
    return said(en, zh, subject=subject, row=row, sent=sent)


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _large() -> list[Arrival]:
    """As many requests at once as there are slots, of which one less fits into the cells."""
    return [Arrival(0.0, f"caller-{number}", CELLS // SLOTS + 30, 20, number=number) for number in range(SLOTS)]


async def _fitted(plan: Plan, folder: Path, results: Results, progress: Progress) -> tuple[Shape, float]:
    """What is asked, and how often: by what the engine gets through with all slots busy."""
    progress(said("how much the engine serves", "先测引擎能服务多少"))
    usual = [each for each in arrivals(10.0, 600.0, plan.seed, Shape(chains=())) if each.words]
    async with engine(plan.model, _new(folder / "first")) as running:
        results.options["engine"] = running.version
        began, tokens, next_one = time.monotonic(), 0, iter(usual)

        async def one_after_another() -> None:
            nonlocal tokens
            while time.monotonic() - began < plan.measured:
                reply = await ask(running.port, next(next_one), plan.seed, 120.0)
                tokens += (reply.arrival.words + reply.arrival.reply) * (reply.outcome == "ok")

        await asyncio.gather(*(one_after_another() for _ in range(SLOTS)))
        speed = max(tokens, 1) / (time.monotonic() - began)
    shape = fitting(speed, plan.patience, plan.chains)
    results.options |= {"engine_tokens_per_s": round(speed, 1), "shape": msgspec.to_builtins(shape)}
    return shape, plan.load * speed / mean_tokens(shape)


async def _measure(
    plan: Plan, subject: str, row: str, coming: Sequence[Arrival], folder: Path, results: Results
) -> None:
    patience = _UNHURRIED if row == LARGE else plan.patience
    async with engine(plan.model, folder) as running, _front(plan, subject, row, running, folder) as front:
        semaphore = asyncio.Semaphore(SLOTS) if subject == SEMAPHORE else None
        port = running.port if front is None else front.port
        began, computed = time.monotonic(), running.cpu_seconds()
        watching = asyncio.create_task(front.watch()) if front is not None else None
        fault = asyncio.create_task(_fault(plan, row, running))
        tasks = []
        for arrival in coming:
            await asyncio.sleep(max(began + arrival.at - time.monotonic(), 0.0))
            tasks.append(asyncio.create_task(ask(port, arrival, plan.seed, patience, semaphore)))
        replies = await asyncio.gather(*tasks)
        hurt = await fault
        values = figures(replies, 0.0 if row == LARGE else plan.seconds, plan.within)
        if row in (LOAD, LARGE):  # elsewhere it was begun anew, or stood still
            values |= _share(values, running.cpu_seconds() - computed)
        if front is not None and watching is not None:
            asked = await front.settled(len(replies))
            await _closed_again(front, row)
            watching.cancel()
            values |= _breaker(front, hurt)
    if front is not None:
        front.read_log(asked)
        wrong = unaccounted(replies, asked)
        values["unaccounted_n"] = float(len(wrong))
        results.failures += [Failure(subject, row, 1, each) for each in wrong]
    results.samples.append(Sample(subject, row, 1, values))
    results.options.setdefault("replies", {})[f"{subject}: {row}"] = [_short(reply) for reply in replies]


@contextlib.asynccontextmanager
async def _front(plan: Plan, subject: str, row: str, running: Engine, folder: Path) -> AsyncIterator[Gateway | None]:
    if subject in (BARE, SEMAPHORE):
        yield None
        return
    limits = plan.limits if subject == POINTSMAN else Limits(wait=plan.limits.wait)
    patience = plan.patience
    if row == LARGE:
        limits, patience = msgspec.structs.replace(limits, wait=_UNHURRIED), _UNHURRIED
    async with gateway(running.port, limits, patience, folder / "gateway") as found:
        yield found


async def _fault(plan: Plan, row: str, running: Engine) -> float | None:
    """What the row is about happens to the engine; when it did, in monotonic seconds."""
    if row not in (KILLED, STALLED):
        return None
    await asyncio.sleep(plan.seconds * _FAULT_AT)
    at = time.monotonic()
    if row == KILLED:
        running.kill()
    else:
        await running.stall(plan.stall)
    return at


async def _closed_again(front: Gateway, row: str) -> None:
    """A breaker that opened closes with the next requests that are served: some more of them, if there are none."""
    for number in range(30):
        if row not in (KILLED, STALLED) or not front.breaker or front.breaker[-1][1] == "closed":
            return
        await ask(front.port, Arrival(0.0, "caller-0", 5, 4, number=1_000_000 + number), 0, 20.0)
        await asyncio.sleep(1.0)


def _share(values: dict[str, float], computed: float) -> dict[str, float]:
    """What the machine gave the engine, which others may use as well, and what came of it."""
    return {"engine_cores": computed / values["took_s"], "good_per_engine_s": values["good_n"] / max(computed, 0.01)}


def _breaker(front: Gateway, hurt: float | None) -> dict[str, float]:
    """Seconds from the fault until it first opened, was half open, and was closed for good."""
    if hurt is None:
        return {"opened_n": float(sum(state == "open" for _, state in front.breaker))}
    after = [(at - hurt, state) for at, state in front.breaker if at > hurt]
    values = {"opened_n": float(sum(state == "open" for _, state in after))}
    for name, states in (("opened_s", ("open",)), ("half_open_s", ("half_open", "trying"))):
        if found := [at for at, state in after if state in states]:
            values[name] = found[0]
    if after and after[-1][1] == "closed":
        values["closed_s"] = after[-1][0]
    return values


def _short(reply: Reply) -> list[object]:
    """For the raw values: who, when, how it ended, times."""
    first, total = (None if value is None else round(value, 3) for value in (reply.first, reply.total))
    waited = None if reply.admitted is None or reply.placed is None else round(reply.admitted - reply.placed, 2)
    arrival = reply.arrival
    return [
        arrival.caller,
        round(arrival.at, 2),
        reply.outcome,
        reply.status,
        reply.code,
        first,
        total,
        reply.input_tokens,
        reply.tokens,
        reply.estimate,
        waited,
    ]
