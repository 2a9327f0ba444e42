"""One of two gateways over one store is killed: what it acknowledged is done by the other one, which has all slots soon."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import Engine, conversation, streamed
from faults.fleet.gateways import CHAT, Gateway, gateways, pool, until
from store.jobs.servers import Valkey

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_JOBS = 24


def _job(number: int) -> dict[str, Any]:
    messages = [{"role": "user", "content": f"job {number} of the night"}]
    return {"endpoint": CHAT, "body": {"model": "medium", "messages": messages}}


async def _done(gateway: Gateway, name: str) -> bool:
    job = (await gateway.http.get(f"/v1/jobs/{name}")).json()
    assert job["disposition"] != "dead", job
    return job["state"] == "completed"


async def test_no_acknowledged_job_is_lost(store: Valkey, tmp_path: Path) -> None:
    async with Engine("m") as engine:
        engine.play = streamed(0.3, conversation("42"))
        config = pool([engine.url], limits={"sequences": 2})
        config |= {"store": store.url, "jobs": {"lease": 2.0, "poll": 0.1, "concurrency": 2}}
        async with gateways(2, tmp_path, config) as (killed, other):
            acknowledged: list[str] = []

            async def submit(number: int) -> None:
                with contextlib.suppress(httpx.TransportError):  # not acknowledged
                    reply = await killed.http.post("/v1/jobs", json=_job(number))
                    assert reply.status_code == 202, reply.text
                    acknowledged.append(reply.json()["id"])

            submitting = asyncio.create_task(_in_turn(submit))
            await until(lambda: len(acknowledged) >= _JOBS // 2 and len(engine.asked) >= 4)
            killed.process.signal(signal.SIGKILL)
            await submitting
            assert _JOBS // 2 <= len(acknowledged) <= _JOBS
            for name in acknowledged:
                await until(lambda name=name: _done(other, name))
                job = (await other.http.get(f"/v1/jobs/{name}")).json()
                assert (job["outcome"], job["result"]["status"]) == ("ok", 200), job
            counts = Counter(asked.fields["messages"][-1]["content"] for asked in engine.asked)
            again = sum(counts.values()) - len(counts)
            assert again <= 2, "asked twice is only what was under way in the one that was killed"
            print(f"\n{len(acknowledged)} jobs acknowledged, {again} asked a second time")


async def _in_turn(submit: Any) -> None:
    for number in range(_JOBS):
        await submit(number)
        await asyncio.sleep(0.05)


async def test_the_slots_that_it_held_are_free_again(store: Valkey, tmp_path: Path) -> None:
    async with Engine("m") as engine:
        engine.play = streamed(conversation("4")[:60], 60.0)
        config = pool([engine.url], limits={"sequences": 2}) | {"store": store.url}
        async with gateways(2, tmp_path, config) as (killed, other):
            for gateway in (killed, other):
                await until(lambda gateway=gateway: gateway.knows(2))
            under_way = [asyncio.create_task(killed.read("a long one")) for _ in range(2)]
            await until(lambda: len(engine.asked) == 2)
            waiting = asyncio.create_task(other.ask("and a short one"))
            await asyncio.sleep(1.0)
            assert not waiting.done() and len(engine.asked) == 2, "no slot is given twice"
            engine.play = streamed(conversation("42"))
            killed.process.signal(signal.SIGKILL)
            assert (await waiting).status_code == 200
            assert (await other.ask("another short one")).status_code == 200
            cut = await asyncio.gather(*under_way, return_exceptions=True)
            assert all(isinstance(each, httpx.TransportError) for each in cut)
