"""Child processes of a bench: on their cores, with their output kept, gone when the bench is."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from pointsman.child_process import stopped
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.parent_death import PR_SET_PDEATHSIG

STOPPING = 15.0  # seconds until a child that was told to stop is killed


class Child:
    """A program that listens on `port` of 127.0.0.1. As a context it is stopped at the end, with all that it started."""

    def __init__(
        self,
        command: Sequence[str],
        port: int,
        output: Path,
        *,
        cores: Collection[int] = (),
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.port = port
        self.name = Path(command[0]).name
        self._output = output
        libc = ctypes.CDLL(None)

        def prepare() -> None:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if cores:
                os.sched_setaffinity(0, cores)

        with output.open("wb") as file:
            self._process = subprocess.Popen(  # noqa: S603
                command,
                cwd=output.parent,
                env=clean_environment() | dict(env or {}),
                stdin=subprocess.PIPE,
                stdout=file,
                stderr=subprocess.STDOUT,
                preexec_fn=prepare,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def wait_until_it_listens(self, seconds: float) -> None:
        """Raises PointsmanError with the last lines of its output where it does not, or ended."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            self.check_that_it_runs()
            time.sleep(0.02)
        raise self._failed(said("not listening after {seconds:g} s", "{seconds:g} 秒后仍未监听", seconds=seconds))

    def wait_until_it_answers(self, ask: Callable[[], object], seconds: float) -> None:
        """Until `ask` raises no OSError or PointsmanError. Raises PointsmanError with why it did at last."""
        self.wait_until_it_listens(seconds)
        deadline = time.monotonic() + seconds
        while True:
            try:
                ask()
                return
            except (OSError, PointsmanError) as error:
                self.check_that_it_runs()
                if time.monotonic() > deadline:
                    raise self._failed(error.message if isinstance(error, PointsmanError) else str(error)) from None
            time.sleep(0.1)

    def check_that_it_runs(self) -> None:
        """Raises PointsmanError."""
        code = self._process.poll()
        if code is not None:
            raise self._failed(said("ended with exit code {code}", "已退出，退出码 {code}", code=code))

    def stop(self) -> None:
        started = _descendants(self.pid)
        stopped(self._process, STOPPING)
        for process in started:
            _end(process)

    def _failed(self, why: str) -> PointsmanError:
        lines = self._output.read_text(encoding="utf-8", errors="replace").splitlines()[-8:]
        return PointsmanError(
            said("{name}: {why}\n{lines}", "{name}：{why}\n{lines}", name=self.name, why=why, lines="\n".join(lines))
        )


def clean_environment() -> dict[str, str]:
    """This process's, without what would configure a gateway or send loopback traffic through a proxy."""
    dropped = ("POINTSMAN_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    return {name: value for name, value in os.environ.items() if not name.upper().startswith(dropped)}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _end(left: psutil.Process) -> None:
    """A process that a child may have left behind."""
    try:
        left.wait(1.0)
    except psutil.TimeoutExpired:
        left.kill()
    except psutil.NoSuchProcess:
        pass
