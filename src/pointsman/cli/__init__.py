"""The command line: one file a verb."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from pointsman.cli import check, explain, keys, log, serve, version
from pointsman.cli.output import print_problems
from pointsman.domain.errors import PointsmanError, Problem, Problems

_VERBS = {
    "serve": serve,
    "check": check,
    "explain": explain,
    "log": log,
    "keys": keys,
    "version": version,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: good; 1: what was checked or asked for is not; 2: usage."""
    parser = argparse.ArgumentParser(
        prog="pointsman", description="OpenAI-compatible gateway for local models: hard rules first, models last"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, verb in _VERBS.items():
        verb.declare(verbs.add_parser(name, help=verb.__doc__.splitlines()[0], description=verb.__doc__))  # type: ignore[union-attr]
    options = parser.parse_args(arguments)
    try:
        return int(_VERBS[options.verb].run(options))
    except Problems as error:
        print_problems(error.problems)
    except (Problem, PointsmanError, FileNotFoundError) as error:
        print(f"pointsman {options.verb}: {error}", file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
    except KeyboardInterrupt:
        return 130
    return 1
