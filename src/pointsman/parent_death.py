"""A child process that never outlives its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, *, death_signal: bool = True) -> None:
    """Ends this process at once when process `parent`, its parent, is gone: by PR_SET_PDEATHSIG (Linux), and by the end
    of stdin, so the parent has to keep its end of that pipe open. Call it when stdin holds nothing more to read.

    The end of stdin is watched twice: by a thread, and on POSIX by SIGIO with libc's own `_exit` as handler, which also
    works while a library holds the interpreter's lock (loading a model takes seconds). `death_signal` False is for
    tests of that second net."""
    if death_signal and sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.name == "posix":
        if os.getppid() != parent:
            os._exit(0)
        import fcntl

        libc = ctypes.CDLL(None)
        libc.signal(signal.SIGIO, ctypes.cast(libc._exit, ctypes.c_void_p))
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=_wait_for_end_of_stdin, name="parent-watch", daemon=True).start()


def _wait_for_end_of_stdin() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os._exit(0)
