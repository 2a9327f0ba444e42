"""A process that has imported what its tasks need, and has each done by a copy of itself: Linux alone.

It says STAYS when it is ready. It reads no task: the copy does, so that no task finds anything of another. When a copy has
ended, whatever it began is ended, too, and the answer that it wrote gets its end (STAYS). A copy that fails otherwise than
in words ends all."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import select
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pointsman.actions.child.work import STAYS
from pointsman.parent_death import PR_SET_PDEATHSIG

_SUBREAPER = 36  # prctl: orphans among its descendants become its own children
_ROUNDS = 100  # in which those that are killed leave new orphans


def alone() -> bool:
    """Whether it has no other thread, of whatever library: a copy would have none of them, and the locks that they hold."""
    return threading.active_count() == 1 and len(list(Path("/proc/self/task").iterdir())) == 1


def serve_copies(do: Callable[[], bytes], report_to: int, parent: int) -> NoReturn:
    """`do` reads a task from stdin and gives the answer, without an end. Ends at once when stdin ends, or `parent` is
    gone."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)
    prctl(_SUBREAPER, 1, 0, 0, 0)
    ended, wake = os.pipe()
    os.set_blocking(ended, False)
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    gc.collect()
    gc.freeze()  # what is shared with copies stays shared
    tasks = select.poll()
    tasks.register(0, select.POLLIN)
    watched = select.poll()
    watched.register(0, 0)  # its end alone: the task is for the copy to read
    watched.register(ended, select.POLLIN)
    own = os.getpid()
    os.write(report_to, STAYS)
    while True:
        if not tasks.poll()[0][1] & select.POLLIN:
            os._exit(0)
        copy = os.fork()
        if copy == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(ended)
            os.close(wake)
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() == own and (answer := do()):
                with os.fdopen(report_to, "wb", closefd=False) as report:
                    report.write(answer)
            os._exit(0)  # no waiting for threads of libraries
        status = _end_of(copy, watched, ended)
        _end_rest()
        if status != 0:
            _end_like(status)
        os.write(report_to, STAYS)


def _end_of(copy: int, watched: select.poll, ended: int) -> int:
    """How it ended; with it, all ends where stdin does."""
    while True:
        places = dict(watched.poll())
        with contextlib.suppress(BlockingIOError):
            os.read(ended, 4096)
        done, status = os.waitpid(copy, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        if 0 in places:
            os.kill(copy, signal.SIGKILL)
            os.waitpid(copy, 0)
            _end_rest()
            os._exit(0)


def _end_rest() -> None:
    """What the copy began, as far as it lives."""
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(_ROUNDS):
        try:
            left = children.read_text().split()
        except OSError:  # a kernel that does not tell
            return
        if not left:
            return
        for pid in map(int, left):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _end_like(status: int) -> NoReturn:
    """Ends as the copy did, so that whoever waits for this process learns it."""
    if status < 0:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
        signal.pause()
    os._exit(status)
