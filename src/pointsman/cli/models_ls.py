"""Which models of a running gateway are in memory."""

from __future__ import annotations

import argparse

from pointsman.cli.asked_models import declare_gateway, show_all


def declare(parser: argparse.ArgumentParser) -> None:
    declare_gateway(parser)


def run(options: argparse.Namespace) -> int:
    return show_all(options)
