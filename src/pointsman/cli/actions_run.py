"""Have a running gateway do an action, as a job, and wait for what comes of it. Exit code 0: it was done.

A value that is JSON is taken as that."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from pointsman.cli.base_here import base_here
from pointsman.cli.batch_client import BatchClient
from pointsman.cli.gateway_client import KEY, Client, NoAddress, Refused, Unreachable
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import all_of
from pointsman.domain.said import Said, Tongue, said

_VERB = "actions run"
_LOOK = 0.2  # seconds


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="an action of the gateway's config")
    parser.add_argument(
        "-p",
        "--parameter",
        dest="parameters",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="one of its parameters; NAME=@FILE sends a file",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object: text, outcome, values, files")
    parser.add_argument("--url", default=base_here(), help="where the gateway is (default: as pointsman.yaml says)")
    parser.add_argument("--key", help=f"a key, where one is needed; default: {KEY}")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    tongue: Tongue = options.tongue
    client = Client(options.url, options.key, tongue)
    try:
        parameters = {}
        for given in options.parameters:
            name, equals, value = given.partition("=")
            if not equals or not name:
                print_error(_VERB, said(*_NO_PAIR, given=given), tongue)
                return 2
            if value.startswith("@") and not Path(value[1:]).is_file():
                print_error(_VERB, said(*_NO_FILE, path=value[1:]), tongue)
                return 2
            parameters[name] = _value(value, client)
        job = client.json("POST", "/v1/jobs", _body(options.name, parameters), _JSON)
        while job["state"] != "completed" and job["disposition"] != "dead":
            time.sleep(_LOOK)
            job = client.json("GET", f"/v1/jobs/{quote(job['id'], safe='')}")
    except (Unreachable, Refused, OSError) as error:
        print_error(_VERB, all_of(error) if isinstance(error, OSError) else error.args[0], tongue)
        return 2 if isinstance(error, NoAddress) else 1
    except KeyboardInterrupt:
        return 130
    return _told(job, options)


def _told(job: dict[str, Any], options: argparse.Namespace) -> int:
    result = job.get("result") or {}
    body = result.get("body") if isinstance(result, dict) else None
    if not isinstance(body, dict):
        error = job.get("error") or {}
        why = error.get("message") if isinstance(error, dict) else error
        print_error(_VERB, why or Said("it was given up", "任务已被放弃"), options.tongue)
        return 1
    if options.json:
        print_json(body)
    else:
        for line in str(body.get("text", "")).splitlines():
            print_line(line)
    return 0 if body.get("outcome") == "ok" else 1


def _value(text: str, client: Client) -> Any:
    if text.startswith("@"):
        return BatchClient(client).upload(Path(text[1:]), lambda sent: None, purpose="user_data")
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _body(name: str, parameters: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"action": name, "parameters": parameters})


_JSON = {"content-type": "application/json"}
_NO_PAIR = ("{given!r} is not NAME=VALUE", "{given!r} 不是 名称=值 的形式")
_NO_FILE = ("there is no file {path}", "没有文件 {path}")
