"""Rank rules by what they are worth, by the log; say what would move without each, and what to do."""

from __future__ import annotations

import argparse
from typing import Any

from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.rules_audit import (
    audit_json,
    declare_audit,
    heading,
    moved_text,
    near_json,
    near_lines,
    number,
    percent,
    period_json,
    print_ids,
    read_audit,
    unknown_rule,
    wrong_usage,
)
from pointsman.cli.source import load_config
from pointsman.cli.table import table
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.offline.review.ranking import ABANDONED, BOTTOM, LIMIT, PRICE, Ranked
from pointsman.offline.review.report import Review, review

_MOVES = 4
_TEXTS = 3


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--price", type=float, default=PRICE, metavar="SECONDS",
        help=f"GPU seconds that a suspected misjudgement is set against (default {PRICE:.0f})",
    )  # fmt: skip
    declare_audit(parser)


def run(options: argparse.Namespace) -> int:
    if wrong_usage(options):
        return 2
    if not 0 <= options.price < float("inf"):
        print_error("rules review", said("--price must be 0 or more", "--price 不能小于 0"), options.tongue)
        return 2
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    found = read_audit(options, loaded)
    if options.ids:
        return print_ids(options, found)
    judged = review(found, options.price)
    if options.rule and not _knows(judged, options.rule):
        print_error("rules review", unknown_rule(options.rule), options.tongue)
        return 1
    if options.json:
        print_json(_as_json(judged, options.rule))
        return 0
    for line in _lines(judged, options):
        print_line(line)
    return 0


def _knows(judged: Review, rule: str) -> bool:
    return rule in judged.audit.known or any(each.rule == rule for each in judged.rules)


def _as_json(judged: Review, rule: str | None) -> dict[str, Any]:
    found = judged.audit
    return {
        **period_json(found),
        "value": {"formula": _FORMULA, "price": judged.price, "abandoned": ABANDONED},
        "rules": [_ranked_json(each) for each in judged.rules if rule in (None, each.rule)],
        "bottom": [each.rule for each in judged.bottom],
        "doubted": [each.rule for each in judged.doubted],
        "shadow": [each for each in found.shadows if rule in (None, each.rule)],
        "trials": [each for each in judged.trials if rule in (None, each.rule)],
        "advice": [each for each in judged.advice if rule in (None, each.rule)],
        "near": near_json(found, rule),
    }


def _ranked_json(each: Ranked) -> dict[str, Any]:
    return {
        "id": each.rule,
        "pack": each.pack,
        "kind": each.kind,
        "rank": each.rank,
        "value": each.value,
        "bottom": each.bottom,
        "young": each.young,
        "suspected_interval": each.interval,
        "doubted": each.doubted,
        "maybe": each.maybe,
        **audit_json(each.audit),
    }


def _lines(judged: Review, options: argparse.Namespace) -> list[str]:
    tongue: Tongue = options.tongue
    found, wanted = judged.audit, options.rule
    rules = [each for each in judged.rules if wanted in (None, each.rule)]
    lines = [told(line, tongue) for line in heading(found, options)]
    lines.append(told(said(_FORMULA, _FORMULA.zh, price=f"{judged.price:g}"), tongue))
    heads = [told(head, tongue) for head in _HEADS]
    lines += ["", *table(heads, [_row(each, tongue) for each in rules], {0, 2, 3, 4, 5})]
    lines += _moves(rules, tongue)
    for each in judged.trials:
        if wanted in (None, each.rule):
            name = f"{each.rule} ({each.share}%)"
            line = said("{rule}: {what}", "{rule}：{what}", rule=name, what=each.sentence)
            lines += ["", told(line, tongue)]
    lines += _shadows(judged, wanted, tongue)
    lines += near_lines(found, wanted, tongue)
    return lines + _advice(judged, wanted, tongue)


def _row(each: Ranked, tongue: Tongue) -> list[str]:
    suspected = each.audit.suspected
    shown = f"{suspected.any} ({percent(suspected.rate)})" if suspected.of else "-"
    value = "-" if each.rank is None else number(each.value)
    rank = "-" if each.rank is None else str(each.rank)
    notes = ", ".join(told(note, tongue) for note in _notes(each))
    return [rank, each.rule, str(each.audit.hits), shown, number(each.audit.saved), value, notes]


