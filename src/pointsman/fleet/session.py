"""What a child has started: the processes of its session, and those that were its descendants when somebody looked."""

from __future__ import annotations

import contextlib
import os
import signal

import psutil

Family = tuple[psutil.Process, ...]


def family(pid: int) -> Family:
    """The process's descendants now, so that those that leave its session are known later. Some ms."""
    try:
        return tuple(psutil.Process(pid).children(recursive=True))
    except psutil.Error:
        return ()


def remaining(leader: int, known: Family) -> list[int]:
    """Those of its session (there are none on systems without) and of the family that still run; zombies do not. Some ms."""
    pids = psutil.pids() if os.name == "posix" else []
    session = {pid for pid in pids if _session(pid) == leader and _runs(pid)}
    return sorted(session | {each.pid for each in known if each.is_running() and _runs(each.pid)})


def end_all(pids: list[int]) -> None:
    for pid in pids:
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
