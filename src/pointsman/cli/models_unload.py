"""Have a running gateway take a model out of memory; the next request for it loads it again."""

from __future__ import annotations

import argparse

from pointsman.cli.asked_models import declare_gateway, manage


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a target (model@backend), or a model that one backend serves")
    declare_gateway(parser)


def run(options: argparse.Namespace) -> int:
    return manage(options, ["unload"])
