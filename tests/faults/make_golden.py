"""Makes the golden traces of the version at hand, once, from real work: `python -m faults.make_golden` in the folder of
the tests. Each kind of path is gone by one job; what every later version must still read is written beside this file."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
import msgspec

from execution.engine import CHAT, Engine, config, conversation, delta, replied, streamed
from pointsman import __version__
from pointsman.app import jobs as app_jobs
from pointsman.domain.job import Job
from pointsman.pipeline.job_worker import revive
from pointsman.pipeline.passage import Passage
from pointsman.pipeline.request_passage import decision_of
from pointsman.ports.clock import SystemClock
from pointsman.ports.job_store import JobStore
from pointsman.store.jobs.sqlite import SqliteJobStore
from running import running

GOLDEN = Path(__file__).with_name("golden")
RULES = """rules:
  - id: greeting
    when: {whole: [hi]}
    answer: Hello!
    examples: [hi]
    counter_examples: [hi there]
    boundary: [{text: hi you, takes: false}]
  - id: salary
    when: {any: [salary]}
    refuse: {why: Salaries are confidential., instead: Ask HR.}
    examples: [whose salary]
    counter_examples: [what do I earn]
    boundary: [{text: salaries, takes: false}]
"""
_JOBS = {"lease": 2.0, "poll": 0.05, "failures": 2, "backoff": 0.05}
_REPORTS: dict[str, Any] = {
    "sources": {"demo": {"demo": True}},
    "reports": {
        "sales": {
            "source": "demo",
            "table": "sales",
            "time": "sold_on",
            "measures": {"amount": {"column": "amount", "title": "Amount"}},
        }
    },
}
_PLAN = {"report": "sales", "format": "csv", "period": {"start": "2026-01-01", "end": "2026-02-01", "grain": "month"}}


async def _breaks_off(writer: asyncio.StreamWriter) -> None:
    await streamed(delta("", role="assistant"), delta("half of"))(writer)
    writer.transport.abort()
    await asyncio.sleep(60)


class Making:
    """`made` are the ids of the jobs by what their paths show."""

    def __init__(self, folder: Path, engines: list[Engine]) -> None:
        self._folder = folder
        self._engines = engines
        self.sections = config(*engines, rules={"packs": [], "files": ["rules.yaml"]}) | _REPORTS
        self.made: dict[str, str] = {}

    @contextlib.asynccontextmanager
    async def _gateway(self, **jobs: Any) -> AsyncIterator[tuple[JobStore, httpx.AsyncClient]]:
        sections = self.sections | {"jobs": _JOBS | jobs}
        async with (
            running(sections, self._folder) as served,
            httpx.AsyncClient(base_url=served.base, timeout=30) as client,
        ):
            yield served.app._serving.jobs.store, client

    async def run(self) -> None:
        async with self._gateway(concurrency=0) as (store, client):
            await self._held_by_one_that_dies(store, client)
        async with self._gateway() as (store, client):
            await self._over(store, self.made["resumed"])
            await self._requests(store, client)
            await self._given_up(store, client)
            await self._batch(store, client)

    async def _held_by_one_that_dies(self, store: JobStore, client: httpx.AsyncClient) -> None:
        """A worker begins on a report, and nothing is heard of it any more."""
        reply = await client.post("/v1/jobs", json={"action": "report", "parameters": {"plan": _PLAN}})
        self.made["resumed"] = reply.json()["id"]
        (job,) = await store.claim(("interactive",), "golden:2", 1, 0.01)
        await Passage(job, store, SystemClock(), "golden:2").begin("named by the client", {"action": "report"})

    async def _requests(self, store: JobStore, client: httpx.AsyncClient) -> None:
        for name, text in (("l0", "hi"), ("l0_refused", "whose salary is it"), ("model", "tell me a story")):
            await self._chat(store, client, name, text)
        self._engines[0].plays = [_breaks_off]
        await self._chat(store, client, "sent_again", "tell me another")
        self._engines[0].plays = [replied(400, {"error": {"message": "no such thing"}})]
        await self._chat(store, client, "failed", "tell me nothing")
        for engine in self._engines:
            engine.plays = [streamed(delta("", role="assistant"), 30.0)]
        name = await self._submitted(client, "cancelled", "tell me for ever")
        while not any(b"for ever" in asked.body for engine in self._engines for asked in engine.asked):
            await asyncio.sleep(0.01)
        await client.delete(f"/v1/jobs/{name}")
        await self._over(store, name)

    async def _given_up(self, store: JobStore, client: httpx.AsyncClient) -> None:
        for engine in self._engines:
            engine.plays = []
            engine.play = replied(500, {"error": {"message": "broken"}})
        await self._chat(store, client, "dead", "tell me it is broken")
        await self._chat(store, client, "revived", "tell me it was broken")
        for engine in self._engines:
            engine.play = streamed(conversation("hello"))
        await revive(store, self.made["revived"], 1.8e9, "by-hand")
        await self._over(store, self.made["revived"])

    async def _batch(self, store: JobStore, client: httpx.AsyncClient) -> None:
        lines = [
            {"custom_id": text, "method": "POST", "url": CHAT, "body": _body(text)}
            for text in ("hi", "tell me", "and me")
        ]
        content = "".join(json.dumps(line) + "\n" for line in lines).encode()
        form = {"purpose": "batch"}
        file = (await client.post("/v1/files", data=form, files={"file": ("in.jsonl", content)})).json()
        order = {"input_file_id": file["id"], "endpoint": CHAT, "completion_window": "24h"}
        reply = await client.post("/v1/batches", json=order)
        self.made["batch"] = reply.json()["id"]
        await self._over(store, self.made["batch"])
        self.made["batch_child"] = f"job_{self.made['batch'].partition('_')[2]}.1"

    async def _chat(self, store: JobStore, client: httpx.AsyncClient, name: str, text: str) -> None:
        await self._over(store, await self._submitted(client, name, text))

    async def _submitted(self, client: httpx.AsyncClient, name: str, text: str) -> str:
        reply = await client.post("/v1/jobs", json={"endpoint": CHAT, "body": _body(text)})
        self.made[name] = reply.json()["id"]
        return self.made[name]

    async def _over(self, store: JobStore, job_id: str) -> Job:
        async with asyncio.timeout(60):
            while (job := await store.get(job_id)) is None or not job.over:
                await asyncio.sleep(0.02)
        return job


def _body(text: str) -> dict[str, Any]:
    return {"model": "auto", "messages": [{"role": "user", "content": text}]}


async def _told(store: JobStore, made: dict[str, str]) -> list[dict[str, Any]]:
    told = []
    for name, job_id in made.items():
        job = await store.get(job_id)
        assert job is not None
        decision = decision_of(job) if job.kind == "request" else None
        told.append(
            {
                "path": name,
                "id": job_id,
                "kind": job.kind,
                "place": job.place,
                "generation": job.generation,
                "failures": job.failures,
                "lost": job.lost,
                "error": job.error,
                "steps": await store.trace(job_id),
                "decision": decision,
            }
        )
    return told


async def main() -> None:
    target = GOLDEN / __version__
    assert not target.exists(), f"{target} is there; golden traces are made once"
    folder = Path(tempfile.mkdtemp())
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with Engine("a") as first, Engine("b") as second:
        making = Making(folder, [first, second])
        with mock.patch.object(app_jobs, "worker_name", lambda: "golden:1"):
            await making.run()
    store = SqliteJobStore(folder / "data" / "jobs.sqlite")
    lines = [msgspec.json.encode(told) for told in await _told(store, making.made)]
    await store.close()
    target.mkdir(parents=True)
    (target / "traces.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    shutil.copy(folder / "data" / "jobs.sqlite", target)
    (target / "rules.yaml").write_text(RULES, encoding="utf-8")
    for each in making.sections["models"]["medium"]["backends"]:
        each["base_url"] = "http://127.0.0.1:1/v1"
    (target / "config.json").write_text(json.dumps(making.sections, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(folder)
    print(target, file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(main())
