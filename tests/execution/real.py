"""The real engine behind the shared gateway: where it listens, and what its log says."""

from __future__ import annotations

import re
import time
from pathlib import Path

import psutil

from running import Process


class EngineLog:
    """The embedded engine's log from now on."""

    def __init__(self, gateway: Process) -> None:
        arguments = psutil.Process(gateway.pid).cmdline()
        folder = Path(arguments[arguments.index("--data-dir") + 1])
        [self.path] = (folder / "engines").glob("*.log")
        self._seen = self.path.stat().st_size

    @property
    def address(self) -> str:
        return re.findall(r"listening on (http://\S+)", self.path.read_text(errors="replace"))[-1]

    def text(self) -> str:
        with self.path.open("rb") as file:
            file.seek(self._seen)
            return file.read().decode(errors="replace")

    def wait_for(self, pattern: str, timeout: float) -> tuple[str, float]:
        """The first match (its group, where it has one), and when it was there (time.monotonic)."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if found := re.search(pattern, self.text()):
                return found[found.re.groups], time.monotonic()
            time.sleep(0.004)
        raise AssertionError(f"no {pattern!r} within {timeout} s in:\n{self.text()}")
