"""`pointsman bench whatif`: is what `report scale` foretells true."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from pointsman.bench.results import Results
from pointsman.bench.whatif.measure import Plan, run_whatif
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_USUAL = Plan()
_QUICK = {"seconds": 8.0, "measured": 2.0}


def declare_whatif(parser: argparse.ArgumentParser, venv: Path) -> None:
    parser.add_argument("--seconds", type=float, help=f"of arrivals; default {_USUAL.seconds:g}")
    parser.add_argument("--load", type=float, default=_USUAL.load, help=f"of one engine; default {_USUAL.load:g}")
    parser.add_argument("--seed", type=int, default=_USUAL.seed, help="another seed, other arrivals; default 1")
    parser.add_argument("--model", default=_USUAL.model, help=f"a GGUF file, or {_USUAL.model}")
    parser.add_argument("--quick", action="store_true", help="a few seconds: does it work at all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.set_defaults(plot=None, venv=venv)
    declare_tongue(parser)


def measure_whatif(options: argparse.Namespace, progress: Callable[[str], None]) -> Results:
    """Raises PointsmanError."""
    given = {"load": options.load, "seed": options.seed, "model": options.model, **(_QUICK if options.quick else {})}
    if options.seconds is not None:
        given["seconds"] = options.seconds
    plan = Plan(**given)
    if not 0 < plan.load <= 2 or not 5 <= plan.seconds <= 3600:
        en, zh = "--load is above 0, at most 2; --seconds 5 to 3600", "--load 大于 0，最大 2；--seconds 是 5 到 3600"
        raise PointsmanError(said(en, zh))
    return run_whatif(plan, progress)
