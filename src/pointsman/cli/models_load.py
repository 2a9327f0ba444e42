"""Have a running gateway bring a model into memory; others make room for it as for a request."""

from __future__ import annotations

import argparse

from pointsman.cli.asked_models import declare_gateway, manage


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a target (model@backend), or a model that one backend serves")
    pinning = parser.add_mutually_exclusive_group()
    pinning.add_argument("--pin", action="store_true", help="and keep it there until the next reload, whatever comes")
    pinning.add_argument("--unpin", action="store_true", help="only let it go again when others need its memory")
    declare_gateway(parser)


def run(options: argparse.Namespace) -> int:
    if options.unpin:
        return manage(options, ["unpin"])
    return manage(options, ["load", "pin"] if options.pin else ["load"])
