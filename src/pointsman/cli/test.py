"""Run every case of every rule; show what they cover, and which rule took what another should have."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Any

from pointsman.cli.base_here import base_here
from pointsman.cli.case_runs import run_all
from pointsman.cli.gateway_client import chat
from pointsman.cli.gpu_cost import TOKENS, GpuCost, gpu_costs
from pointsman.cli.output import print_json, print_line, print_problems
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.load import Loaded
from pointsman.config.references import target_names
from pointsman.domain.errors import PointsmanError, Problem, Problems, did_you_mean
from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Rule
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.gpu import NoGpu, gpus
from pointsman.pipeline.rulebook import Rulebook, read_rulebook
from pointsman.rulecheck.coverage import Confusion, PackCoverage, RuleRun, confusion, coverage

_MOST = 20


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--pack", metavar="NAME", help="only the rules of this pack; others still stand before them")
    parser.add_argument("--workers", type=int, metavar="N", help="processes; default: one a core")
    parser.add_argument(
        "--measure", action="store_true", help="what each rule's action takes on the GPU, by its driver"
    )
    parser.add_argument(
        "--url", default=base_here(), help="the gateway to measure with (default: as pointsman.yaml says)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    try:
        loaded = load_config(options)
        book = _book(loaded)
        wanted = _of_pack(book.rules, options.pack)
    except Problems as error:
        if options.json:
            print_json({"ok": False, "problems": [_told(problem) for problem in error.problems]})
        else:
            print_problems(error.problems, options.tongue)
        return 1
    config = loaded.draft
    entries = [
        EntryRule(name, tuple(entry.packs) if entry.packs is not None else None)
        for name, entry in config.entries.items()
    ]
    guards = sorted({file.pack for file in loaded.rules if file.guard})
    workers = options.workers or os.cpu_count() or 1
    runs = run_all(book.rules, wanted, entries, guards, list(target_names(config)), workers)
    failures = _failures(runs, book)
    costs = _measured(wanted, options.url) if options.measure else []
    covered, mixed, across = coverage(runs), confusion(runs, across=False), confusion(runs, across=True)
    if options.json:
        print_json(
            {
                "ok": not failures,
                "problems": [_told(problem) for problem in failures],
                "cases": sum(pack.cases for pack in covered),
                "packs": covered,
                "confusion": mixed,
                "across_packs": across,
                **({"gpu_memory": costs} if options.measure else {}),
            }
        )
        return 1 if failures or not all(cost.holds for cost in costs) else 0
    for line in _shown(covered, runs, mixed, across, options.tongue):
        print_line(line)
    for line in _costs_shown(costs, options.tongue):
        print_line(line)
    if failures:
        print_problems(failures, options.tongue)
    return 1 if failures or not all(cost.holds for cost in costs) else 0


def _measured(rules: Sequence[Rule], url: str) -> list[GpuCost]:
    """Raises PointsmanError where there is no GPU to ask."""
    try:
        with gpus() as found:
            return list(gpu_costs(rules, found, lambda text: chat(url, [{"role": "user", "content": text}], **_SHORT)))
    except NoGpu as error:
        message = said("nothing can be measured: {why}", "无法测量：{why}", why=error.why)
        raise PointsmanError(message) from None


def _costs_shown(costs: Sequence[GpuCost], tongue: Tongue) -> list[str]:
    if not costs:
        return []
    heads = [told(head, tongue) for head in (_RULE, _DECLARED, _MEASURED, _NOTE)]
    rows = []
    for cost in costs:
        note = cost.why if cost.why is not None else "" if cost.holds else _MORE_THAN_DECLARED
        figures = ["-" if value is None else str(value) for value in (cost.declared, cost.megabytes)]
        rows.append([cost.rule, *figures, told(note, tongue)])
    return ["", told(_GPU, tongue), *_table(heads, rows)]


def _book(loaded: Loaded) -> Rulebook:
    book, wrong = read_rulebook(loaded.rules)
    problems = [*loaded.problems, *wrong]
    if problems:
        raise Problems(problems)
    return book


def _of_pack(rules: Sequence[Rule], pack: str | None) -> list[Rule]:
    packs = list(dict.fromkeys(rule.pack for rule in rules))
    if pack is not None and pack not in packs:
        message = said(
            "no pack {pack!r} is loaded{hint}",
            "没有加载规则包 {pack!r}{hint}",
            pack=pack,
            hint=did_you_mean(pack, packs),
        )
        raise Problems([Problem("--pack", message, valid=", ".join(packs) or said("none", "没有"))])
    return [rule for rule in rules if pack in (None, rule.pack)]


def _failures(runs: Sequence[RuleRun], book: Rulebook) -> list[Problem]:
    """Each with the place of its case."""
    found = []
    for case in (case for run in runs for case in run.failed):
        problem = case.problem
        where = book.sites[case.rule.id].where(case.path)
        found.append(Problem(problem.path, problem.message, valid=problem.valid, where=where))
    return found


def _told(problem: Problem) -> dict[str, Any]:
    return {"path": problem.path, "where": problem.where, "message": problem.message, "valid": problem.valid}


def _shown(
    covered: Sequence[PackCoverage],
    runs: Sequence[RuleRun],
    mixed: Sequence[Confusion],
    across: Sequence[Confusion],
    tongue: Tongue,
) -> list[str]:
    heads = [_PACK, _RULES, _COMPLETE, _CASES, _FAILED, _TERMS, _GROUPS]
    rows = [
        [
            pack.pack,
            str(pack.rules),
            str(pack.complete),
            str(pack.cases),
            str(pack.failed),
            f"{pack.touched}/{pack.terms}",
            f"{pack.groups_touched}/{pack.groups}",
        ]
        for pack in covered
    ]
    lines = _table([told(head, tongue) for head in heads], rows)
    totals = {run.rule: sum(run.won.values()) for run in runs}
    lines += _confused(_MIXED, mixed, totals, tongue)
    lines += _confused(_ACROSS, across, totals, tongue)
    cases, failed = sum(pack.cases for pack in covered), sum(pack.failed for pack in covered)
    last = said("{held} of {cases} cases hold", "{cases} 个用例，{held} 个通过", held=cases - failed, cases=cases)
    return [*lines, "", told(last, tongue)]


def _confused(title: Said, found: Sequence[Confusion], totals: dict[str, int], tongue: Tongue) -> list[str]:
    if not found:
        return []
    heads = [told(head, tongue) for head in (_EXPECTED, _TOOK, _TEXTS)]
    nobody = told(_NOBODY, tongue)
    rows = [[each.expected, each.took or nobody, f"{each.count}/{totals[each.expected]}"] for each in found[:_MOST]]
    lines = ["", told(title, tongue), *_table(heads, rows)]
    if len(found) > _MOST:
        more = said(
            "… and {more} more (--json lists all)", "……还有 {more} 项（--json 列出全部）", more=len(found) - _MOST
        )
        lines.append(told(more, tongue))
    return lines


def _table(heads: list[str], rows: list[list[str]]) -> list[str]:
    """The first columns to the left, numbers to the right."""
    widths = [max(_columns(row[place]) for row in (heads, *rows)) for place in range(len(heads))]

    def cell(text: str, width: int) -> str:
        blanks = " " * (width - _columns(text))
        return blanks + text if text[:1].isdigit() else text + blanks

    return [
        "  ".join(cell(text, width) for text, width in zip(row, widths, strict=True)).rstrip() for row in (heads, *rows)
    ]


def _columns(text: str) -> int:
    """How wide a text is on a terminal: an ideograph takes two columns."""
    return sum(1 if character < "\u2e80" else 2 for character in text)


_SHORT: dict[str, Any] = {"max_tokens": TOKENS, "stream": False}
_GPU = Said("MB on the GPU:", "显存（MB）：")
_RULE = Said("rule", "规则")
_DECLARED = Said("gpu_memory", "gpu_memory")
_MEASURED = Said("measured", "实测")
_NOTE = Said("note", "说明")
_MORE_THAN_DECLARED = Said("more than the rule says", "超过规则所写")
_PACK = Said("pack", "规则包")
_RULES = Said("rules", "规则")
_COMPLETE = Said("complete", "用例齐全")
_CASES = Said("cases", "用例")
_FAILED = Said("failed", "失败")
_TERMS = Said("terms touched", "用到的词")
_GROUPS = Said("groups touched", "用到的词组")
_MIXED = Said("Taken by another rule of the same pack, or by none:", "被同一规则包的别的规则接走，或者没有规则接：")
_ACROSS = Said(
    "Taken by another pack's rule where all packs stand together (no failure):",
    "几个规则包放在一起时，被别的规则包接走（不算失败）：",
)
_EXPECTED = Said("should take", "应命中")
_TOOK = Said("took", "实际命中")
_TEXTS = Said("texts", "文本数")
_NOBODY = Said("(none)", "（没有）")
