"""The models of a running gateway, asked by verbs: `/admin/models`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any, get_args
from urllib.parse import quote

from pointsman.cli.base_here import base_here
from pointsman.cli.gateway_client import KEY, Client, NoAddress, Refused, Unreachable
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.table import table
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.residence import STAGES, Stage
from pointsman.domain.said import Said, Tongue, told
from pointsman.memory.sizes import shown

PATIENCE = 900.0
"""Seconds that a load or an unload may take."""
_STAGES: tuple[Stage, ...] = get_args(Stage)


def declare_gateway(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", default=base_here(), help="where the gateway is (default: as pointsman.yaml says)")
    parser.add_argument("--key", help=f"a key with admin: true, where one is needed; default: {KEY}")
    parser.add_argument("--json", action="store_true", help="print what the gateway answers")
    declare_tongue(parser)


def show_all(options: argparse.Namespace) -> int:
    """The exit status."""
    try:
        answer = Client(options.url, options.key, options.tongue).json("GET", "/admin/models")
    except (Unreachable, Refused) as error:
        return _failed("models ls", error, options.tongue)
    models: list[dict[str, Any]] = answer["models"]
    if options.json:
        print_json(answer)
    else:
        show(models, options.tongue)
    return 0


def manage(options: argparse.Namespace, verbs: Sequence[str]) -> int:
    """One after the other, until one is refused; the exit status."""
    client = Client(options.url, options.key, options.tongue)
    for verb in verbs:
        path = f"/admin/models/{quote(options.model, safe='')}/{verb}"
        try:
            answer = client.json("POST", path, b"", seconds=PATIENCE)
        except (Unreachable, Refused) as error:
            return _failed(f"models {options.sub_verb}", error, options.tongue)
    if options.json:
        print_json(answer)
    else:
        show([answer], options.tongue)
    return 0


def show(models: Sequence[dict[str, Any]], tongue: Tongue) -> None:
    """A line for each, and under the table what is wrong with them, or planned."""
    now = time.time()
    rows = [_row(model, now, tongue) for model in models]
    for line in table([told(head, tongue) for head in _HEADS], rows, {2, 3, 4, 5, 6}):
        print_line(line)
    for model in models:
        for text in (model.get("problem"), model.get("restart")):
            if text:
                print_line(f"{model['target']}: {text}")


def _row(model: dict[str, Any], now: float, tongue: Tongue) -> list[str]:
    stage = model["stage"]
    name = told(STAGES[stage], tongue) if stage in _STAGES else stage
    if model.get("pinned"):
        name += told(_PINNED, tongue)
    memory, took = model.get("memory"), model.get("load_seconds")
    return [
        model["target"],
        name,
        _span(now - model["since"]) if model.get("since") else "-",
        "-" if memory is None else shown(memory),
        "-" if took is None else f"{took:.2g} s",
        str(model.get("loads", "-")),
        str(model.get("evictions", "-")),
    ]


def _span(seconds: float) -> str:
    whole = max(int(seconds), 0)
    for size, letter in ((86_400, "d"), (3600, "h"), (60, "m")):
        if whole >= size:
            return f"{whole // size} {letter}"
    return f"{whole} s"


def _failed(verb: str, error: Unreachable | Refused, tongue: Tongue) -> int:
    print_error(verb, error.args[0], tongue)
    return 2 if isinstance(error, NoAddress) else 1


_PINNED = Said(", pinned", "，已固定")
_HEADS = (
    Said("target", "目标"),
    Said("state", "状态"),
    Said("since", "持续"),
    Said("memory", "内存"),
    Said("loads in", "加载耗时"),
    Said("loads", "加载次数"),
    Said("evicted", "让出次数"),
)
