"""`pointsman bench intents`: how well the embedded arbiter hears, on any labelled texts."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

import msgspec

from pointsman.cli.output import print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said, told

_VENV = Path(".venv-bench")
_FOLDER = Path("data/bench/arbiter")


def declare_intents(parser: argparse.ArgumentParser) -> None:
    form = 'JSON lines of {"text", "intent"}, intent oos: none of them; .gz too'
    parser.add_argument("--train", metavar="FILE", type=Path, required=True, help=form)
    parser.add_argument("--test", metavar="FILE", type=Path, required=True, help="texts to measure on")
    parser.add_argument(
        "--validation",
        metavar="FILE",
        type=Path,
        help="texts for calibration and threshold; default: training texts, left out in turn",
    )
    parser.add_argument("--spelling", action="store_true", help="without the embedding model")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, default=_FOLDER, help=f"keeps vectors and heads; default {_FOLDER}"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the result (.svg or .png)")
    parser.add_argument("--venv", metavar="DIR", type=Path, default=_VENV, help=f"where the peer is; default {_VENV}")
    declare_tongue(parser)


def measure_intents(options: argparse.Namespace) -> int:
    """Raises PointsmanError."""
    try:
        from pointsman.bench.intent_tables import panels_of_intents, tables_of_intents
        from pointsman.bench.intents import run_intents
    except ImportError as error:  # numpy
        raise PointsmanError(needs_numpy(error)) from None
    from pointsman.bench.labelled import read_labelled
    from pointsman.bench.plotting import draw
    from pointsman.bench.tables import as_text

    train, test = read_labelled(options.train), read_labelled(options.test)
    validation = read_labelled(options.validation) if options.validation else None

    def tell(text: Said) -> None:
        print(told(text, options.tongue), file=sys.stderr, flush=True)

    results = asyncio.run(
        run_intents(train, test, validation, options.folder, options.venv, tell, embedding=not options.spelling)
    )
    for table in tables_of_intents(results):
        for line in as_text(table, options.tongue):
            print_line(line)
        print()
    for name, why in results.skipped.items():
        print_line(told(said("{name} left out: {why}", "没有 {name}：{why}", name=name, why=why), options.tongue))
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
    if options.plot:
        draw(panels_of_intents(results), options.plot, options.venv)
    return 0


def needs_numpy(error: ImportError) -> Said:
    return said(
        "the embedded arbiter needs {name}: pip install 'pointsman[embed]'",
        "内置仲裁器需要 {name}：pip install 'pointsman[embed]'",
        name=error.name or "numpy",
    )
