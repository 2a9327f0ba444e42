"""Write requests of the log into a file for other programs: Parquet, CSV, or JSON lines."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

from pointsman.cli.log_choice import declare_filters, declare_place, filters_of, moment_of, place_of
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.domain.said import said, told
from pointsman.store.log_export import Chosen, Form, export, write_csv, write_jsonl
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.log_schema import explained

_VERB = "log export"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="what to write; - for standard output (csv, jsonl)")
    parser.add_argument("--format", choices=get_args(Form), help="default: by the file's ending, else jsonl")
    parser.add_argument("--since", metavar="WHEN", help="only what came since: 7d ago, or 2026-11-30")
    parser.add_argument("--until", metavar="WHEN", help="only what came before")
    parser.add_argument("--text", action="store_true", help="with the prompts (needs the key in the data folder)")
    parser.add_argument("--json", action="store_true", help="say what was written as a JSON object")
    declare_filters(parser)
    declare_place(parser)


def run(options: argparse.Namespace) -> int:
    form = options.format or _by_ending(options.file)
    chosen = Chosen(
        filters_of(options), moment_of("--since", options.since), moment_of("--until", options.until), options.text
    )
    if options.file == "-" and form == "parquet":
        message = said("Parquet needs a file to go to", "Parquet 必须写入文件")
        print_error(_VERB, message, options.tongue)
        return 2
    reader = LogReader(place_of(options))
    try:
        if options.file == "-":
            (write_csv if form == "csv" else write_jsonl)(reader, chosen, sys.stdout)
            return 0
        count = export(reader, chosen, form, Path(options.file))
    except LogError as error:
        message = said("the log cannot be read: {why}", "日志无法读取：{why}", why=explained(error))
        print_error(_VERB, message, options.tongue)
        return 1
    except ImportError:
        message = said(
            "Parquet is written by duckdb: pip install 'pointsman[report]'",
            "写 Parquet 需要 duckdb：pip install 'pointsman[report]'",
        )
        print_error(_VERB, message, options.tongue)
        return 1
    except OSError as error:
        message = said(
            "{file} cannot be written: {why}", "{file} 无法写入：{why}", file=options.file, why=explained(error)
        )
        print_error(_VERB, message, options.tongue)
        return 1
    finally:
        reader.close()
    if options.json:
        print_json({"file": options.file, "format": form, "requests": count})
        return 0
    message = said("{count:,} requests in {file}", "已把 {count:,} 个请求写入 {file}", count=count, file=options.file)
    print_line(told(message, options.tongue))
    return 0


def _by_ending(file: str) -> Form:
    ending = Path(file).suffix.lower()
    return "parquet" if ending == ".parquet" else "csv" if ending == ".csv" else "jsonl"
