"""Check config, rules and their cases; say what is wrong, where, and what is valid."""

from __future__ import annotations

import argparse
from typing import Any

from pointsman.app.build import build, check_sources
from pointsman.cli.output import print_json, print_problems
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said, told


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    try:
        built = build(load_config(options))
        notes = [*built.notes, *check_sources(built)]
    except Problems as error:
        if options.json:
            print_json({"ok": False, "problems": [_shown(problem) for problem in error.problems], "notes": []})
        else:
            print_problems(error.problems, options.tongue)
        return 1
    document = built.policy.document
    if options.json:
        print_json({"ok": True, "problems": [], "notes": notes, "policy": built.policy.hash})
        return 0
    where = built.loaded.path or said("no file, built-in defaults", "没有文件，用内置默认值")
    cases = sum(len(rule.examples) + len(rule.counter_examples) for rule in document.rules)
    for note in notes:
        print(told(said("note: {note}", "注意：{note}", note=note), options.tongue))
    summary = said(
        "ok: {where}: {rules} rules ({cases} cases hold), {routes} routes, {targets} targets; policy {policy}",
        "正常：{where}：{rules} 条规则（{cases} 个用例全部通过），{routes} 条路由，{targets} 个目标；策略 {policy}",
        where=where,
        rules=len(document.rules),
        cases=cases,
        routes=len(document.routes),
        targets=len(document.targets),
        policy=built.policy.hash,
    )
    print(told(summary, options.tongue))
    return 0


def _shown(problem: Problem) -> dict[str, Any]:
    return {"path": problem.path, "where": problem.where, "message": problem.message, "valid": problem.valid}
