"""`python -I -S launch.py PARENT PROGRAM ARGUMENT…`: becomes that program, which dies with process PARENT (Linux). It leaves
no core, and yields to the gateway (nice). The standard library alone."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from typing import NoReturn

NICE = 5
NOT_STARTED = 127
_SIGNAL_AT_DEATH = 1  # prctl


def main() -> NoReturn:
    parent, *command = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SIGNAL_AT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(parent):
        os._exit(NOT_STARTED)
    import resource

    with contextlib.suppress(OSError, ValueError):
        os.nice(NICE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(NOT_STARTED)


if __name__ == "__main__":
    main()
