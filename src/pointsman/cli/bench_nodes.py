"""`pointsman bench nodes`: several gateways before several nodes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from pointsman.bench.nodes.measure import Plan, run_nodes
from pointsman.bench.nodes.store import STORES
from pointsman.bench.results import Results
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_USUAL = Plan()
_QUICK = {"requests": 60, "seconds": 2.0, "mean": 0.2, "alone": False}


def declare_nodes(parser: argparse.ArgumentParser, venv: Path) -> None:
    parser.add_argument("--requests", type=int, help=f"whose waits are measured; default {_USUAL.requests}")
    parser.add_argument("--seconds", type=float, help=f"of each throughput; default {_USUAL.seconds:g}")
    parser.add_argument("--load", type=float, default=_USUAL.load, help=f"of all slots; default {_USUAL.load:g}")
    parser.add_argument("--seed", type=int, default=_USUAL.seed, help="another seed, other arrivals; default 1")
    parser.add_argument(
        "--store", choices=STORES, default=_USUAL.store, help=f"that gateways share; default {_USUAL.store}"
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds: does it work at all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=venv, help=f"where matplotlib is; default {venv}")
    declare_tongue(parser)


def measure_nodes(options: argparse.Namespace, progress: Callable[[str], None]) -> Results:
    """Raises PointsmanError."""
    given = {"load": options.load, "seed": options.seed, "store": options.store, **(_QUICK if options.quick else {})}
    given |= {name: value for name in ("requests", "seconds") if (value := getattr(options, name)) is not None}
    plan = Plan(**given)
    if plan.requests < 20 or not 0 < plan.load < 1 or not 1 <= plan.seconds <= 3600:
        en = "--requests is at least 20, --load above 0 and below 1, --seconds 1 to 3600"
        zh = "--requests 至少是 20，--load 大于 0 小于 1，--seconds 是 1 到 3600"
        raise PointsmanError(said(en, zh))
    return run_nodes(plan, progress)
