"""A child process that never outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, *, death_signal: bool = True) -> None:
    """Ends this process at once when process `parent`, its parent, is gone: by PR_SET_PDEATHSIG (Linux), and by a
    thread that waits for stdin to end, so the parent has to keep its end of that pipe open. Call it when stdin holds
    nothing more to read. `death_signal` False is for tests of the second net."""
    if death_signal and sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.name == "posix" and os.getppid() != parent:
        os._exit(0)
    threading.Thread(target=_wait_for_end_of_stdin, name="parent-watch", daemon=True).start()


def _wait_for_end_of_stdin() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os._exit(0)
