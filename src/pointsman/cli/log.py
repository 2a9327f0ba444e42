"""List the request log, newest first, or show one request whole. `log export`, `log erase` and `log rotate-key` are verbs of
their own."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import Any

import msgspec

from pointsman.cli.log_choice import declare_filters, declare_place, filters_of, place_of
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.config.schema import parse_span
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said, told
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_NOT_KEPT = said("(not kept)", "（未保存）")
_UNDER_WAY = said("under way", "进行中")
_SPAN = re.compile(r"[0-9]+[smhd]")


def declare(parser: argparse.ArgumentParser) -> None:
    declare_place(parser)
    parser.add_argument("--since", metavar="SPAN", help="only newer than 30m, 12h, 7d")
    parser.add_argument("--limit", type=int, default=20, help="at most so many (default 20)")
    parser.add_argument("--text", action="store_true", help="show prompts too (needs the key in the data folder)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--recompute", action="store_true", help="compute every logged decision again; 1 where one comes out otherwise"
    )
    declare_filters(parser)


def run(options: argparse.Namespace) -> int:
    if options.since and not _SPAN.fullmatch(options.since):
        message = said(
            "--since {span!r} is no span of time (valid: 30m, 12h, 7d)",
            "--since {span!r} 不是时长（合法取值：30m、12h、7d）",
            span=options.since,
        )
        print_error("log", message, options.tongue)
        return 2
    if options.limit < 1:
        print_error("log", said("--limit must be at least 1", "--limit 至少是 1"), options.tongue)
        return 2
    try:
        filters = filters_of(options)
    except PointsmanError as error:
        print_error("log", error.message, options.tongue)
        return 2
    folder = place_of(options)
    since = time.time() - parse_span(options.since) if options.since else None
    if options.recompute:
        return _recompute(folder, since, options)
    found = False
    try:
        reader = LogReader(folder)
        for row in reader.rows(filters, since, options.limit):
            found = True
            if options.text or "id" in filters:
                whole = reader.whole(row["id"])
                row["question"] = whole.request.question if whole else None
                if "id" in filters:
                    row["decision"] = whole.decision if whole else None
                    row["feedback"] = reader.feedback_on(row["id"])
                    row["attempts"] = whole.attempts if whole and whole.attempts else row["attempts"]
            _print(row, options)
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error("log", message, options.tongue)
        return 1
    if "id" in filters and not found:
        message = said("there is no request {id!r} in the log", "日志里没有请求 {id!r}", id=filters["id"])
        print_error("log", message, options.tongue)
        return 1
    return 0


def _recompute(folder: Path, since: float | None, options: argparse.Namespace) -> int:
    from pointsman.offline.recompute import recompute_log  # no other listing needs the deciders

    try:
        found = recompute_log(folder, since)
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error("log", message, options.tongue)
        return 1
    if options.json:
        print_json(found)
    else:
        en = "{equal} decisions are the same again, {different} are not; {unread} are not kept whole, {none} had none"
        zh = "{equal} 个决策重新计算后相同，{different} 个不同；{unread} 个没有完整保存，{none} 个请求没有决策"
        print_line(told(said(en, zh, **msgspec.structs.asdict(found)), options.tongue))
        for request_id in found.ids:
            print_line(f"  {request_id}")
    return 1 if found.different else 0


def _print(row: dict[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print_json(row)
        return
    if "decision" in row:
        print_json(row, pretty=True)
        return
    when = time.strftime("%m-%d %H:%M:%S", time.localtime(row["received"]))
    who = row["rule"] or row["action"] if row["stage"] == "l0" else row["target"] or row["model"]
    took = row["total_ms"]
    times = "-" if took is None else f"{took:.0f} ms" if took >= 1 else f"{took * 1000:.0f} µs"
    outcome = row["outcome"] or told(_UNDER_WAY, options.tongue)
    tokens = f"{row['input_tokens'] or 0}→{row['output_tokens'] or 0}"
    print_line(f"{when}  {row['stage'] or '-':<5} {outcome:<9} {times:>9} {tokens:>11}  {who or '-'}  {row['id']}")
    if row["error"]:
        print_line(f"    {row['status']} {row['error']}")
    if options.text:
        question = row["question"] or told(_NOT_KEPT, options.tongue)
        print_line(f"    {' '.join(question[:200].split())}")
