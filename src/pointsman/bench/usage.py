"""What a process and everything that it started have used, from /proc."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil

_TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01


def tree(pid: int) -> list[int]:
    """That process and its descendants that live."""
    try:
        root = psutil.Process(pid)
        return [pid, *(child.pid for child in root.children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(pid: int) -> float:
    """User and system time of the whole tree, in steps of a clock tick (10 ms). A child that ended is in it once its
    parent has waited for it: the kernel then adds its time to its parent's."""
    return sum(_ticks(each) for each in tree(pid)) * _TICK


def resident_bytes(pid: int) -> int:
    """Resident memory, summed over the tree; pages that processes share count in each."""
    total = 0
    for each in tree(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += psutil.Process(each).memory_info().rss
    return total


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15])  # utime, stime, cutime, cstime
