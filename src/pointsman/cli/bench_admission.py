"""`pointsman bench admission`: a real engine with little room under more load than it can serve."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from pointsman.bench.admission.measure import LOAD, ROWS, Plan, run_admission
from pointsman.bench.results import Results
from pointsman.bench.subjects import POINTSMAN
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_USUAL = Plan()
_QUICK = {"seconds": 8.0, "measured": 2.0, "rows": (LOAD,), "subjects": (POINTSMAN,), "chains": (0.2,)}


def declare_admission(parser: argparse.ArgumentParser, venv: Path) -> None:
    parser.add_argument("--seconds", type=float, help=f"of arrivals in each row; default {_USUAL.seconds:g}")
    parser.add_argument("--load", type=float, default=_USUAL.load, help="of usual callers; default 0.8 of the engine's")
    parser.add_argument("--seed", type=int, default=_USUAL.seed, help="another seed, other arrivals; default 1")
    parser.add_argument("--only", metavar="ROWS", help=f"by commas; all: {','.join(ROWS)}")
    parser.add_argument("--model", default=_USUAL.model, help=f"a GGUF file, or {_USUAL.model}")
    parser.add_argument("--quick", action="store_true", help="a few seconds before one gateway: does it work at all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=venv, help=f"where matplotlib is; default {venv}")
    declare_tongue(parser)


def measure_admission(options: argparse.Namespace, progress: Callable[[str], None]) -> Results:
    """Raises PointsmanError."""
    given = {"load": options.load, "seed": options.seed, "model": options.model, **(_QUICK if options.quick else {})}
    if options.seconds is not None:
        given["seconds"] = options.seconds
    if options.only:
        given["rows"] = tuple(options.only.split(","))
    plan = Plan(**given)
    for row in plan.rows:
        if row not in ROWS:
            message = said(
                "there is no row {row} (valid: {rows})",
                "没有 {row} 这一行（合法取值：{rows}）",
                row=row,
                rows=", ".join(ROWS),
            )
            raise PointsmanError(message)
    if not 1 <= plan.seconds <= 3600 or not 0 < plan.load <= 100:
        raise PointsmanError(said("--seconds is 1 to 3600, --load above 0", "--seconds 是 1 到 3600，--load 要大于 0"))
    return run_admission(plan, progress)
