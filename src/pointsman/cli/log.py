"""List the request log, newest first, or show one request whole."""

from __future__ import annotations

import argparse
import re
import sys
import time
from typing import Any

from pointsman.cli.output import print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.store.log_reader import FILTERS, LogError, LogReader

_SPAN = re.compile(r"[0-9]+[smhd]")


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument("--since", metavar="SPAN", help="only newer than 30m, 12h, 7d")
    parser.add_argument("--limit", type=int, default=20, help="at most so many (default 20)")
    parser.add_argument("--text", action="store_true", help="show prompts too (needs the key in the data folder)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    for name in FILTERS:
        parser.add_argument(f"--{name.replace('_', '-')}", dest=f"by_{name}", metavar="VALUE", help=f"only this {name}")


def run(options: argparse.Namespace) -> int:
    if options.since and not _SPAN.fullmatch(options.since):
        print(f"pointsman log: --since {options.since!r} is no span of time (valid: 30m, 12h, 7d)", file=sys.stderr)
        return 2
    if options.limit < 1:
        print("pointsman log: --limit must be at least 1", file=sys.stderr)
        return 2
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    filters = {name: value for name in FILTERS if (value := getattr(options, f"by_{name}")) is not None}
    since = time.time() - parse_span(options.since) if options.since else None
    found = False
    try:
        reader = LogReader(data_dir(loaded.config))
        for row in reader.rows(filters, since, options.limit):
            found = True
            if options.text or "id" in filters:
                whole = reader.whole(row["id"])
                row["question"] = whole.request.question if whole else None
                if "id" in filters:
                    row["decision"] = whole.decision if whole else None
                    row["attempts"] = whole.attempts if whole and whole.attempts else row["attempts"]
            _print(row, options)
    except LogError as error:
        print(f"pointsman log: the log cannot be read: {error}", file=sys.stderr)
        return 1
    if "id" in filters and not found:
        print(f"pointsman log: there is no request {filters['id']!r} in the log", file=sys.stderr)
        return 1
    return 0


def _print(row: dict[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print_json(row)
        return
    if "decision" in row:
        print_json(row, pretty=True)
        return
    when = time.strftime("%m-%d %H:%M:%S", time.localtime(row["received"]))
    who = row["rule"] if row["stage"] == "l0" else row["target"] or row["model"]
    times = (
        f"{row['total_ms'] or 0:.0f} ms" if (row["total_ms"] or 0) >= 1 else f"{(row['total_ms'] or 0) * 1000:.0f} µs"
    )
    tokens = f"{row['input_tokens'] or 0}→{row['output_tokens'] or 0}"
    print_line(
        f"{when}  {row['stage'] or '-':<5} {row['outcome']:<9} {times:>9} {tokens:>11}  {who or '-'}  {row['id']}"
    )
    if row["error"]:
        print_line(f"    {row['status']} {row['error']}")
    if options.text:
        print_line(f"    {' '.join((row['question'] or '(not kept)')[:200].split())}")
