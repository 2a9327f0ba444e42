"""Have a running gateway read its config, rules and packs again."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from pointsman.cli.base_here import base_here
from pointsman.cli.gateway_client import KEY, NoAddress, Unreachable, post, refusal
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.said import said, told


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", default=base_here(), help="where the gateway is (default: as pointsman.yaml says)")
    parser.add_argument("--key", help=f"a key with admin: true, where one is needed; default: {KEY}")
    parser.add_argument("--json", action="store_true", help="print what the gateway answers")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    try:
        key = options.key or os.environ.get(KEY)
        status, body = post(f"{options.url.rstrip('/')}/admin/reload", key, options.tongue, seconds=600.0)
    except Unreachable as error:
        print_error("reload", error.args[0], options.tongue)
        return 2 if isinstance(error, NoAddress) else 1
    try:
        answer: Any = json.loads(body)
    except ValueError:
        answer = None
    if options.json and isinstance(answer, dict):
        print_json(answer)
        return 0 if status == 200 else 1
    if status != 200 or not isinstance(answer, dict) or "policy" not in answer:
        print_error("reload", refusal(status, answer), options.tongue)
        return 1
    for note in answer.get("notes", ()):
        print_line(told(said("note: {note}", "注意：{note}", note=note), options.tongue))
    done = said(
        "reloaded: policy {before} → {policy}",
        "已重新加载：策略 {before} → {policy}",
        before=answer.get("before"),
        policy=answer["policy"],
    )
    print_line(told(done, options.tongue))
    return 0
