"""The command line: one file a verb."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from pointsman.cli.output import print_problems
from pointsman.cli.tongue import lenient_output
from pointsman.domain.errors import PointsmanError, Problem, Problems

VERBS = {
    "serve": "run the gateway",
    "init": "look for engines on this machine and write pointsman.yaml",
    "demo": "walk through examples in the terminal",
    "check": "check config, rules and their cases",
    "explain": "show what would be decided on a text, and why",
    "log": "list the request log, or show one request whole",
    "keys": "make API keys",
    "version": "print the version",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: good; 1: what was checked or asked for is not; 2: usage. Only the verb that is called is imported."""
    lenient_output()
    given = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="pointsman", description="OpenAI-compatible gateway for local models: hard rules first, models last"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    called = next((word for word in given if not word.startswith("-")), None)
    module = import_module(f"pointsman.cli.{called}") if called in VERBS else None
    for name, purpose in VERBS.items():
        verb = verbs.add_parser(name, help=purpose, description=module.__doc__ if module and name == called else None)
        if module and name == called:
            module.declare(verb)
    options = parser.parse_args(given)
    assert module is not None
    try:
        return int(module.run(options))
    except Problems as error:
        print_problems(error.problems)
    except (Problem, PointsmanError, FileNotFoundError) as error:
        print(f"pointsman {options.verb}: {error}", file=sys.stderr)
    except BrokenPipeError:
        sys.stderr.close()
    except KeyboardInterrupt:
        return 130
    return 1
