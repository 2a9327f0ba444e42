"""Ask a running gateway what it would decide on a text: rules, arbiter, routing. Nothing is carried out; a model may be
asked."""

from __future__ import annotations

import argparse
from typing import Any

import msgspec

from pointsman.cli.base_here import base_here
from pointsman.cli.decision_lines import decision_lines
from pointsman.cli.gateway_client import KEY, Client, NoAddress, Refused, Unreachable
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.characters import whole_characters
from pointsman.domain.decision import Decision
from pointsman.domain.said import Tongue
from pointsman.domain.task_types import TASK_TYPES

_JSON = {"content-type": "application/json"}


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "texts", metavar="TEXT", nargs="+", help="what a user writes; several: user and assistant in turn"
    )
    parser.add_argument("--json", action="store_true", help="print the decision as JSON")
    parser.add_argument("--model", help="entry, tier, alias or model that the client names; default: the first entry")
    parser.add_argument("--task", choices=TASK_TYPES, help="declared task type", metavar="TYPE")
    parser.add_argument("--url", default=base_here(), help="where the gateway is (default: as pointsman.yaml says)")
    parser.add_argument("--key", help=f"a key, where one is needed; default: {KEY}")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    tongue: Tongue = options.tongue
    client = Client(options.url, options.key, tongue)
    roles = ("user", "assistant")
    messages = [{"role": roles[at % 2], "content": whole_characters(text)} for at, text in enumerate(options.texts)]
    body: dict[str, Any] = {"messages": messages}
    for name in ("model", "task"):
        if getattr(options, name):
            body[name] = whole_characters(getattr(options, name))
    try:
        answer = client.json("POST", "/v1/decide", msgspec.json.encode(body), _JSON)
    except (Unreachable, Refused) as error:
        print_error("decide", error.args[0], tongue)
        return 2 if isinstance(error, NoAddress) else 1
    except KeyboardInterrupt:
        return 130
    if options.json:
        print_json(answer)
        return 0
    for line in decision_lines(msgspec.convert(answer, Decision), tongue):
        print_line(line)
    return 0
