"""A store of each kind for a test, alone in the world."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest

from pointsman.ports.ephemeral import Ephemeral
from pointsman.store.ephemeral.by_url import open_ephemeral
from pointsman.store.ephemeral.memory import MemoryEphemeral
from store.jobs.servers import shared_url, stop_shared

KINDS = ("memory", "sqlite", "redis", "cluster")
Opener = Callable[[], Awaitable[Ephemeral]]


@pytest.fixture(scope="session", autouse=True)
def servers() -> Iterator[None]:
    """Those that the first test starts that needs one end with the last."""
    yield
    stop_shared()


@pytest.fixture(params=[*KINDS[:-1], pytest.param(KINDS[-1], marks=pytest.mark.slow)])
async def opener(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Opener]:
    """Gives another instance that finds the same values; of memory there is one alone."""
    kind, opened = request.param, list[Ephemeral]()
    url = f"{shared_url(kind)}?prefix=t{token_hex(6)}" if kind in ("redis", "cluster") else "sqlite:///jobs.sqlite"

    async def another() -> Ephemeral:
        if kind == "memory":
            opened[:] = opened or [MemoryEphemeral()]
        else:
            opened.append(open_ephemeral(url, tmp_path))
        return opened[-1]

    yield another
    for store in opened:
        await store.close()


@pytest.fixture
async def store(opener: Opener) -> Ephemeral:
    return await opener()
