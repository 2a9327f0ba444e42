"""How to call this very program from where it was started, and how to call it again for the same jobs."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from pathlib import Path
from urllib.parse import urlsplit

_WHERE = (("config", "-c"), ("store", "--store"), ("data_dir", "--data-dir"))


def command() -> str:
    """`pointsman` where that is on the PATH, else the way to the program, or `python -m pointsman`."""
    if shutil.which("pointsman"):
        return "pointsman"
    program = Path(sys.argv[0])
    return os.path.relpath(program) if program.name == "pointsman" else f"{sys.executable} -m pointsman"


def again(options: argparse.Namespace, words: str) -> str:
    """The command with these words, and the flags that said where the jobs are. A password in a URL is not repeated."""
    flags = [
        f"{flag} {shlex.quote(_shown(str(getattr(options, name))))}" for name, flag in _WHERE if _given(options, name)
    ]
    return " ".join((command(), words, *flags))


def _given(options: argparse.Namespace, name: str) -> bool:
    return getattr(options, name, None) is not None


def _shown(value: str) -> str:
    if "://" not in value:
        return value
    credentials, at, _ = urlsplit(value).netloc.rpartition("@")
    name, colon, _ = credentials.partition(":")
    return value.replace(credentials + at, f"{name}:***@", 1) if colon else value
