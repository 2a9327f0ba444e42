"""What is of a server alone: it may go, and it does not keep what is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral.redis import RedisEphemeral
from store.jobs.makes import LONG, SHORT, until
from store.jobs.servers import Valkey


async def test_a_server_that_goes_and_comes_back(tmp_path: Path) -> None:
    server = Valkey(tmp_path)
    server.start()
    store = RedisEphemeral(server.url)
    try:
        await store.put("k", b"v", LONG)
        server.kill()
        with pytest.raises(StoreError):
            await store.add("n", 1, LONG)
        server.start()
        assert await store.add("n", 1, LONG) == 1
        for number in range(60):
            await store.put(f"short/{number}", b"v", SHORT)

        async def forgotten() -> bool:
            await store.put("k", b"v", LONG)
            with server.client() as client:
                return bool(client.zcard("{pointsman:~}:names") == client.zcard("{pointsman:~}:ends") == 2)

        await until(forgotten)
    finally:
        await store.close()
        server.kill()
