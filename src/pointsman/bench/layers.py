"""Pointsman beside itself: with a part switched off by its config, and with more workers."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from typing import Any

from pointsman.bench.subjects import Subject, pointsman
from pointsman.domain.said import Said


def layers() -> list[Subject]:
    """As shipped, then without one part each, then without all of them that a setting switches off. The metrics are in
    all."""
    no_rules: dict[str, Any] = {"rules": {"packs": []}, "sources": None}
    no_prompts = {"log": {"prompts": "off"}}
    plain_prompts = {"log": {"prompts": "full"}}
    no_routes = {"routes": None}
    return [
        pointsman(),
        pointsman("prompts unsealed", plain_prompts),
        pointsman("prompts not kept", no_prompts),
        pointsman("no request log", program=("-m", "pointsman.bench.without_log")),
        pointsman("no routes", no_routes),
        pointsman("no rules", no_rules, l0=None),
        pointsman("none of these", {**no_rules, **no_prompts, **no_routes}, l0=None),
    ]


def workers(number: int = 2) -> list[Subject]:
    """One worker, and that many; the latter is skipped where `serve` does not take the flag."""
    missing = "" if _takes_workers() else Said("`serve` takes no --workers", "`serve` 没有 --workers 选项")
    return [
        pointsman(),
        pointsman(f"{number} workers", arguments=("--workers", str(number)), missing=missing),
    ]


@cache
def _takes_workers() -> bool:
    told = subprocess.run([sys.executable, "-m", "pointsman", "serve", "--help"], capture_output=True, text=True)
    return "--workers" in told.stdout
