"""`pointsman replay`, run as its users run it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from pointsman.bench.processes import clean_environment
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_PATIENCE = 3600.0
_SINCE = "3650d"


def replayed(config: Path, data: Path, against: Path, *more: str) -> dict[str, Any]:
    """What `--json` prints. Raises PointsmanError."""
    command = [sys.executable, "-m", "pointsman", "replay", "-c", str(config), "--data-dir", str(data)]
    command += ["--against", str(against), "--since", _SINCE, "--json", *more]
    done = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, timeout=_PATIENCE, env=clean_environment()
    )
    if done.returncode != 0:
        why = done.stderr.strip() or done.stdout.strip()[-300:]
        raise PointsmanError(said("replay failed: {why}", "replay 失败：{why}", why=why))
    told: dict[str, Any] = msgspec.json.decode(done.stdout)
    return told
