"""Signs that one more machine is needed, at /ready and for the doctor."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx

from pointsman.app.doctor.look.gateway import look_at_gateway
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.store.log_writer import LogWriter
from running import running


def _waited(folder: Path) -> None:
    """An hour up to now in which requests waited five seconds each."""
    writer = LogWriter(folder, "off", 1e10)
    for number in range(1200):
        at = time.time() - 3600 + 3 * number
        request = Request(f"req_{number}", "chat", "auto", (), now=at)
        writer.put(Record(request, at, "ok", timings=Timings(0.1, 6000.0, 9000.0, 5000.0)), None, None)
    writer.close()


async def test_signs_are_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    await asyncio.to_thread(_waited, data)
    async with running({"models": {}, "rules": {"packs": []}}, tmp_path) as gateway:
        async with httpx.AsyncClient(base_url=gateway.base, timeout=60) as client:
            before = (await client.get("/ready", headers={"accept-language": "en"})).json()
            assert before["scale"] == [], "nobody looked yet, and this one does not wait for it"
            async with asyncio.timeout(30):
                while not (now := (await client.get("/ready", headers={"accept-language": "en"})).json())["scale"]:
                    await asyncio.sleep(0.05)
            (sign,) = now["scale"]
            assert sign["cause"] == "queue_wait" and sign["since"] < time.time() - 600
            assert sign["why"].startswith("You need a second GPU because for ")
            assert {**now, "scale": []} == before, "they are no problem"
            zh = (await client.get("/ready", headers={"accept-language": "zh"})).json()
            assert zh["scale"][0]["why"].startswith("需要第二块 GPU")
        found = await asyncio.to_thread(look_at_gateway, gateway.base, None)
    assert [text.zh[:10] for text in found.scale] == ["需要第二块 GPU："[:10]]
