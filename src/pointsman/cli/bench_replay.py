"""`pointsman bench replay`: how fast a log is decided again, and how true what is forecast comes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from pointsman.bench.results import Results
from pointsman.cli.output import print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said, told
from pointsman.pipeline.policy import Policy

_REQUESTS, _QUICK, _CHECKED = 100_000, 3000, 120


def declare_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="forecast a policy, then run it, before two real engines")
    parser.add_argument("--requests", type=int, help=f"in the log; default {_REQUESTS:,}, with --check {_CHECKED}")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured; default 3")
    parser.add_argument("--seed", type=int, default=1, help="of texts and times; default 1")
    parser.add_argument(
        "--texts", metavar="FILE", type=Path, action="append", default=[],
        help="JSON lines with text, question, prompt or instruction (.gz too); repeatable; default: the set that ships",
    )  # fmt: skip
    parser.add_argument(
        "--log", metavar="DIR", type=Path, help="a data folder that is there, in place of one that is made"
    )
    parser.add_argument("--against", metavar="FILE", type=Path, help="with --log: the config to decide by")
    parser.add_argument("--quick", action="store_true", help="few requests, one round: does it work at all")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all raw values")
    parser.set_defaults(plot=None, venv=Path())  # no picture of it
    declare_tongue(parser)


def measure_replay(options: argparse.Namespace, progress: Callable[[str], None]) -> int:
    """1 where something failed, or requests went elsewhere than forecast under other routes. Raises PointsmanError."""
    from pointsman.bench.shown import tables_of
    from pointsman.bench.tables import as_text, notes

    results = _measured(options, progress)
    for table in tables_of(results):
        for line in as_text(table, options.tongue):
            print_line(line)
        print_line("")
    for note in notes(results):
        print_line(told(note, options.tongue))
    if options.json:
        results.save(options.json)
    return 1 if results.failures else 0


def _measured(options: argparse.Namespace, progress: Callable[[str], None]) -> Results:
    from pointsman.bench.replay.check import ROWS, run_check
    from pointsman.bench.replay.speed import run_given, run_speed
    from pointsman.bench.replay.texts import texts_of

    usual = _CHECKED if options.check else _QUICK if options.quick else _REQUESTS
    count = usual if options.requests is None else options.requests
    rounds = 1 if options.quick else options.rounds
    if not 1 <= count <= 10_000_000 or not 1 <= rounds <= 1000:
        raise PointsmanError(
            said(
                "--requests is 1 to 10,000,000, --rounds 1 to 1000",
                "--requests 是 1 到 10,000,000，--rounds 是 1 到 1000",
            )
        )
    if options.log is not None:
        if options.against is None:
            raise PointsmanError(said("--log needs --against FILE", "--log 要和 --against FILE 一起用"))
        return run_given(options.against, options.log.absolute(), options.against, rounds, progress)
    texts = texts_of(options.texts, options.seed)
    if options.check:
        return run_check(texts, 12 if options.quick else count, options.seed, list(ROWS), progress)
    return run_speed(_policy, texts, count, rounds, options.seed, progress)


def _policy(file: Path) -> Policy:
    from pointsman.app.build import NOBODY, build
    from pointsman.config.load import load

    return build(load(file, None, {}), may_ask=NOBODY).policy
