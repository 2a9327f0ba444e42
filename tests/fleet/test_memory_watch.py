"""The largest look counts, and what happens when looking fails; whose port it is; how much there is."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from fleet.test_gpu import Answers
from pointsman.fleet.memory_watch import ProcessGone, resident, watching
from pointsman.fleet.port_owner import owner_of
from pointsman.fleet.room import largest_gpu, main_memory


def test_the_largest_look_counts() -> None:
    values = iter([5, 9, 7])
    seen: list[int] = []

    def read() -> int:
        seen.append(next(values, 6))
        return seen[-1]

    with watching(read, every=0.001) as watch:
        while len(seen) < 4:
            pass
    assert watch.peak == 9


def test_a_failure_while_looking_is_told_at_the_end() -> None:
    calls: list[int] = []

    def read() -> int:
        calls.append(1)
        if len(calls) > 1:
            raise ProcessGone(7)
        return 1

    with pytest.raises(ProcessGone), watching(read, every=0.001):
        while len(calls) < 2:
            pass


def test_resident_memory_of_a_process_and_its_end() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert child.stdout and child.stdout.readline()
        assert resident(child.pid) > 1 << 20
        assert resident(os.getpid()) > resident(child.pid)  # with its children
    finally:
        child.communicate(b"\n")
    with pytest.raises(ProcessGone):
        resident(child.pid)


def test_who_listens() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        assert owner_of("127.0.0.1", listener.getsockname()[1]) == os.getpid()


def test_how_much_there_is() -> None:
    assert main_memory() > 1 << 28
    card = largest_gpu(Answers(2))
    assert card is not None and card.total == Answers.TOTAL
    assert largest_gpu(Answers(0)) is None and largest_gpu(Answers(fails_at="nvmlInit")) is None
