"""`pointsman bench route`: routers on questions that several models answered, beside each other."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import msgspec

from pointsman.cli.output import print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, encodable, said, told

_VENV = Path(".venv-bench")


def declare_route(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scores",
        metavar="FILE",
        type=Path,
        required=True,
        help='JSON lines of {"question", "scores": {model: quality}}, optionally cost, latency, task; .gz too',
    )
    parser.add_argument("--light", metavar="MODEL", help="default: the one of lowest mean cost, else of lowest quality")
    parser.add_argument(
        "--heavy", metavar="MODEL", help="default: the one of highest mean cost, else of highest quality"
    )
    parser.add_argument(
        "--without", metavar="TASK", action="append", default=[], help="leave that task out; repeatable"
    )
    parser.add_argument("--folds", type=int, default=5, help="random folds; default 5")
    parser.add_argument("--rounds", type=int, default=1000, help="resamples for intervals; default 1000")
    parser.add_argument("--seed", type=int, default=1, help="of folds and resamples; default 1")
    parser.add_argument(
        "--sweep", action="store_true", help="what it is worth that choices are right 70 … 100 %% of the time"
    )
    parser.add_argument("--one-pair", action="store_true", help="without the other light models beside the heavy one")
    parser.add_argument(
        "--features",
        choices=("n-grams", "e5"),
        default="n-grams",
        help="e5: also routers that look at the meaning of a question, by the embedding model",
    )
    parser.add_argument("--no-peer", action="store_true", help="without TF-IDF and logistic regression")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write the curves, a point a line")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=f"where the peer is; default {_VENV}")
    declare_tongue(parser)


def measure_route(options: argparse.Namespace) -> int:
    """Raises PointsmanError."""
    if options.folds < 2 or options.rounds < 10 or options.seed < 0:
        raise PointsmanError(
            said(
                "--folds is at least 2, --rounds at least 10, --seed at least 0",
                "--folds 至少是 2，--rounds 至少是 10，--seed 至少是 0",
            )
        )
    if options.csv and not os.access(options.csv.absolute().parent, os.W_OK):
        folder = options.csv.absolute().parent
        raise PointsmanError(
            said("{folder} is no folder that can be written to", "{folder} 不是可以写入的文件夹", folder=folder)
        )
    try:
        from pointsman.bench.route.measure import Asked, run_route
        from pointsman.bench.route.pair import chosen_pair
        from pointsman.bench.route.tables import csv_of_route, notes_of_route, panels_of_route, tables_of_route
    except ImportError as error:  # numpy
        raise PointsmanError(_needs(error)) from None
    from pointsman.bench.plotting import draw
    from pointsman.bench.route.scored import read_scored
    from pointsman.bench.tables import as_text

    rows = read_scored(options.scores, frozenset(options.without))
    pair = chosen_pair(rows, options.light, options.heavy)
    asked = Asked(
        folds=min(options.folds, len(rows)),
        rounds=options.rounds,
        seed=options.seed,
        peer=not options.no_peer,
        pairs=not options.one_pair,
        sweep=options.sweep,
        meaning=options.features == "e5",
    )

    def tell(text: Said) -> None:
        print(told(text, options.tongue), file=sys.stderr, flush=True)

    results = run_route(rows, pair, asked, str(options.scores), options.venv, tell)
    for table in tables_of_route(results):
        for line in as_text(table, options.tongue):
            print_line(line)
        print()
    for note in notes_of_route(results):
        print_line(told(note, options.tongue))
    if options.json:
        data = msgspec.json.encode(results, enc_hook=lambda part: encodable(part, "en"))
        options.json.write_bytes(msgspec.json.format(data, indent=1) + b"\n")
    if options.csv:
        options.csv.write_text(csv_of_route(results), "utf-8")
    if options.plot:
        draw(panels_of_route(results), options.plot, options.venv)
    return 0


def _needs(error: ImportError) -> Said:
    return said(
        "bench route needs {name}: pip install 'pointsman[embed]'",
        "bench route 需要 {name}：pip install 'pointsman[embed]'",
        name=error.name or "numpy",
    )
