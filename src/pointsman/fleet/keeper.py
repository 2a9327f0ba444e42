"""`python keeper.py`: starts one command, in a process group of its own, and lets nothing of it outlive the gateway.

Reads one line of JSON (from command.py) from stdin, starts the command, prints one line of JSON (ChildReport)
on stdout, and stays until the command and all that it started have ended. Both outputs of the command go to stderr.

It ends them when stdin ends, on SIGTERM, when its parent dies (Linux), and when the command itself has ended and something
of it is left: SIGTERM to the group, after `grace` seconds SIGKILL to the group and to whatever has left it (on Linux all of
them fall to the keeper, as orphans do to a subreaper). SIGUSR1: SIGKILL at once. It exits as the command did, by the same
status or signal.

Only the standard library, and little of it: one of these stays for each engine."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
MAX_LINE = 1 << 20
MOST_FILES = 1024
DEAF = 5.0  # seconds that what was killed may take to be gone; a process inside a driver's call may never be
_LINUX = sys.platform == "linux"


def main() -> NoReturn:
    line = _first_line()
    if not line:
        os._exit(0)
    settings = json.loads(line)
    os.closerange(3, MOST_FILES)  # uvloop leaves its ends of the pipes open, and the command is to have none of them
    if _LINUX:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != settings["parent"]:
        os._exit(0)
    woken = _wake_on(signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    report = os.dup(1)
    try:
        child = _start(settings)
    except OSError as error:
        os.write(report, json.dumps({"error": f"{settings['command'][0]}: {error.strerror}"}).encode() + b"\n")
        sys.exit(1)
    os.write(report, json.dumps({"address": settings["address"]}).encode() + b"\n")
    os.close(report)
    _leave_as(_keep(child, woken, settings["grace"]))


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n") and len(line) <= MAX_LINE:
        part = os.read(0, 4096)
        if not part:
            return b""
        line += part
    return line


def _wake_on(*signals: signal.Signals) -> int:
    """The reading end of a pipe that gets a byte, the signal's number, for each."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in signals:
        signal.signal(number, lambda number, frame: None)
    return reading


def _start(settings: dict[str, Any]) -> int:
    """Raises OSError where it cannot be executed: the child tells it over a pipe that closes when it can."""
    failed, fails = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setpgid(0, 0)
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE):
                signal.signal(number, signal.SIG_DFL)
            if _LINUX:
                ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(2, 1)
            if settings["directory"]:
                os.chdir(settings["directory"])
            environment = {**os.environ, **settings["env"]}
            os.execvpe(settings["command"][0], settings["command"], environment)  # noqa: S606, no shell is the point
        except OSError as wrong:
            os.write(fails, str(wrong.errno).encode())
        finally:
            os._exit(127)
    os.close(fails)
    error = os.read(failed, 16)
    os.close(failed)
    if error:
        os.waitpid(child, 0)
        raise OSError(int(error), os.strerror(int(error)))
    return child


def _keep(child: int, woken: int, grace: float) -> int:
    """Until nothing is left; the status of the command, as `waitpid` gives it."""
    status: int | None = None  # of the command, once it has ended
    kill_at: float | None = None  # when what is left is killed; set once it has been asked to end
    over_at: float | None = None
    watched = [0, woken]
    while True:
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    status = ended[1]
        except ChildProcessError:
            return status if status is not None else 0
        now = time.monotonic()
        if status is not None and kill_at is None:
            _signal(child, signal.SIGTERM)
            kill_at = now + grace
        if kill_at is not None and now >= kill_at:
            _kill_all(child)
            over_at = over_at or now + DEAF
            if now >= over_at:
                return status if status is not None else signal.SIGKILL
        wait = None if kill_at is None else 0.05 if over_at else max(0.0, min(kill_at - now, 0.2))
        ready = select.select(watched, [], [], wait)[0]
        told = os.read(woken, 512) if woken in ready else b""
        if signal.SIGUSR1 in told:
            kill_at = time.monotonic()
        gone = 0 in ready and not os.read(0, 4096)
        if gone:
            watched = [woken]
        if (gone or signal.SIGTERM in told) and kill_at is None:
            _signal(child, signal.SIGTERM)
            kill_at = time.monotonic() + grace


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _kill_all(group: int) -> None:
    _signal(group, signal.SIGKILL)
    if not _LINUX:
        return
    mine = os.getpid()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):  # it ends meanwhile
            if int(stat.read_text().rpartition(")")[2].split()[1]) == mine:
                os.kill(int(stat.parent.name), signal.SIGKILL)


def _leave_as(status: int) -> NoReturn:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)


if __name__ == "__main__":
    main()
