"""Look for what is wrong: memory, decisions, model files, ports, rules, the log; what was seen, what it means, what to do.
Exit code 1 where something is wrong."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from pointsman.app.doctor.examine import DAYS, SECONDS, Examination, Examined, examine
from pointsman.app.doctor.facts import Recount
from pointsman.app.doctor.finding import Finding, Level
from pointsman.cli.base_here import base_of
from pointsman.cli.gateway_client import KEY
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.table import columns
from pointsman.cli.tongue import declare_tongue
from pointsman.cli.wrapped import wrapped
from pointsman.domain.said import Said, Tongue, said, told

SAMPLE = 300  # decisions that are computed again
_MARKS: dict[Level, Said] = {
    "ok": Said("ok", "正常"),
    "note": Said("note", "留意"),
    "wrong": Said("WRONG", "异常"),
    "unknown": Said("?", "未知"),
}
_SAW, _MEANS, _DO = Said("saw", "看到"), Said("means", "说明"), Said("do", "处理")
_TITLE = 26


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--url", help="where the gateway is, if one runs; default: as the config says")
    parser.add_argument("--key", help=f"an admin key, where one is needed; default: {KEY}")
    parser.add_argument(
        "--days", type=int, default=DAYS, metavar="N", help=f"of the log that are read (default {DAYS})"
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, metavar="N", help=f"for each look (default {SECONDS:g})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, in both languages")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """Raises Problems where the config cannot be read at all."""
    if options.days < 1 or not options.seconds > 0:
        print_error(
            "doctor", said("--days and --seconds must be above 0", "--days 和 --seconds 要大于 0"), options.tongue
        )
        return 2
    loaded = load_config(options)
    url = options.url or base_of(loaded.draft.server.host, loaded.draft.server.port)
    asked = Examination(
        loaded, url.rstrip("/"), options.key or os.environ.get(KEY) or None, _recount, options.days, options.seconds
    )
    found = examine(asked)
    if options.json:
        print_json(_as_json(found))
    else:
        for line in _lines(found, options.tongue):
            for part in wrapped(line):
                print_line(part)
    return int(any(finding.level == "wrong" for each in found for finding in each.findings))


def _recount(folder: Path, since: float) -> Recount:
    from pointsman.offline.recompute import recompute_log

    try:
        found = recompute_log(folder, since, SAMPLE)
    except FileNotFoundError:
        return Recount(0, 0, 0)
    return Recount(found.equal, found.different, found.unread, found.ids)


def _lines(found: list[Examined], tongue: Tongue) -> list[str]:
    lines: list[str] = []
    part = None
    for each in found:
        if each.part != part:
            part = each.part
            lines += ["", told(part.title, tongue)] if lines else [told(part.title, tongue)]
        for finding in each.findings:
            lines += _told(each.check.title, finding, tongue)
    return [*lines, "", told(_sum(found), tongue)]


def _told(title: Said, finding: Finding, tongue: Tongue) -> list[str]:
    mark, name = told(_MARKS[finding.level], tongue), told(title, tongue)
    head = f"  {mark}{' ' * (7 - columns(mark))}{name}{' ' * max(1, _TITLE - columns(name))}"
    saw = told(finding.saw, tongue)
    if finding.means is None or finding.do is None:
        return [head + saw]
    words = ((_SAW, finding.saw), (_MEANS, finding.means), (_DO, finding.do))
    width = max(columns(told(word, tongue)) for word, _ in words)
    return [
        head.rstrip(),
        *(
            f"           {told(word, tongue)}{' ' * (width - columns(told(word, tongue)))}  {told(text, tongue)}"
            for word, text in words
        ),
    ]


def _sum(found: list[Examined]) -> Said:
    levels = [finding.level for each in found for finding in each.findings]
    wrong, notes, unknown = (levels.count(level) for level in ("wrong", "note", "unknown"))
    if not wrong and not notes and not unknown:
        return said("{n} checks: all is well.", "共 {n} 项检查：一切正常。", n=len(found))
    parts = [
        said("{n} wrong", "{n} 处异常", n=wrong) if wrong else None,
        said("{n} to note", "{n} 处留意", n=notes) if notes else None,
        said("{n} could not be looked at", "{n} 项无法查看", n=unknown) if unknown else None,
    ]
    kept = [part for part in parts if part is not None]
    return said(
        "{n} checks: {parts}.",
        "共 {n} 项检查：{parts}。",
        n=len(found),
        parts=Said(", ".join(map(str, kept)), "，".join(part.zh for part in kept)),
    )


def _as_json(found: list[Examined]) -> dict[str, Any]:
    levels = [finding.level for each in found for finding in each.findings]
    return {
        "ok": "wrong" not in levels,
        "counts": {level: levels.count(level) for level in _MARKS},
        "checks": [
            {
                "check": each.check.name,
                "part": _both(each.part.title),
                "title": _both(each.check.title),
                "level": finding.level,
                "saw": _both(finding.saw),
                "means": _both(finding.means),
                "do": _both(finding.do),
            }
            for each in found
            for finding in each.findings
        ],
    }


def _both(text: Said | None) -> dict[str, str] | None:
    return None if text is None else {"en": str(text), "zh": text.zh}
