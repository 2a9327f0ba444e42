"""What files of deploy/ say, held against what there is."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pointsman.app.build import NOBODY, Built, build
from pointsman.cli import VERBS
from pointsman.cli.parser import Parser
from pointsman.config.load import load

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
HASH = "sha256:" + "0" * 64


def needed(module: str) -> Any:
    """A module of the development tools; where it cannot be had, the test is skipped, but not in CI."""
    if os.environ.get("CI"):
        return import_module(module)
    return pytest.importorskip(module)


def program(name: str) -> Path:
    """A program of the development tools; as `needed`."""
    found = Path(sys.executable).with_name(name)
    if not found.exists():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{name} is not installed")
    return found


def options_of(words: Sequence[str]) -> Any:
    """What the command line makes of those words behind `pointsman`. Fails for a verb or a flag that there is none of."""
    verb, *rest = words
    assert verb in VERBS, verb
    parser = Parser(prog=verb)
    import_module(f"pointsman.cli.{verb}").declare(parser)
    return parser.parse_args(rest)


def built(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **environ: str) -> Built:
    """A config as the gateway would take it, with those variables. Raises Problems."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    path = folder / "pointsman.yaml"
    path.write_text(text, encoding="utf-8")
    return build(load(path, {"server.data_dir": str(folder / "data")}), may_ask=NOBODY)
