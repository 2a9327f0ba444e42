"""Every asynchronous test here runs on asyncio's own loop and on uvloop, against real sockets."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import uvloop
from scripted_upstream import Script, Upstream

import certificates
from pointsman.backends.http import Pool


def pytest_asyncio_loop_factories(config, item):
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def serve() -> AsyncIterator[Callable[..., Awaitable[Upstream]]]:
    """Starts upstreams; at the end they are stopped, and what went wrong in their scripts is raised."""
    started: list[Upstream] = []

    async def start(script: Script, **where: object) -> Upstream:
        upstream = Upstream(script)
        await upstream.start(**where)
        started.append(upstream)
        return upstream

    yield start
    for upstream in started:
        await upstream.stop()


@pytest.fixture
async def pool_of() -> AsyncIterator[Callable[..., Pool]]:
    """Makes pools for an upstream or a URL, closes them at the end."""
    made: list[Pool] = []

    def make(place: Upstream | str, **settings: object) -> Pool:
        made.append(Pool(place if isinstance(place, str) else place.url, **settings))
        return made[-1]

    yield make
    for pool in made:
        await pool.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> certificates.Authority:
    return certificates.Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def trusting(authority: certificates.Authority) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(authority.file))


@pytest.fixture
def socket_path(tmp_path: Path) -> str:
    return str(tmp_path / "engine.sock")