def _notes(each: Ranked) -> list[Said]:
    notes = []
    if each.bottom:
        notes.append(said("lowest {share}", "最低 {share}", share=f"{100 * BOTTOM:.0f}%"))
    if each.doubted:
        notes.append(said("over {limit} suspected", "疑似误判超过 {limit}", limit=f"{100 * LIMIT:.0f}%"))
    if each.maybe:
        low, high = (percent(bound) for bound in each.interval)
        notes.append(
            said(
                "maybe over {limit} ({low} to {high}), too few to tell",
                "可能超过 {limit}（{low} 到 {high}），数量太少，不能断定",
                limit=f"{100 * LIMIT:.0f}%",
                low=low,
                high=high,
            )
        )
    if each.young and each.rank is not None:
        notes.append(Said("too young to be ranked low", "太新，不计入末位"))
    if each.rank is None and each.kind is not None:
        notes.append(said("not ranked ({kind})", "不排名（{kind}）", kind=each.kind))
    return notes


def _moves(rules: list[Ranked], tongue: Tongue) -> list[str]:
    lines = []
    for each in rules:
        moved = each.audit.moved
        if moved:
            where = [told(moved_text(one), tongue) for one in moved[:_MOVES]]
            more = sum(one.requests for one in moved[_MOVES:])
            if more:
                where.append(told(said("{more} elsewhere", "其余 {more}", more=more), tongue))
            lines.append(f"  {each.rule}: {'; '.join(where)}")
    return ["", told(_WITHOUT, tongue), *lines] if lines else []


def _shadows(judged: Review, wanted: str | None, tongue: Tongue) -> list[str]:
    lines = []
    for each in judged.audit.shadows:
        if wanted in (None, each.rule):
            whom = ", ".join(f"{name} {count}" for name, count in list(each.from_whom.items())[:_MOVES])
            line = said(
                "{rule}: {requests} requests, {seconds} GPU s, from {whom}",
                "{rule}：{requests} 个请求，{seconds} GPU 秒，来自 {whom}",
                rule=each.rule,
                requests=each.requests,
                seconds=f"{each.seconds:.1f}",
                whom=whom,
            )
            lines.append("  " + told(line, tongue))
    return ["", told(_SHADOW, tongue), *lines] if lines else []


def _advice(judged: Review, wanted: str | None, tongue: Tongue) -> list[str]:
    lines = []
    for each in judged.advice:
        if wanted not in (None, each.rule):
            continue
        line = said("{what} {rule}: {why}", "{what} {rule}：{why}", what=_WHAT[each.what], rule=each.rule, why=each.why)
        lines.append("  " + told(line, tongue))
        for text in each.texts[:_TEXTS]:
            after = "" if text.next is None else f" → {_short(text.next)}"
            lines.append(f"    {_short(text.text)}{after}  {text.request}")
    return ["", told(_ADVICE, tongue), *lines] if lines else []


def _short(text: str) -> str:
    return " ".join(text[:60].split())


_FORMULA = Said(
    "value = GPU seconds saved − {price} × (suspected misjudgements + 0.1 × abandoned)",
    "价值 = 省下的 GPU 秒 − {price} ×（疑似误判 + 0.1 × 放弃）",
)
_HEADS = (
    Said("rank", "名次"),
    Said("rule", "规则"),
    Said("hits", "命中"),
    Said("suspected", "疑似误判"),
    Said("GPU s saved", "省下 GPU 秒"),
    Said("value", "价值"),
    Said("note", "说明"),
)
_WITHOUT = Said("Without each rule, its requests would have gone:", "没有这条规则，它的请求会去：")
_SHADOW = Said("In shadow, would have taken:", "影子规则会接走：")
_ADVICE = Said("To do:", "建议：")
_WHAT = {
    "drop": Said("drop", "删除"),
    "shadow": Said("put in shadow", "改为影子模式"),
    "narrow": Said("narrow", "收窄"),
    "raise": Said("raise", "放开"),
    "wait": Said("wait for", "再等等"),
}
