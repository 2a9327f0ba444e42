"""All processes of one session: what a child that led it has started, unless it made a session of its own."""

from __future__ import annotations

import contextlib
import os
import signal

import psutil


def members(leader: int) -> list[int]:
    """Those that still run, the leader too; zombies do not count. Some ms; none on systems without sessions."""
    if os.name != "posix":
        return []
    return [pid for pid in psutil.pids() if _session(pid) == leader and _runs(pid)]


def end_session(leader: int) -> None:
    """Kills all that still run."""
    for pid in members(leader):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
