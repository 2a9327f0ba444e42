"""`pointsman bench swap`: models that take turns in memory, with a real engine."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from pointsman.bench.results import Results
from pointsman.bench.swap.measure import ROWS, Plan, run_swap
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_USUAL = Plan()
_QUICK = {"swaps": 2, "requests": 12, "rate": 8.0, "gathers": (0.0,)}


def declare_swap(parser: argparse.ArgumentParser, venv: Path) -> None:
    parser.add_argument("--swaps", type=int, help=f"between two models; default {_USUAL.swaps}")
    parser.add_argument("--requests", type=int, help=f"over three models; default {_USUAL.requests}")
    parser.add_argument("--rate", type=float, help=f"requests a second; default {_USUAL.rate:g}")
    parser.add_argument("--seed", type=int, default=_USUAL.seed, help="another seed, other arrivals; default 1")
    parser.add_argument("--only", metavar="ROWS", help=f"by commas; all: {','.join(ROWS)}")
    parser.add_argument("--model", default=_USUAL.model, help=f"a GGUF file in Q4_1, or {_USUAL.model}")
    parser.add_argument("--quick", action="store_true", help="a few requests: does it work at all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.set_defaults(plot=None, venv=venv)
    declare_tongue(parser)


def measure_swap(options: argparse.Namespace, progress: Callable[[str], None]) -> Results:
    """Raises PointsmanError."""
    given = {"seed": options.seed, "model": options.model, **(_QUICK if options.quick else {})}
    for name in ("swaps", "requests", "rate"):
        if getattr(options, name) is not None:
            given[name] = getattr(options, name)
    if options.only:
        given["rows"] = tuple(options.only.split(","))
    plan = Plan(**given)
    for row in plan.rows:
        if row not in ROWS:
            en, zh = "there is no row {row} (valid: {rows})", "没有 {row} 这一行（合法取值：{rows}）"
            raise PointsmanError(said(en, zh, row=row, rows=", ".join(ROWS)))
    if plan.swaps < 1 or plan.requests < 1 or not 0 < plan.rate <= 1000:
        en = "--swaps and --requests are at least 1, --rate is above 0"
        raise PointsmanError(said(en, "--swaps 和 --requests 至少是 1，--rate 要大于 0"))
    return run_swap(plan, progress)
