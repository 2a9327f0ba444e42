"""Where `rules mine` and `rules gaps` take questions from: the request log, or a file."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from pointsman.cli.output import print_error
from pointsman.cli.source import declare_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.said import said
from pointsman.offline.question import Questions, Unreadable
from pointsman.offline.read_file import questions_of_file
from pointsman.offline.read_log import questions_of_log
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import NAME, explained

_SPAN = re.compile(r"[0-9]+[smhd]")


class Refused(Exception):
    """It was said why; `code` is what the verb ends with."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def declare_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="a data folder, or a file: CSV, JSON lines, one question a line; default: the log of the config",
    )
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")
    parser.add_argument(
        "--since", metavar="SPAN", default="30d", help="of a log, only newer than 12h, 30d (default 30d)"
    )
    parser.add_argument("--column", metavar="NAME", help="of a CSV or JSON lines, where the questions are")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    declare_tongue(parser)


def read_source(options: argparse.Namespace, loaded: Loaded) -> tuple[Questions, float | None, float | None]:
    """Questions, and of a log the period that they are of. Raises Refused, and FileNotFoundError where there is no log."""
    verb = options.verb_name
    if not _SPAN.fullmatch(options.since):
        message = said(
            "--since {span!r} is no span of time (valid: 30m, 12h, 7d)",
            "--since {span!r} 不是时长（合法取值：30m、12h、7d）",
            span=options.since,
        )
        print_error(verb, message, options.tongue)
        raise Refused(2)
    path = Path(options.source) if options.source else data_dir(loaded.config)
    if path.name == NAME:
        path = path.parent
    if options.source and not path.exists():
        print_error(verb, said("there is no {path}", "没有 {path}", path=path), options.tongue)
        raise Refused(2)
    try:
        if path.is_file():
            return questions_of_file(path, options.column), None, None
        now = time.time()
        since = now - parse_span(options.since)
        return questions_of_log(path, since), since, now
    except Unreadable as error:
        print_error(verb, error.args[0], options.tongue)
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error(verb, message, options.tongue)
    raise Refused(1)
