"""A store of each kind for a test, alone in the world."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from pointsman.ports.job_store import JobStore
from store.jobs.servers import stop_shared
from store.jobs.stores import KINDS, Grounds


@pytest.fixture(scope="session", autouse=True)
def servers() -> Iterator[None]:
    """Those that the first test starts that needs one end with the last."""
    yield
    stop_shared()


@pytest.fixture(params=[*KINDS[:-1], pytest.param(KINDS[-1], marks=pytest.mark.slow)])
async def grounds(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Grounds]:
    found = Grounds(request.param, tmp_path)
    yield found
    await found.close()


@pytest.fixture
async def store(grounds: Grounds) -> JobStore:
    return await grounds.open()
