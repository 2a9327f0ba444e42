"""Which machine a run was made on."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path
from typing import Any

import psutil

from pointsman import __version__


def machine() -> dict[str, Any]:
    """Processor, cores that this process may use, memory in GiB, kernel, versions, and the load when the run began."""
    return {
        "cpu": _cpu(),
        "cores": len(usable_cores()),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "pointsman": __version__,
        "load_average": [round(value, 2) for value in os.getloadavg()],
    }


def usable_cores() -> list[int]:
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def split_cores() -> tuple[list[int], list[int]]:
    """The core of the subject, and those of load and upstream. Both empty where there is one core only, or processes
    cannot be bound to one."""
    cores = usable_cores()
    return ([cores[-1]], cores[:-1]) if len(cores) > 1 and hasattr(os, "sched_setaffinity") else ([], [])


def _cpu() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or "unknown"
