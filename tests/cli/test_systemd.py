"""What systemd passes to a gateway and hears of it: listening sockets, readiness, reloads, signs of life, the end."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from handover.conftest import SERVES
from pointsman.cli.systemd import ServiceManager, activated, for_successor
from running import Process
from workers.conftest import RULES, write
from workers.lines import close_all, connected, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is there on Linux")


class Manager:
    """Listens as systemd does."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.address)
        self.heard: list[str] = []
        self._thread = threading.Thread(target=self._hear, daemon=True)
        self._thread.start()

    def _hear(self) -> None:
        while told := self._socket.recv(4096):
            self.heard += told.decode().splitlines()

    def hear(self) -> list[str]:
        """All that it was told until now, a line each."""
        return list(self.heard)

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
            last.sendto(b"", self.address)
        self._thread.join()
        self._socket.close()


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(tmp_path)
    yield made
    made.close()


@contextlib.contextmanager
def passing(folder: Path, *arguments: str, env: dict[str, str], sockets: int = 1) -> Iterator[tuple[Process, int]]:
    """A gateway that was given a listening socket, and the port of that."""
    write(folder, RULES)
    program = (
        "import os, sys; os.environ['LISTEN_PID'] = str(os.getpid()); "
        "os.execv(sys.executable, [sys.executable, '-m', 'pointsman', *sys.argv[1:]])"
    )
    command = ["serve", "-c", str(folder / "pointsman.yaml"), "--data-dir", str(folder / "data"), *arguments]
    with contextlib.ExitStack() as stack:
        passed = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(sockets)]
        port = passed[0].getsockname()[1]
        spare = [os.dup(each.fileno()) for each in passed]

        def place() -> None:
            for number, each in enumerate(spare):
                os.dup2(each, 3 + number)

        started = Process.__new__(Process)
        started.lines, started.base = [], ""
        started._popen = subprocess.Popen(
            [sys.executable, "-c", program, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "LISTEN_FDS": str(sockets), **env},
            preexec_fn=place,
            close_fds=False,
        )
        for each in spare:
            os.close(each)
        started._reader = threading.Thread(target=started._read, daemon=True)
        started._reader.start()
        try:
            yield started, port
        finally:
            close_all()
            started.stop()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_it_serves_the_socket_that_was_passed_and_tells_how_it_is_going(
    tmp_path: Path, manager: Manager, workers: str
) -> None:
    env = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "100000"}
    with passing(tmp_path, "--workers", workers, env=env) as (gateway, port):
        gateway.base = gateway.wait_for(SERVES).group(1)
        assert gateway.base == f"http://127.0.0.1:{port}"
        assert any("the service manager passed a socket" in line for line in gateway.lines)
        line = connected(gateway)
        line.request("GET", "/health")
        assert line.getresponse().read() == b'{"status":"ok"}'
        assert manager.hear()[0] == "READY=1"
        until(lambda: manager.hear().count("WATCHDOG=1") >= 3)
        assert "RELOADING=1" not in manager.heard
        gateway.signal(signal.SIGHUP)
        until(lambda: manager.hear().count("READY=1") == 2)
        at = manager.heard.index("RELOADING=1")
        assert manager.heard[at + 1].startswith("MONOTONIC_USEC=") and "READY=1" in manager.heard[at + 2 :]
        close_all()
        assert gateway.stop() == 0
    until(lambda: "STOPPING=1" in manager.hear())
    told = [line for line in manager.hear() if line != "WATCHDOG=1"]
    assert told[-2:] == ["STOPPING=1", "EXTEND_TIMEOUT_USEC=10000000"]


def test_a_successor_becomes_the_main_process(tmp_path: Path, manager: Manager) -> None:
    env = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "100000"}
    with passing(tmp_path, env=env) as (gateway, _):
        gateway.base = gateway.wait_for(SERVES).group(1)
        gateway.signal(signal.SIGUSR2)
        pid = int(gateway.wait_for(r"process (\d+) has taken this one's place").group(1))
        try:
            until(lambda: f"MAINPID={pid}" in manager.hear())
            until(lambda: manager.hear()[manager.heard.index(f"MAINPID={pid}") :].count("WATCHDOG=1") >= 2)
            assert "STOPPING=1" not in manager.heard, "the service goes on"
            line = connected(gateway)
            line.request("GET", "/health")
            assert line.getresponse().status == 200
            close_all()
        finally:
            os.kill(pid, signal.SIGTERM)
        until(lambda: "STOPPING=1" in manager.hear())


def test_two_sockets_are_one_too_many(tmp_path: Path) -> None:
    with passing(tmp_path, env={}, sockets=2) as (gateway, _):
        gateway.wait_for(r"server: 2 sockets were passed \(LISTEN_FDS\); one ListenStream= with a TCP port is needed")
        until(lambda: gateway._popen.poll() is not None)
        assert gateway.stop() == 1


@pytest.mark.skipif(shutil.which("systemd-socket-activate") is None, reason="systemd-socket-activate is not installed")
def test_systemd_s_own_activation_works(tmp_path: Path) -> None:
    write(tmp_path, RULES)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gateway = Process.__new__(Process)
    config = ["-c", str(tmp_path / "pointsman.yaml"), "--data-dir", str(tmp_path / "data")]
    done = subprocess.Popen(
        ["systemd-socket-activate", "-l", f"127.0.0.1:{port}", sys.executable, "-m", "pointsman", "serve", *config],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
    )
    try:
        gateway.base = f"http://127.0.0.1:{port}"

        def answered() -> bool:
            try:
                line = connected(gateway)
            except ConnectionError:
                return False
            line.request("GET", "/health")
            return line.getresponse().read() == b'{"status":"ok"}'

        until(answered)
    finally:
        close_all()
        done.terminate()
        done.wait()


# Without processes


def test_what_was_passed_to_somebody_else_is_not_taken_and_forgotten() -> None:
    environ = {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid() + 1), "LISTEN_FDNAMES": "http", "PATH": "/bin"}
    assert activated(environ) is None
    assert environ == {"PATH": "/bin"}
    for count in ("", "0", "one"):
        assert activated({"LISTEN_FDS": count, "LISTEN_PID": str(os.getpid())}) is None


def test_a_successor_is_watched_as_this_one() -> None:
    environ = {"WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "LISTEN_FDS": "1", "NOTIFY_SOCKET": "/x"}
    assert for_successor(environ) == {"WATCHDOG_USEC": "1", "NOTIFY_SOCKET": "/x"}


async def test_nothing_happens_where_nobody_listens(tmp_path: Path) -> None:
    for environ in (
        {},
        {"NOTIFY_SOCKET": str(tmp_path / "none"), "WATCHDOG_USEC": "1000000"},
        {"NOTIFY_SOCKET": "@no"},
    ):
        manager = ServiceManager(environ)
        manager.ready()
        manager.reloading()
        manager.stopping(1)
        manager.close()


async def test_one_that_never_was_ready_does_not_say_that_it_stops(manager: Manager) -> None:
    service = ServiceManager({"NOTIFY_SOCKET": manager.address})
    service.stopping(1)
    service.ready()
    until(manager.hear)
    assert manager.hear() == ["READY=1"]


async def test_signs_of_life_are_for_whom_they_are_asked_of(manager: Manager) -> None:
    service = ServiceManager({"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"})
    service.ready()
    assert service._watching is None
    service.close()
