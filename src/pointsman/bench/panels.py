"""What a picture of a result shows: plain data that `peers/draw.py` draws. In English, whatever the terminal speaks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pointsman.bench.admission.measure import LOAD
from pointsman.bench.jobs import JOBS, STEPS
from pointsman.bench.l1.measure import ARBITER, AT_ONCE, CONTRACT, LANGUAGES
from pointsman.bench.nodes.measure import THROUGHPUT, WAITS
from pointsman.bench.quality.measure import ALL
from pointsman.bench.relay_tables import ONE, title
from pointsman.bench.results import Results, Spread
from pointsman.bench.rows import DIRECT, MEMORY, ROWS
from pointsman.bench.subjects import POINTSMAN

Panel = dict[str, Any]


def panels_of(results: Results) -> list[Panel]:
    """Bars: `labels`, `values`, `low`, `high`, `ours` (which one is Pointsman), `whole` (all of the intervals is
    shown). Lines: `x`, and `series` of name and y."""
    made = {
        "relay": _relay,
        "layers": _layers,
        "workers": _workers,
        "growth": _growth,
        "rules": _rules,
        "jobs": _jobs,
        "log": _log,
        "l1": _l1,
        "quality": _quality,
        "admission": _admission,
        "nodes": _nodes,
    }
    return list(made[results.kind](results))


def _relay(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row in results.rows:
        if ROWS[row].kind != "idle":
            spreads = [results.spread(name, row, "cpu_us") for name in names]
            yield _bars(str(title(row)), "CPU µs per request", names, spreads)
    if ONE in results.rows:
        added = [results.difference(name, ONE, "p50_us", DIRECT) for name in names]
        yield _bars("Added latency at one client", "µs, median", names, added)
    loaded = [results.spread(name, MEMORY, "loaded_bytes") for name in names]
    yield _bars("Resident memory after load", "MB", names, loaded, scale=1e-6)


def _layers(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row in results.rows:
        spreads = [results.spread(name, row, "cpu_us") for name in names]
        yield _bars(str(title(row)), "CPU µs per request", names, spreads, log=False)


def _workers(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row in results.rows:
        spreads = [results.spread(name, row, "per_s") for name in names]
        yield _bars(str(title(row)), "requests per second", names, spreads, log=False)


def _growth(results: Results) -> Iterator[Panel]:
    for axis in results.versions:
        sizes = [row for row in results.rows if results.spread(axis, row, "cpu_us")]
        cpu = [results.spread(axis, size, "cpu_us") for size in sizes]
        stalls = [results.spread(axis, size, "stall_us") for size in sizes]
        series = [{"name": "CPU µs per request", "y": [spread.median for spread in cpu if spread]}]
        if all(stalls):
            series.append(
                {"name": "longest stall of the loop, µs", "y": [spread.median for spread in stalls if spread]}
            )
        yield {"kind": "lines", "title": results.versions[axis], "x": [float(size) for size in sizes], "series": series}


def _rules(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row in results.rows:
        spreads = [results.spread(name, row, "p50_us") for name in names]
        if sum(spread is not None for spread in spreads) > 1:
            yield _bars(row, "µs per decision, median", names, spreads)


def _jobs(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row in (STEPS, JOBS):
        yield _bars(row, "per second", names, [results.spread(name, row, "per_s") for name in names])


def _log(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row in results.rows:
        spreads = [results.spread(name, row, "cpu_us") for name in names]
        yield _bars(row, "CPU µs per request", names, spreads, log=False)


def _l1(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for row, key, head in (
        (CONTRACT, "valid", "JSON that holds to the contract"),
        (ARBITER, "valid", "Answers of the arbiter that hold"),
        *((f"instructions {language}", "followed", f"Instructions followed, {language}") for language in LANGUAGES),
    ):
        yield _bars(head, "share", names, [results.spread(name, row, key) for name in names], log=False)
    for name in names:
        late = [(step, results.spread(name, f"parallel {step}", "p95_ms")) for step in AT_ONCE]
        there = [(float(step), spread.median) for step, spread in late if spread]
        series = [{"name": "p95, ms", "y": [median for _, median in there]}]
        yield {
            "kind": "lines",
            "title": f"Queries at a time, {name}",
            "x": [step for step, _ in there],
            "series": series,
        }


def _quality(results: Results) -> Iterator[Panel]:
    """Bars with the interval of each mean."""
    for row in results.rows:
        told = {sample.subject: sample.values for sample in results.samples if sample.row == row}
        names = [name for name in results.versions if name in told]
        spreads = [Spread(*(told[name][key] for key in ("value", "low", "high"))) for name in names]
        head = "Mean grade" if row == ALL else f"Mean grade, {row}"
        yield {**_bars(head, "0 to 1, with the interval of 95 %", names, spreads, log=False), "whole": True}


def _admission(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    for key, head, unit in (
        ("good_per_s", "Good requests", "per second"),
        ("ttft_p95_s", "TTFT of requests that got content", "s, p95"),
        ("others_good_ratio", "Usual callers beside one that floods", "share of good requests"),
        ("fairness", "Fairness over callers", "Jain's index"),
    ):
        yield _bars(head, unit, names, [results.spread(name, LOAD, key) for name in names], log=False)


def _nodes(results: Results) -> Iterator[Panel]:
    names = list(results.versions)
    waits = [results.spread(name, WAITS, "wait_p99_s") for name in names]
    yield _bars("Wait for a slot", "s, p99", names, waits, log=False)
    busy = [results.spread(name, THROUGHPUT, "slots_busy") for name in names]
    yield _bars("Slots at work under full load", "slots", names, busy, log=False)


def _bars(
    head: str,
    unit: str,
    names: Sequence[str],
    spreads: Sequence[Spread | None],
    *,
    scale: float = 1.0,
    log: bool = True,
) -> Panel:
    there = [(name, spread) for name, spread in zip(names, spreads, strict=True) if spread]
    return {
        "kind": "bars",
        "title": head,
        "unit": unit,
        "log": log,
        "labels": [name for name, _ in there],
        "values": [spread.median * scale for _, spread in there],
        "low": [spread.low * scale for _, spread in there],
        "high": [spread.high * scale for _, spread in there],
        "ours": [name.startswith(POINTSMAN) for name, _ in there],
    }
