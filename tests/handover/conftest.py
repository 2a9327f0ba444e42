"""Gateways that take each other's place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from running import Process
from workers.conftest import RULES, write
from workers.lines import close_all

SERVES = r"Pointsman \S+ (?:is ready|listens) on (http://\S+):"


class Place:
    """A data folder and a config, and the gateways that serve with them."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._stack = stack

    def configure(self, **sections: Any) -> None:
        write(self.folder, RULES, **sections)

    def start(self, *arguments: str, wait: bool = True) -> Process:
        """One more gateway."""
        config = ("-c", str(self.folder / "pointsman.yaml"), "--data-dir", str(self.data))
        port = () if "--port" in arguments else ("--port", "0")
        started = Process([*config, *port, *arguments])
        self._stack.callback(started.stop)
        if wait:
            started.base = started.wait_for(SERVES).group(1)
        return started


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as stack:
        stack.callback(close_all)
        yield Place(tmp_path, stack)
