"""Print the version."""

from __future__ import annotations

import argparse
import platform

from pointsman import __version__
from pointsman.cli.output import print_json


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    if options.json:
        print_json({"version": __version__, "python": platform.python_version()})
    else:
        print(f"pointsman {__version__}")
    return 0
