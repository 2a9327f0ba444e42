"""A machine under pressure in a whole gateway: jobs wait in the store, with the reason, and /ready and /metrics say so."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from execution.engine import Engine, config, conversation, streamed
from pointsman.app.pressure import Machine
from pointsman.ports.sensors import Reading
from running import running

PRESSURE = {"watch": "always", "dwell": 0, "calm": 0, "every": 0.1, "longest": 300}


class Machines:
    """Sensors whose reading the test sets."""

    gpu = True
    now = Reading(0.97, 0.4, 0.03, 0.5)

    def read(self) -> Reading:
        return self.now

    def close(self) -> None:
        """Nothing is open."""


async def test_a_job_waits_until_the_gpu_works_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sensors = Machines()
    monkeypatch.setattr("pointsman.app.serving.Machine", lambda engines: Machine(engines, lambda: sensors))
    async with Engine() as engine:
        engine.plays = [streamed(conversation("later"))]
        sections = config(
            engine,
            models={"light": {"backends": [engine.backend()]}},
            fallback={"target": "light"},
            admission={"pressure": PRESSURE},
        )
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            body = {"model": "light", "messages": [{"role": "user", "content": "x"}]}

            async def problems() -> str:
                return str((await client.get("/ready")).json()["problems"])

            while "new jobs wait" not in await problems():
                await asyncio.sleep(0.05)
            job = (await client.post("/v1/jobs", json={"endpoint": "/v1/chat/completions", "body": body})).json()["id"]
            while (await client.get(f"/v1/jobs/{job}")).json()["disposition"] != "parked":
                await asyncio.sleep(0.05)
            assert "the CPU is at 97% and the GPU at 3%" in await problems()
            metrics = (await client.get("/metrics")).text
            assert 'pointsman_pressure{cause="mismatch"} 1.0' in metrics and "pointsman_jobs_parked 1.0" in metrics
            assert (await client.post("/v1/chat/completions", json=body)).status_code == 200, (
                "who stands there does not wait"
            )
            engine.plays = [streamed(conversation("later"))]
            sensors.now = Reading(0.97, 0.4, 0.8, 0.5)
            while (shown := (await client.get(f"/v1/jobs/{job}")).json())["state"] != "completed":
                await asyncio.sleep(0.05)
            assert shown["outcome"] == "ok"
            assert "new jobs wait" not in await problems()
            trace = (await client.get(f"/v1/requests/{job}/trace")).json()
            assert [step["event"] for step in trace["path"]][:3] == ["submitted", "parked", "unparked"]
