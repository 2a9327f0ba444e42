"""Show the whole way of a request or a job: its steps with times and reasons, the decision, the tries at targets."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any
from urllib.parse import quote

from pointsman.app.job_store import open_store
from pointsman.app.traces import Traces
from pointsman.cli.gateway_client import KEY, Client, NoAddress, Refused, Unreachable
from pointsman.cli.on_store import declare_store, sqlite_file, store_config, wrong_place
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.tongue import tongue_of
from pointsman.cli.trace_lines import plain, summary_lines, trace_lines
from pointsman.config.paths import data_dir
from pointsman.domain.said import Said, Tongue, said

Found = tuple[dict[str, Any], dict[str, Any]]
"""Summary and trace, as JSON."""


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="of a request (x-pointsman-request-id), a job or a batch")
    parser.add_argument("--json", action="store_true", help="print JSON: summary and trace")
    parser.add_argument("--url", help="ask the gateway there, in place of this machine's data folder")
    parser.add_argument("--key", help=f"a key of the gateway at --url; default: {KEY}")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    if wrong := wrong_place(options):
        print_error("trace", wrong, options.tongue)
        return 2
    try:
        found = _asked(options) if options.url else asyncio.run(_read(options))
    except (Unreachable, Refused) as error:
        print_error("trace", error.args[0], options.tongue)
        return 2 if isinstance(error, NoAddress) else 1
    if found is None:
        print_error("trace", said(*_NOT_THERE, id=options.id), options.tongue)
        return 1
    summary, trace = found
    if options.json:
        print_json({"summary": summary, "trace": trace})
        return 0
    tongue: Tongue = options.tongue
    for line in (*summary_lines(summary, tongue, [(_VERSION, trace["version"])]), *trace_lines(trace, tongue)):
        print_line(line)
    return 0


async def _read(options: argparse.Namespace) -> Found | None:
    """From the data folder and the job store. Raises PointsmanError, Problem, Problems."""
    config = store_config(options)
    file = sqlite_file(config)
    store = open_store(config) if file is None or file.exists() else None
    try:
        found = await Traces(data_dir(config), store, {}).find(options.id)
    finally:
        if store is not None:
            await store.close()
    return None if found is None else (plain(found.summary, options.tongue), plain(found.trace, options.tongue))


def _asked(options: argparse.Namespace) -> Found:
    """Of a gateway. Raises Unreachable, Refused."""
    options.tongue = tongue_of(options)
    client = Client(options.url, options.key, options.tongue)
    path = f"/v1/requests/{quote(options.id, safe='')}"
    return client.json("GET", path), client.json("GET", f"{path}/trace")


_VERSION = Said("version", "版本")
_NOT_THERE = (
    'there is no request or job "{id}" in the log nor among the jobs: the id is in the header x-pointsman-request-id of '
    "the reply; `pointsman log` and `pointsman jobs ls` list what there is; -c and --data-dir say where to look",
    "日志和任务里都没有“{id}”：请求的 id 在回复的 x-pointsman-request-id 响应头里；`pointsman log` 和 `pointsman jobs ls` "
    "会列出已有的；到哪里找可用 -c 和 --data-dir 指定",
)
