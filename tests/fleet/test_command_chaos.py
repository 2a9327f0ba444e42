"""Gateways, keepers and engines killed at random moments: nothing of them is ever left."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time

import psutil
import pytest

from fleet.test_command import ENGINE, GATEWAY, LISTENS, runs

ROUNDS = 40


def alive(tag: str) -> list[int]:
    """Processes of this round: all of them carry the tag on their command line, but keepers, which their sessions show."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE and tag in process.cmdline():
                found.append(process.pid)
    return found


def gone(kids: list[psutil.Process], tag: str | None = None) -> None:
    over = time.monotonic() + 30
    while left := [*(alive(tag) if tag else []), *(kid.pid for kid in kids if runs(kid.pid))]:
        assert time.monotonic() < over, left
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_nothing_is_left(loop: str) -> None:
    chance = random.Random(7)
    script = GATEWAY if loop == "asyncio" else GATEWAY.replace("asyncio.run", "__import__('uvloop').run")
    for number in range(ROUNDS):
        tag = f"chaos-{os.getpid()}-{loop}-{number}"
        more = chance.choice([[], ["--child", "session"], ["--child", "group"], ["--deaf"]])
        words = [sys.executable, "-c", script, *ENGINE, *LISTENS, "--say", tag, *more]
        victim = chance.choice([None, 0, 1])
        gateway = subprocess.Popen(words, stdout=subprocess.PIPE)
        assert gateway.stdout
        if victim == 0:
            gateway.stdout.readline()  # it is up
        time.sleep(chance.random())
        kids = psutil.Process(gateway.pid).children(recursive=True)
        if victim is not None and victim < len(kids):
            with contextlib.suppress(psutil.Error):
                kids[victim].kill()
        if victim == 0:  # with its keeper dead, the gateway itself has to find what is left
            gone(kids)
        gateway.send_signal(chance.choice([signal.SIGTERM, signal.SIGKILL]))
        gateway.wait()
        gateway.stdout.close()
        gone(kids, tag)
