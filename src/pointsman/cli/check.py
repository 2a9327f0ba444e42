"""Check config, rules and their cases: what is wrong, where, and what is valid; and what can be proved of the rules."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pointsman.app.build import build, check_sources, check_tools
from pointsman.cli.findings import NOTHING_FOUND, as_json, inspect, lines, measured, warnings_of
from pointsman.cli.mcp_tools import tool_lines, tools_as_json
from pointsman.cli.output import print_json, print_line, print_problems
from pointsman.cli.schedule_words import checked, schedule_json
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said, told


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--strict", action="store_true", help="warnings are errors: unreachable rules and the like")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    try:
        built = build(load_config(options))
        notes = [*built.notes, *check_sources(built)]
    except Problems as error:
        if options.json:
            problems = [_shown(problem) for problem in error.problems]
            print_json(
                {"ok": False, "problems": problems, "notes": [], "policy": None, **NOTHING_FOUND, "schedules": []}
            )
        else:
            print_problems(error.problems, options.tongue)
        return 1
    document = built.policy.document
    report, cost = inspect(built), measured(document.rules)
    tools = check_tools(built) if built.config.mcp_servers else {}
    failed = options.strict and warnings_of(report) > 0
    if options.json:
        found = as_json(report, cost, built)
        print_json(
            {
                "ok": not failed,
                "problems": [],
                "notes": notes,
                "policy": built.policy.hash,
                **found,
                **tools_as_json(tools, document),
                "schedules": [
                    schedule_json(name, schedule, built.config, 1) for name, schedule in built.config.schedules.items()
                ],
            }
        )
        return int(failed)
    where = built.loaded.path or said("no file, built-in defaults", "没有文件，用内置默认值")
    cases = sum(len(rule.cases) for rule in document.rules if rule.mode != "off")
    for note in notes:
        print(told(said("note: {note}", "注意：{note}", note=note), options.tongue))
    for line in lines(report, cost, built, options.tongue, options.strict):
        print_line(line)
    for line in (*tool_lines(tools, document, options.tongue), *checked(built, options.tongue)):
        print_line(line)
    if failed:
        total = said(
            "{count} warnings, and --strict", "有 {count} 个警告，而且用了 --strict", count=warnings_of(report)
        )
        print(told(total, options.tongue), file=sys.stderr)
        return 1
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
