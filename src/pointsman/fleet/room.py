"""How much memory there is here: of the GPUs, by their driver, and of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil

from pointsman.fleet.gpu import GpuMemory, NoGpu, gpus


def largest_gpu(nvml: Any = None) -> GpuMemory | None:
    """The card with the most memory, None where none can be asked. A model runs on one card here."""
    try:
        with gpus(nvml) as found:
            return max(found.memory(), key=lambda card: card.total)
    except NoGpu:
        return None


def free_memory() -> int:
    """Bytes of main memory that can be had: of the machine, or of what a container's limit leaves."""
    free = int(psutil.virtual_memory().available)
    try:
        limit, used = (Path("/sys/fs/cgroup", name).read_text().strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return free
    return min(free, int(limit) - int(used)) if limit.isdecimal() and used.isdecimal() else free


def main_memory() -> int:
    """Bytes that this process and its children may have: the machine's, or a container's limit."""
    total = int(psutil.virtual_memory().total)
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
    except OSError:
        return total
    return min(total, int(limit)) if limit.isascii() and limit.isdecimal() else total
