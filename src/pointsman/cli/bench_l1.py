"""`pointsman bench l1`: what models are worth as arbiters, on this machine."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pointsman.app.build import build
from pointsman.app.targets import with_builtin
from pointsman.bench.l1.measure import Plan, run_l1
from pointsman.bench.l1_tables import as_csv, l1_tables
from pointsman.bench.plotting import check_plot, plot
from pointsman.bench.results import Results
from pointsman.bench.tables import as_text, notes
from pointsman.cli.bench_backend import backend_of, models_named
from pointsman.cli.output import print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.schema import Config
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said, told

_VENV = Path(".venv-bench")


def declare_l1(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--models", metavar="NAMES", help="keys of models: by commas; default: all that can chat")
    parser.add_argument("-n", type=int, default=100, metavar="N", help="calls for stability; default 100")
    parser.add_argument("--most", type=int, default=32, metavar="N", help="queries at a time at most; default 32")
    parser.add_argument(
        "--late", type=float, default=2.0, metavar="S", help="a query that takes longer comes too late; default 2"
    )
    parser.add_argument("--seconds", type=float, default=120.0, metavar="S", help="that one call may take; default 120")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write all figures as lines of a table")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=f"where matplotlib is; default {_VENV}")
    declare_tongue(parser)


def measure_l1(options: argparse.Namespace) -> int:
    """Raises PointsmanError, Problems."""
    config, why_not = with_builtin(build(load_config(options)).config)
    for file in (options.json, options.csv, options.plot):
        if file and not os.access(file.absolute().parent, os.W_OK):
            raise PointsmanError(said("{file} cannot be written", "{file} 无法写入", file=file))
    if options.plot:
        check_plot(options.plot, options.venv)
    if options.n < 1 or options.most < 1 or options.late <= 0 or options.seconds <= 0:
        raise PointsmanError(said("numbers must be above 0", "各个数都要大于 0"))
    if not config.models:
        raise PointsmanError(why_not or said("no model is set up", "没有配置模型"))
    names = models_named(options.models, config)
    plan = Plan(calls=options.n, seconds=options.seconds, most=options.most, late=options.late)
    results = asyncio.run(_measure(config, names, plan, options))
    for table in l1_tables(results):
        for line in as_text(table, options.tongue):
            print_line(line)
        print()
    for note in notes(results):
        print_line(told(note, options.tongue))
    if options.json:
        results.save(options.json)
    if options.csv:
        options.csv.write_text(as_csv(results), "utf-8")
    if options.plot:
        plot(results, options.plot, options.venv)
    return 1 if results.failures else 0


async def _measure(config: Config, names: Sequence[str], plan: Plan, options: argparse.Namespace) -> Results:
    def tell(text: str) -> None:
        print(told(text, options.tongue), file=sys.stderr, flush=True)

    async with contextlib.AsyncExitStack() as stack:
        models = [(name, await stack.enter_async_context(backend_of(config, name))) for name in names]
        return await run_l1(models, plan, tell)
