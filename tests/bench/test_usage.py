"""CPU time and memory are those of the whole process tree."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from pointsman.bench.usage import cpu_seconds, resident_bytes, tree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

BURN = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {BURN!r} + sys.argv[1]], stdin=subprocess.PIPE)
if sys.argv[2] == "wait":
    child.wait()
print("done", flush=True)
sys.stdin.read()
child.stdin.close()
child.wait()
"""


def parent(then: str, what: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PARENT, then, what]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> None:
    assert process.stdin and process.stdout
    process.stdin.close()
    process.wait(20)
    process.stdout.close()


def test_a_child_that_lives_counts() -> None:
    process = parent("\nimport sys\nsys.stdin.read()\n", "leave")
    try:
        deadline = time.monotonic() + 30
        while cpu_seconds(process.pid) < 0.4 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert cpu_seconds(process.pid) >= 0.4
        assert len(tree(process.pid)) == 2
        assert resident_bytes(process.pid) > resident_bytes(tree(process.pid)[1]) > 0
    finally:
        end(process)


def test_a_child_that_ended_counts() -> None:
    process = parent("", "wait")
    try:
        assert process.stdout and process.stdout.readline() == "done\n"
        assert tree(process.pid) == [process.pid]
        assert 0.4 <= cpu_seconds(process.pid) < 30
    finally:
        end(process)


def test_a_process_that_is_gone_used_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(20)
    assert (tree(process.pid), cpu_seconds(process.pid), resident_bytes(process.pid)) == ([], 0.0, 0)


def test_this_process() -> None:
    assert resident_bytes(os.getpid()) > 1 << 20
