"""A store of each kind for a test, alone in the world."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pointsman.ports.job_store import JobStore
from store.jobs.stores import KINDS, Grounds


@pytest.fixture(params=KINDS)
async def grounds(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Grounds]:
    found = Grounds(request.param, str(tmp_path / "jobs.sqlite"))
    yield found
    await found.close()


@pytest.fixture
async def store(grounds: Grounds) -> JobStore:
    return await grounds.open()
