"""Gateways for tests: one inside the test's own loop, one as the process that a user starts."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import yaml

from pointsman.app.build import build
from pointsman.app.gateway import App
from pointsman.app.reading import Origin
from pointsman.http.server import Server


class Running:
    """A gateway that listens. `base` is its URL without a path."""

    def __init__(self, app: App, base: str, config: Path) -> None:
        self.app = app
        self.base = base
        self.config = config


@contextlib.asynccontextmanager
async def running(config: dict[str, Any], folder: Path, *, settle: float = 20.0) -> AsyncIterator[Running]:
    """A whole gateway in this loop, from a config as a user writes it; listens on a free port of 127.0.0.1."""
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
    flags = {
        "server.watch": "watch" in config.get("server", {}),
        "server.port": 0,
        "server.data_dir": str(folder / "data"),
    }

    origin = Origin(str(path), flags)
    app = App(await asyncio.to_thread(lambda: build(origin.load())), origin)
    await app.start()
    server = Server(app.door)
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    await server.listen(listener)
    port = listener.getsockname()[1]
    try:
        await app.settled(settle)
        yield Running(app, f"http://127.0.0.1:{port}", path)
    finally:
        await server.close(1.0)
        await app.stop()


class Process:
    """`pointsman serve`, or another verb, as a process of its own. `lines` grows with what it prints; `base` is its URL once
    ready."""

    _asked_to_end = False

    def __init__(
        self,
        arguments: list[str],
        env: dict[str, str] | None = None,
        *,
        python: str = sys.executable,
        cwd: Path | None = None,
        verb: str = "serve",
    ) -> None:
        self.lines: list[str] = []
        self.base = ""
        self._popen = subprocess.Popen(
            [python, "-m", "pointsman", verb, *arguments],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def _read(self) -> None:
        assert self._popen.stdout
        for line in self._popen.stdout:
            self.lines.append(line)

    def wait_for(self, pattern: str, timeout: float = 60.0) -> re.Match[str]:
        """Waits until a line matches. Fails with all that was printed."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for line in self.lines:
                found = re.search(pattern, line)
                if found:
                    return found
            if self._popen.poll() is not None:
                self._reader.join()
                if not any(re.search(pattern, line) for line in self.lines):
                    break
            time.sleep(0.02)
        raise AssertionError(f"no line matches {pattern!r} in:\n{''.join(self.lines)}")

    def signal(self, number: int) -> None:
        self._asked_to_end |= number == signal.SIGTERM
        self._popen.send_signal(number)

    def ended(self, timeout: float = 60.0) -> int:
        """Its status, once it has ended by itself or by a signal that it was sent before: a second one would cut it off."""
        return self._popen.wait(timeout)

    def stop(self, timeout: float = 20.0) -> int:
        """Its exit status. One that was asked to end is not asked twice: a second signal cuts it short."""
        if self._popen.poll() is None and not self._asked_to_end:
            self._popen.send_signal(signal.SIGTERM)
        try:
            code = self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            code = self._popen.wait()
        self._reader.join()
        assert self._popen.stdout
        self._popen.stdout.close()
        return code


@contextlib.contextmanager
def process(arguments: list[str], env: dict[str, str] | None = None) -> Iterator[Process]:
    """A started process that is ready."""
    started = Process(arguments, env)
    try:
        started.base = started.wait_for(r"Pointsman \S+ (?:is ready|listens) on (http://\S+):").group(1)
        yield started
    finally:
        started.stop()
