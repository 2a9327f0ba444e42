"""Where the gateway keeps its files."""

from __future__ import annotations

import os
from pathlib import Path

from pointsman.config.schema import Config


def data_dir(config: Config) -> Path:
    """The data folder: as configured, else under the user's data home. It is made on first use, for its owner only."""
    if config.server.data_dir:
        return Path(config.server.data_dir).expanduser()
    home = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(home).expanduser() / "pointsman"


def find_config(given: str | None) -> Path | None:
    """The file of -c, else of POINTSMAN_CONFIG, else ./pointsman.yaml where it exists, else none."""
    name = given or os.environ.get("POINTSMAN_CONFIG")
    if name:
        return Path(name)
    here = Path("pointsman.yaml")
    return here if here.exists() else None
