"""A child never outlives its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil
import pytest

from pointsman.fleet import child

PARENT = """
import asyncio, sys
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings

async def main():
    settings = ModelSettings(model="builtin:smollm2-135m", name="m", context=256, threads=1)
    process = ModelProcess(settings, death_signal=sys.argv[1] == "signal")
    await process.start()
    if sys.argv[2] == "up":
        assert await process.settled(60) == "up", process.problem
    while process.pid is None:
        await asyncio.sleep(0.001)
    print(process.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def gone(pid: int, within: float) -> bool:
    """Whether the process ends in time. A zombie has ended: who reaps an orphan is init's business."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("moment", ["up", "spawned"])
@pytest.mark.parametrize("net", ["signal", "stdin"])
def test_sigkill_of_the_parent_ends_the_child(net: str, moment: str) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, net, moment], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        if moment == "up":
            assert psutil.pid_exists(pid)
        parent.kill()
    assert gone(pid, 2.0)


ONLY_THE_SIGNAL = """
import subprocess, sys
command = "import os, sys, time; from pointsman.parent_death import die_with_parent; "
command += "die_with_parent(os.getppid()); print(os.getpid(), flush=True); time.sleep(600)"
subprocess.run([sys.executable, "-c", command])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="PR_SET_PDEATHSIG is Linux's")
def test_the_death_signal_alone_ends_the_child() -> None:
    """Its stdin stays open: this process holds the other end."""
    command = [sys.executable, "-c", ONLY_THE_SIGNAL]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        assert gone(pid, 2.0)


HOLDS_THE_GIL = """
import ctypes, os
from pointsman.parent_death import die_with_parent
die_with_parent(os.getppid(), death_signal=False)
os.write(1, b"x")
ctypes.PyDLL(None).sleep(30)  # PyDLL keeps the GIL, as xllamacpp does while it loads a model
"""


def test_the_end_of_stdin_reaches_a_child_that_holds_the_gil() -> None:
    command = [sys.executable, "-c", HOLDS_THE_GIL]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.read(1) == b"x"
        process.stdin.close()
        assert gone(process.pid, 2.0)


def test_a_child_whose_parent_went_first_ends() -> None:
    script = f"from pointsman.parent_death import die_with_parent\ndie_with_parent({os.getpid()} + 1)\nprint('on')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=20, check=True)
    assert done.stdout == b""


@pytest.mark.parametrize("given", [b"", b"{", b"x" * 100])
def test_without_a_line_of_settings_it_ends(given: bytes) -> None:
    command = [sys.executable, "-m", "pointsman.fleet.child"]
    done = subprocess.run(command, input=given, capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_threads_leave_a_core() -> None:
    assert 1 <= child.default_threads() <= max(1, (os.cpu_count() or 1) - 1)
