"""List the rules in force; with --stats, what the log says of each."""

from __future__ import annotations

import argparse
from typing import Any

from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.rules_audit import (
    audit_json,
    declare_audit,
    heading,
    near_json,
    near_lines,
    number,
    percent,
    period_json,
    print_ids,
    read_audit,
    wrong_usage,
)
from pointsman.cli.source import load_config
from pointsman.cli.table import table
from pointsman.domain.errors import Problems
from pointsman.domain.rule import Rule
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.offline.audit.outcome import Audit, RuleAudit, Suspected
from pointsman.pipeline.rulebook import read_rulebook

_NOTHING = RuleAudit("", 0, 0.0, None, None, {}, (), Suspected())


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stats", action="store_true", help="what each did, by the log")
    declare_audit(parser)


def run(options: argparse.Namespace) -> int:
    if wrong_usage(options):
        return 2
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    book, wrong = read_rulebook(loaded.rules)
    if loaded.problems or wrong:
        raise Problems([*loaded.problems, *wrong])
    found = read_audit(options, loaded) if options.stats or options.ids else None
    if options.ids:
        assert found is not None
        return print_ids(options, found)
    rules = sorted(book.rules, key=lambda rule: -rule.priority)
    rules = [rule for rule in rules if options.rule in (None, rule.id)]
    gone = [] if found is None else _gone(found, rules, options.rule)
    if options.rule and not rules and not gone:
        message = said("there is no rule {rule!r}", "没有规则 {rule!r}", rule=options.rule)
        print_error("rules ls", message, options.tongue)
        return 1
    if options.json:
        print_json(_as_json(rules, found, gone, options.rule))
        return 0
    for line in _lines(rules, found, gone, options):
        print_line(line)
    return 0


def _gone(found: Audit, rules: list[Rule], wanted: str | None) -> list[RuleAudit]:
    """What took requests and is no rule of the config: removed since, or the gateway's own guards."""
    ids = {rule.id for rule in rules}
    return [each for each in found.rules if each.rule not in ids and wanted in (None, each.rule)]


def _as_json(rules: list[Rule], found: Audit | None, gone: list[RuleAudit], wanted: str | None) -> dict[str, Any]:
    listed = [_rule_json(rule, found) for rule in rules]
    if found is None:
        return {"rules": listed}
    more = [{"id": each.rule, "mode": None, "stats": audit_json(each)} for each in gone]
    marks = {} if wanted else {"marks": found.marks}
    return {**period_json(found), "rules": [*listed, *more], **marks, "near": near_json(found, wanted)}


def _rule_json(rule: Rule, found: Audit | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": rule.id,
        "pack": rule.pack,
        "priority": rule.priority,
        "mode": rule.mode,
        "share": rule.share,
        "action": rule.action,
        "owner": rule.owner,
        "since": rule.since,
        "cases": len(rule.cases),
    }
    if found is None:
        return data
    shadow = next((each for each in found.shadows if each.rule == rule.id), None)
    return {**data, "stats": audit_json(found.of(rule.id) or _NOTHING), "shadow": shadow}


def _lines(rules: list[Rule], found: Audit | None, gone: list[RuleAudit], options: argparse.Namespace) -> list[str]:
    tongue: Tongue = options.tongue
    heads = [told(head, tongue) for head in _HEADS]
    rows = [_row(rule, tongue) for rule in rules]
    if found is None:
        return table(heads, rows, {2, 7})
    heads = [heads[0], heads[3], *(told(head, tongue) for head in _STATS)]
    stats = [[rule.id, row[3], *_stats(rule.id, found)] for rule, row in zip(rules, rows, strict=True)]
    stats += [[each.rule, told(_GONE, tongue), *_stats(each.rule, found)] for each in gone]
    lines = [told(line, tongue) for line in heading(found, options)]
    lines += ["", *table(heads, stats, set(range(2, len(heads))))]
    lines += _shadow_lines(found, options.rule, tongue)
    if found.marks and not options.rule:
        marked = ", ".join(f"{label} {count}" for label, count in found.marks.items())
        lines += ["", told(said("marked: {marked}", "标记：{marked}", marked=marked), tongue)]
    return lines + near_lines(found, options.rule, tongue)


def _row(rule: Rule, tongue: Tongue) -> list[str]:
    mode = rule.mode if rule.share is None else f"{rule.mode} {rule.share}%"
    owner, since = rule.owner or "-", rule.since or "-"
    return [rule.id, rule.pack, str(rule.priority), mode, rule.action, owner, since, str(len(rule.cases))]


def _stats(rule: str, found: Audit) -> list[str]:
    each = found.of(rule) or _NOTHING
    suspected = each.suspected
    shown = f"{suspected.any} ({percent(suspected.rate)})" if suspected.of else "-" if not each.hits else "?"
    return [
        str(each.hits),
        percent(each.share),
        number(each.median_ms, 2) if each.hits else "-",
        number(each.p95_ms, 2) if each.hits else "-",
        number(each.saved) if each.hits else "-",
        shown,
        str(suspected.abandoned),
    ]


def _shadow_lines(found: Audit, rule: str | None, tongue: Tongue) -> list[str]:
    lines = []
    for each in found.shadows:
        if rule in (None, each.rule):
            whom = ", ".join(f"{name} {count}" for name, count in list(each.from_whom.items())[:5])
            line = said(
                "{rule} (shadow) would have taken {requests}, {seconds} GPU s, from: {whom}",
                "{rule}（影子）会接走 {requests} 个，{seconds} GPU 秒，来自：{whom}",
                rule=each.rule,
                requests=each.requests,
                seconds=f"{each.seconds:.1f}",
                whom=whom,
            )
            lines.append(told(line, tongue))
    return ["", *lines] if lines else []


_HEADS = (
    Said("rule", "规则"),
    Said("pack", "规则包"),
    Said("priority", "优先级"),
    Said("mode", "模式"),
    Said("action", "动作"),
    Said("owner", "负责人"),
    Said("since", "起始"),
    Said("cases", "用例"),
)
_STATS = (
    Said("hits", "命中"),
    Said("share", "占比"),
    Said("median ms", "中位毫秒"),
    Said("95 % ms", "95% 毫秒"),
    Said("GPU s saved", "省下 GPU 秒"),
    Said("suspected", "疑似误判"),
    Said("abandoned", "放弃"),
)
_GONE = Said("(not in the config)", "（不在配置里）")
