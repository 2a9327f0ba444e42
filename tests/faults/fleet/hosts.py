"""Machines for tests: network namespaces, each with a cable of its own to this machine. Linux, and as root."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

_ENGINE = Path(__file__).with_name("node_engine.py")
_NUMBERS = itertools.count()
PORT = 8000
_START = 30.0  # seconds


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def possible() -> str:
    """Why there can be no such machines here; empty: there can."""
    if shutil.which("ip") is None:
        return "`ip` is not installed"
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_machine())
    except OSError as error:
        return str(error)
    return ""


@contextlib.contextmanager
def _machine() -> Iterator[tuple[str, str, str]]:
    """A namespace; its name, its address, and this machine's on the cable between them. Addresses are of 198.18.0.0/15,
    which is for tests of networks (RFC 2544)."""
    number = next(_NUMBERS)
    name = f"pm{os.getpid():x}n{number:x}"
    net = f"198.{18 + (os.getpid() >> 8 & 1)}.{os.getpid() & 255}."
    here, there = net + str(4 * number + 1), net + str(4 * number + 2)
    _ip("netns", "add", name)
    try:
        _ip("link", "add", f"{name}h", "type", "veth", "peer", "name", "eth0", "netns", name)
        _ip("addr", "add", f"{here}/30", "dev", f"{name}h")
        _ip("link", "set", f"{name}h", "up")
        _ip("-n", name, "addr", "add", f"{there}/30", "dev", "eth0")
        _ip("-n", name, "link", "set", "eth0", "up")
        _ip("-n", name, "link", "set", "lo", "up")
        yield name, there, here
    finally:
        with contextlib.suppress(OSError):
            _ip("link", "del", f"{name}h")
        _ip("netns", "del", name)


class Host:
    """A machine with an engine on it. `asked` are the questions that the engine got so far."""

    def __init__(self, name: str, address: str, here: str, notes: Path) -> None:
        self.name = name
        self.address = address
        self.here = here
        self.url = f"http://{address}:{PORT}/v1"
        self.node = f"{address}:{PORT}"
        self._notes = notes
        self._engine: subprocess.Popen[bytes] | None = None
        notes.touch()

    @property
    def asked(self) -> list[str]:
        return self._notes.read_text().splitlines()

    def start(self) -> None:
        """Returns once its engine listens."""
        command = ["ip", "netns", "exec", self.name, sys.executable, "-I", "-S", str(_ENGINE)]
        self._engine = subprocess.Popen([*command, "0.0.0.0", str(PORT), str(self._notes)])
        deadline = time.monotonic() + _START
        while True:
            try:
                socket.create_connection((self.address, PORT), 1.0).close()
                return
            except OSError:
                assert time.monotonic() < deadline and self._engine.poll() is None
                time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL, as when memory runs out: its connections end at once, and new ones are refused."""
        if self._engine is not None:
            self._engine.kill()
            self._engine.wait()
            self._engine = None

    def freeze(self) -> None:
        """Its kernel confirms all that comes, and nobody answers."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        assert self._engine is not None
        self._engine.send_signal(number)

    def break_it(self, how: str = "broken") -> None:
        """It is there and answers, each request with an error; `picky`: the gateway's own words aside."""
        self._notes.with_suffix(f".{how}").touch()

    def repair(self, how: str = "broken") -> None:
        self._notes.with_suffix(f".{how}").unlink()

    def cut_off(self) -> None:
        """Nothing that it sends arrives any more, nor a word that this is so: no connection is refused or reset."""
        _ip("-n", self.name, "route", "add", "blackhole", f"{self.here}/32")

    def join(self) -> None:
        _ip("-n", self.name, "route", "del", "blackhole", f"{self.here}/32")

    def slow_down(self, rate: str) -> None:
        """All that it sends goes at this rate, such as 8kbit."""
        words = ["qdisc", "replace", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "1600", "latency", "60s"]
        done = subprocess.run(["tc", "-n", self.name, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(done.stderr.strip())


@contextlib.contextmanager
def hosts(count: int, folder: Path) -> Iterator[list[Host]]:
    """So many, with an engine on each."""
    with contextlib.ExitStack() as stack:
        made = []
        for number in range(count):
            host = Host(*stack.enter_context(_machine()), folder / f"asked-{number}.txt")
            stack.callback(host.kill)
            host.start()
            made.append(host)
        yield made
