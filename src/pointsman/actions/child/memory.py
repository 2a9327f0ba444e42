"""How much memory is free, for this process as the system confines it."""

from __future__ import annotations

from pathlib import Path

import psutil

_GROUP = Path("/sys/fs/cgroup")


def free_memory(group: Path = _GROUP) -> int:
    """Bytes: of the machine, or less where the control group (v2) of this container has less left."""
    free = int(psutil.virtual_memory().available)
    try:
        most = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
        return free if most == "max" else max(min(free, int(most) - used), 0)
    except (OSError, ValueError):
        return free
