"""The report of a week: misroutes, imbalance, rules, what nobody settles, and what each suggested change would have done.

Exit code 1: the log cannot be read, or the file not be written. 2: usage, or a config does not load."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import get_args
from zoneinfo import ZoneInfo

from pointsman.app.build import NOBODY, Before, build
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.load import Loaded, load
from pointsman.config.paths import data_dir, find_config
from pointsman.config.schema import parse_span
from pointsman.domain.said import said, told
from pointsman.offline.weekly.plain import plain
from pointsman.offline.weekly.report import page
from pointsman.offline.weekly.weekly import Wanted, weekly
from pointsman.offline.weekly.written import ENDINGS, Form, NotInstalled, as_bytes
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_VERB = "report weekly"
_SPAN = re.compile(r"[0-9]{1,9}[smhd]")


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument("--since", metavar="SPAN", default="7d", help="only newer than 24h, 7d, 30d (default 7d)")
    parser.add_argument("--format", choices=get_args(Form), help="default: by the file's ending, else md")
    parser.add_argument("-o", "--output", metavar="FILE", help="what to write; default: standard output (md, html)")
    parser.add_argument("--against", metavar="FILE", help="another pointsman.yaml that is replayed over the week, too")
    parser.add_argument("--text", action="store_true", help="with what was asked (needs the key in the data folder)")
    parser.add_argument("--json", action="store_true", help="print the findings as one JSON object")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    loaded = load_config(options, {"server.data_dir": options.data_dir})
    form = options.format or _by_ending(options.output)
    if not _SPAN.fullmatch(options.since) or parse_span(options.since) <= 0:
        message = said(
            "--since {span!r} is no span of time (valid: 24h, 7d, 30d)",
            "--since {span!r} 不是时长（合法取值：24h、7d、30d）",
            span=options.since,
        )
        print_error(_VERB, message, options.tongue)
        return 2
    if form == "pdf" and not options.output:
        message = said("a PDF needs a file to go to: -o FILE", "PDF 必须写入文件：-o FILE")
        print_error(_VERB, message, options.tongue)
        return 2
    zone = ZoneInfo(loaded.draft.server.timezone or "UTC")
    try:
        found = weekly(data_dir(loaded.draft), _wanted(options, loaded, zone))
        if options.json:
            print_json(plain(found, text=options.text))
            return 0
        made = as_bytes(page(found, zone, text=options.text), form, options.tongue, found.now)
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error(_VERB, message, options.tongue)
        return 1
    except NotInstalled as error:
        print_error(_VERB, error.args[0], options.tongue)
        return 1
    return _write(options, made)


def _by_ending(file: str | None) -> Form:
    return ENDINGS.get(Path(file).suffix.lower(), "md") if file else "md"


def _wanted(options: argparse.Namespace, loaded: Loaded, zone: ZoneInfo) -> Wanted:
    """Raises Problems. What only somebody else could tell of reports and actions is taken from the newest policy of the
    log."""
    reader = LogReader(data_dir(loaded.draft))
    try:
        newest = next(reader.rows({}, None, 1), None)
        document = reader.policy(newest["policy"]) if newest is not None and newest["policy"] else None
    finally:
        reader.close()
    known = Before()
    if document is not None:
        specs = {name: rule.spec for name, rule in document.actions.items() if rule.spec is not None}
        known = Before(document.reports, specs)
    against: tuple[str, Policy] | None = None
    if options.against:
        other = load(find_config(options.against))
        against = options.against, build(other, known, may_ask=NOBODY).policy
    like = build(loaded, known, may_ask=NOBODY).policy
    return Wanted(time.time(), parse_span(options.since), zone, like, against)


def _write(options: argparse.Namespace, made: bytes) -> int:
    if not options.output or options.output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(made)
        sys.stdout.flush()
        return 0
    try:
        Path(options.output).write_bytes(made)
    except OSError as error:
        message = said(
            "{file} cannot be written: {why}", "{file} 无法写入：{why}", file=options.output, why=explained(error)
        )
        print_error(_VERB, message, options.tongue)
        return 1
    message = said("the report is in {file}", "报告已写入 {file}", file=options.output)
    print_line(told(message, options.tongue))
    return 0
