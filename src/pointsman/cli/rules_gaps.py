"""Show what neither a rule nor the arbiter settled: questions that are alike, how many, and whether they become more."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.question_source import Refused, declare_source, read_source
from pointsman.cli.source import load_config
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.offline.gaps.gaps import LEAST, Gap, Gaps, Trend, find_gaps

_TRENDS: dict[Trend, Said] = {
    "up": said("more than before ▲", "比之前多 ▲"),
    "down": said("fewer than before ▼", "比之前少 ▼"),
    "steady": said("no sure change", "没有明显变化"),
    "new": said("new ●", "新出现 ●"),
    "unknown": said("trend not known", "趋势未知"),
}
_LONGEST = 100


def declare(parser: argparse.ArgumentParser) -> None:
    declare_source(parser)
    parser.add_argument("--limit", type=int, default=20, help="at most so many (default 20)")
    parser.add_argument("--least", type=int, default=LEAST, help=f"questions that make a gap (default {LEAST})")


def run(options: argparse.Namespace) -> int:
    options.verb_name = "rules gaps"
    for name in ("limit", "least"):
        if getattr(options, name) < 1:
            message = said("--{name} must be at least 1", "--{name} 至少是 1", name=name)
            print_error(options.verb_name, message, options.tongue)
            return 2
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    try:
        asked, since, until = read_source(options, loaded)
    except Refused as refused:
        return refused.code
    found = find_gaps(asked, limit=options.limit, least=options.least, since=since, until=until)
    if options.json:
        print_json(found)
    else:
        for line in _lines(found, options.tongue):
            print_line(line)
    return 0 if found.gaps else 1


def _lines(found: Gaps, tongue: Tongue) -> Iterator[str]:
    yield told(
        said(
            "{questions} questions, {unsettled} settled by neither a rule nor the arbiter; {alone} of these alone{unread}",
            "{questions} 个问题，规则和意图模型都没有处理的有 {unsettled} 个；其中 {alone} 个没有同类{unread}",
            questions=found.questions,
            unsettled=found.unsettled,
            alone=found.alone,
            unread=said("; {count} cannot be read", "；{count} 个读不到内容", count=found.unread)
            if found.unread
            else "",
        ),
        tongue,
    )
    if not found.gaps:
        yield told(said("no gaps", "没有空白"), tongue)
    for gap in found.gaps:
        yield told(_gap(gap), tongue)
        for sample in gap.samples:
            yield f"          {_short(sample)}"
    if found.small:
        yield told(
            said("{count} smaller ones (--limit)", "还有 {count} 个较小的（--limit）", count=found.small), tongue
        )


def _gap(gap: Gap) -> Said:
    return said(
        "{questions:>6} {share:>6.1%}  {representative}  ({before} → {now}, {trend}{seconds})",
        "{questions:>6} {share:>6.1%}  {representative}  （{before} → {now}，{trend}{seconds}）",
        questions=gap.questions,
        share=gap.share,
        representative=_short(gap.representative),
        before=gap.before,
        now=gap.now,
        trend=_TRENDS[gap.trend],
        seconds=""
        if gap.seconds is None
        else said("; engines: {seconds:.1f} s", "；引擎用时 {seconds:.1f} 秒", seconds=gap.seconds),
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
