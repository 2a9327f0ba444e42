"""Measure the gateway on this machine, over loopback, beside peers that do the same work."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pointsman.bench.axes import AXES, axes_of
from pointsman.bench.deciding import run_rules
from pointsman.bench.growth import run_growth
from pointsman.bench.jobs import run_jobs
from pointsman.bench.layers import layers, workers
from pointsman.bench.log_costs import run_log
from pointsman.bench.log_million import MILLION, run_million
from pointsman.bench.plotting import check_plot, plot
from pointsman.bench.relay import Plan, run_relay
from pointsman.bench.results import Results, read_results
from pointsman.bench.rows import FOR_WORKERS, LAYERED, QUICK, ROWS, rows_of
from pointsman.bench.session import Cores
from pointsman.bench.shown import tables_of
from pointsman.bench.subjects import Subject, all_subjects, chosen
from pointsman.bench.tables import as_markdown, as_text, notes, preamble
from pointsman.cli.bench_admission import declare_admission, measure_admission
from pointsman.cli.bench_intents import declare_intents, measure_intents
from pointsman.cli.bench_l1 import declare_l1, measure_l1
from pointsman.cli.bench_nodes import declare_nodes, measure_nodes
from pointsman.cli.bench_quality import declare_quality, measure_quality
from pointsman.cli.bench_replay import declare_replay, measure_replay
from pointsman.cli.bench_route import declare_route, measure_route
from pointsman.cli.bench_swap import declare_swap, measure_swap
from pointsman.cli.bench_whatif import declare_whatif, measure_whatif
from pointsman.cli.output import print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Tongue, said, told

_VENV = Path(".venv-bench")
_QUICK_SUBJECTS = ("pointsman", "nginx")


def declare(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="WHAT", required=True)
    relay = actions.add_parser("relay", help="requests through the gateway and its peers, to the same upstream")
    _declare_run(relay, rounds=3, seconds=3.0)
    relay.add_argument("--only", metavar="ROWS", help=f"by commas; all: {','.join(ROWS)}")
    relay.add_argument("--subjects", metavar="NAMES", help="by commas; default: all that are installed, but litellm")
    relay.add_argument("--with", dest="more", metavar="NAME", choices=("litellm",), help="litellm: with it too")
    relay.add_argument(
        "--other", metavar="PYTHON", type=Path, help="the interpreter of another Pointsman, for a comparison"
    )
    variants = relay.add_mutually_exclusive_group()
    variants.add_argument(
        "--layers", action="store_true", help="what parts of Pointsman cost: each switched off by config"
    )
    variants.add_argument("--workers", action="store_true", help="two workers beside one, on two cores")
    growth = actions.add_parser(
        "growth", help="what a request costs as rules, backends, keys, log, bodies or streams grow"
    )
    _declare_run(growth, rounds=1, seconds=2.0)
    growth.add_argument("--only", metavar="AXES", help=f"by commas; all: {','.join(AXES)}")
    rules = actions.add_parser("rules", help="decisions of the rule engine, beside other ways to decide the same")
    _declare_run(rules, rounds=3, seconds=2.0)
    jobs = actions.add_parser("jobs", help="what keeping jobs takes, beside other stores of jobs")
    _declare_run(jobs, rounds=3, seconds=5.0)
    log = actions.add_parser("log", help="what the request log and its journal take of a request, beside simpler logs")
    _declare_run(log, rounds=5, seconds=2.0)
    log.add_argument(
        "--million", action="store_true", help="the size of a million requests, and how long queries of them take"
    )
    admission = actions.add_parser("admission", help="the gate before a real engine under too much load, with faults")
    declare_admission(admission, _VENV)
    swap = actions.add_parser(
        "swap", help="models that take turns in memory: what a swap takes, how many loads there are"
    )
    declare_swap(swap, _VENV)
    declare_nodes(
        actions.add_parser("nodes", help="several gateways before several nodes, beside an ideal queue"), _VENV
    )
    declare_intents(actions.add_parser("intents", help="the embedded arbiter on labelled texts, beside TF-IDF"))
    declare_l1(actions.add_parser("l1", help="what models are worth as arbiters: stability, schemas, parallel queries"))
    declare_quality(actions.add_parser("quality", help="how good models are at kinds of tasks, by a set with checkers"))
    declare_route(actions.add_parser("route", help="routers on questions that several models answered"))
    declare_replay(actions.add_parser("replay", help="how fast a log is decided again; --check: is the forecast true"))
    declare_whatif(
        actions.add_parser("whatif", help="is true what report scale foretells: other nodes, other slots"), _VENV
    )
    table = actions.add_parser("table", help="print the tables of a result as Markdown")
    table.add_argument("file", metavar="FILE", type=Path, help="what --json wrote")
    table.add_argument("--plot", metavar="FILE", type=Path, help="also draw it (.svg or .png)")
    table.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=argparse.SUPPRESS)
    declare_tongue(table)


def _declare_run(parser: argparse.ArgumentParser, *, rounds: int, seconds: float) -> None:
    parser.add_argument("--rounds", type=int, help=f"how often all is measured; default {rounds}")
    parser.add_argument("--seconds", type=float, help=f"of each measurement; default {seconds:g}")
    parser.add_argument("--quick", action="store_true", help="one short round of a few rows: does it work at all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=f"where the peers are; default {_VENV}")
    parser.set_defaults(usual=(rounds, seconds))
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    options.venv = options.venv.absolute()
    if options.action == "table":
        results = read_results(options.file)
        for table in tables_of(results):
            print("\n".join(as_markdown(table, options.tongue)))
        if options.plot:
            plot(results, options.plot, options.venv)
        return 0
    if options.action == "quality":
        return measure_quality(options)
    _check_files(options)
    if options.action == "intents":
        return measure_intents(options)
    if options.action == "l1":
        return measure_l1(options)
    if options.action == "route":
        return measure_route(options)
    if options.action == "replay":
        return measure_replay(options, _progress(options.tongue))
    results = _ACTIONS[options.action](options)
    _print(results, options.tongue)
    if options.json:
        results.save(options.json)
    if options.plot:
        plot(results, options.plot, options.venv)
    return 1 if results.failures else 0


def _check_files(options: argparse.Namespace) -> None:
    """Before minutes are spent on what cannot be written. Raises PointsmanError."""
    for file in (options.json, options.plot):
        if file and not os.access(file.absolute().parent, os.W_OK):
            message = said(
                "{folder} is no folder that can be written to",
                "{folder} 不是可以写入的文件夹",
                folder=file.absolute().parent,
            )
            raise PointsmanError(message)
    if options.plot:
        check_plot(options.plot, options.venv)


def _relay(options: argparse.Namespace) -> Results:
    rounds, seconds = _length(options)
    cores = Cores.split()
    subjects: Sequence[Subject]
    rows: Sequence[str] = QUICK if options.quick else list(ROWS)
    kind = "relay"
    if options.layers:
        kind, rows, subjects = "layers", LAYERED, layers()
    elif options.workers:
        kind, rows, subjects, cores = "workers", FOR_WORKERS, workers(), Cores()
    else:
        subjects = _subjects(options)
    if options.only:
        rows = options.only.split(",")
    return run_relay(Plan(rows_of(rows), rounds, seconds, cores, kind), subjects, _progress(options.tongue))


def _subjects(options: argparse.Namespace) -> list[Subject]:
    known = all_subjects(options.venv, options.other and options.other.absolute())
    if options.subjects:
        return chosen(known, options.subjects.split(","))
    if options.quick:
        return chosen(known, _QUICK_SUBJECTS)
    return [subject for subject in known if subject.name != "litellm" or options.more]


def _growth(options: argparse.Namespace) -> Results:
    axes = axes_of(options.only.split(",") if options.only else list(AXES))
    return run_growth(axes, options.quick, *_length(options), _progress(options.tongue))


def _rules(options: argparse.Namespace) -> Results:
    return run_rules(options.quick, *_length(options), options.venv, _progress(options.tongue))


def _jobs(options: argparse.Namespace) -> Results:
    return run_jobs(*_length(options), options.venv, _progress(options.tongue))


def _log(options: argparse.Namespace) -> Results:
    if options.million:
        count, times = (MILLION // 100, 3) if options.quick else (MILLION, 25)
        return run_million(count, options.rounds or times, _progress(options.tongue))
    return run_log(options.quick, *_length(options), _progress(options.tongue))


def _admission(options: argparse.Namespace) -> Results:
    return measure_admission(options, _progress(options.tongue))


def _nodes(options: argparse.Namespace) -> Results:
    return measure_nodes(options, _progress(options.tongue))


def _swap(options: argparse.Namespace) -> Results:
    return measure_swap(options, _progress(options.tongue))


def _whatif(options: argparse.Namespace) -> Results:
    return measure_whatif(options, _progress(options.tongue))


_ACTIONS = {
    "relay": _relay,
    "growth": _growth,
    "rules": _rules,
    "jobs": _jobs,
    "log": _log,
    "admission": _admission,
    "nodes": _nodes,
    "swap": _swap,
    "whatif": _whatif,
}


def _length(options: argparse.Namespace) -> tuple[int, float]:
    """Rounds and seconds. Raises PointsmanError."""
    rounds, seconds = (1, 1.0) if options.quick else options.usual
    rounds, seconds = options.rounds or rounds, options.seconds or seconds
    if rounds < 1 or not 0 < seconds <= 3600:
        raise PointsmanError(said("--rounds is at least 1, --seconds above 0", "--rounds 至少是 1，--seconds 要大于 0"))
    return rounds, seconds


def _progress(tongue: Tongue) -> Callable[[str], None]:
    return lambda text: print(told(text, tongue), file=sys.stderr, flush=True)


def _print(results: Results, tongue: Tongue) -> None:
    for fact in preamble(results):
        print_line(told(fact, tongue))
    for table in tables_of(results):
        print()
        for line in as_text(table, tongue):
            print_line(line)
    for note in notes(results):
        for line in told(note, tongue).splitlines():
            print_line(line)
