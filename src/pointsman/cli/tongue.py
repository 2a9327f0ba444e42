"""The language in which the command line speaks to people."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from pointsman.domain.said import Tongue

Texts = dict[str, dict[Tongue, str]]


def declare_tongue(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--language", choices=("zh", "en"), help="of what is said; default: as configured, or by the locale"
    )


def tongue_of(options: argparse.Namespace | None = None, configured: Tongue | None = None) -> Tongue:
    """The language of --language, else of POINTSMAN_SERVER_LANGUAGE, else the `configured` one, else Chinese where the
    locale is zh_*, else English."""
    for name in (getattr(options, "language", None), os.environ.get("POINTSMAN_SERVER_LANGUAGE"), configured):
        if name in ("zh", "en"):
            return "zh" if name == "zh" else "en"
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def lenient_output() -> None:
    """Letters that the terminal does not know become question marks, instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")
