"""Check config, rules and their cases; say what is wrong, where, and what is valid."""

from __future__ import annotations

import argparse
from typing import Any

from pointsman.app.build import build
from pointsman.cli.output import print_json, print_problems
from pointsman.cli.source import declare_config, load_config
from pointsman.domain.errors import Problem, Problems


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    try:
        built = build(load_config(options))
    except Problems as error:
        if options.json:
            print_json({"ok": False, "problems": [_shown(problem) for problem in error.problems], "notes": []})
        else:
            print_problems(error.problems)
        return 1
    document = built.policy.document
    if options.json:
        print_json({"ok": True, "problems": [], "notes": built.notes, "policy": built.policy.hash})
        return 0
    where = built.loaded.path or "no file, built-in defaults"
    cases = sum(len(rule.examples) + len(rule.counter_examples) for rule in document.rules)
    for note in built.notes:
        print(f"note: {note}")
    print(
        f"ok: {where}: {len(document.rules)} rules ({cases} cases hold), {len(document.routes)} routes, "
        f"{len(document.targets)} targets; policy {built.policy.hash}"
    )
    return 0


def _shown(problem: Problem) -> dict[str, Any]:
    return {"path": problem.path, "where": problem.where, "message": problem.message, "valid": problem.valid}
