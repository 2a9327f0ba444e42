"""Schedules in a whole gateway: run by hand and by the clock, delivered, told of where nothing comes of them, changed by a
reload."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import yaml

from mail_server import ITS_OWN_WARNINGS, Box, mail_server
from pointsman.app.schedules import submission_of
from pointsman.domain.job import Job
from pointsman.pipeline.schedules.scheduler import Scheduler
from running import Running, running

pytestmark = ITS_OWN_WARNINGS
ASK = "把上周销售报表导出为PDF"
MONDAY = 1_795_996_800.0  # 2026-11-30T00:00:00Z


def sections(box: Box) -> dict[str, Any]:
    def mail(*to: str) -> dict[str, Any]:
        return {"mail": {"host": "127.0.0.1", "port": box.port, "tls": "off", "from": "r@example.com", "to": [*to]}}

    return {
        "server": {"timezone": "Asia/Shanghai", "public_url": "https://ai.example.com"},
        "models": {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}},
        "rules": {"packs": ["builtin:report-export"], "files": ["rules.yaml"]},
        "sources": {"demo": {"demo": True}},
        "jobs": {"poll": 0.05, "failures": 1, "patience": "0s", "backoff": 0.05},
        "auth": {"keys": [{"name": "ann", "hash": "sha256:" + "0" * 64, "role": "chief"}]},
        "actions": {"sum": {"maths": {}, "timeout": "60s"}},
        "delivery": {"finance": mail("finance@example.com"), "ops": mail("ops@example.com")},
        "schedules": {
            "weekly": {
                "cron": "0 8 * * 1",
                "ask": ASK,
                "deliver": ["finance"],
                "on_failure": ["ops"],
                "as": {"key": "ann"},
            },
            "chiefs": {"cron": "0 8 * * 1", "ask": "总经理日报", "as": {"role": "chief"}, "deliver": ["finance"]},
            "sums": {"cron": "0 8 * * 1", "action": "sum", "parameters": {"question": "1+1"}, "deliver": ["finance"]},
            "empty": {
                "cron": "0 8 * * 1",
                "ask": "把明年1月的销售报表导出为PDF",
                "deliver": ["finance"],
                "on_failure": ["ops"],
                "enabled": False,
            },
            "story": {"cron": "0 8 * * 1", "ask": "讲个故事", "allow_model": True, "on_failure": ["ops"]},
        },
    }


RULES = """
rules:
  - id: chiefs_only
    when: {all: [{any: [总经理日报]}], role: chief}
    answer: 一切正常
    examples: [{text: 总经理日报, role: chief}]
    counter_examples: [日报]
    boundary: [{text: 总经理, role: chief, takes: false}]
"""


@contextlib.asynccontextmanager
async def gateway(folder: Path) -> AsyncIterator[tuple[Running, httpx.AsyncClient, Box]]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with (
        mail_server() as box,
        running(sections(box), folder, settle=0.5) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        yield served, client, box


async def done(served: Running, name: str, at: float = MONDAY) -> Job:
    """That schedule, as at one of its times."""
    serving: Any = served.app._serving
    config = served.app.setup.config
    [submitted] = await serving.jobs.store.submit([submission_of(name, config.schedules[name], config, at)])
    async with asyncio.timeout(60):
        while True:
            job: Job | None = await serving.jobs.store.get(submitted.id)
            if job is not None and job.over:
                return job
            await asyncio.sleep(0.02)


async def letters(box: Box, count: int) -> None:
    async with asyncio.timeout(30):
        while len(box.letters) < count:
            await asyncio.sleep(0.02)


async def test_a_question_is_asked_as_of_its_time_and_delivered(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (served, client, box):
        job = await done(served, "weekly")
        assert (job.place.outcome, job.caller) == ("ok", "ann")
        again = await done(served, "weekly")
        assert again.id == job.id  # one time, one job
        await letters(box, 1)
        [message] = box.messages
        assert message["Subject"] == "销售报表_2026-11-23_2026-11-29"
        body = message.get_body()
        assert body is not None and "https://ai.example.com/files/" in body.get_content()
        shown = (await client.get(f"/v1/jobs/{job.id}")).json()
        assert shown["schedule"] == {"name": "weekly", "time": "2026-11-30T00:00:00Z"}
        earlier = await done(served, "weekly", MONDAY - 7 * 86_400)
        await letters(box, 2)
        assert box.messages[1]["Subject"] == "销售报表_2026-11-16_2026-11-22" and earlier.id != job.id


async def test_as_whom(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (served, _, box):
        job = await done(served, "chiefs")
        assert (job.place.outcome, job.caller) == ("ok", "schedule:chiefs")
        await letters(box, 1)
        body = box.messages[0].get_body()
        assert body is not None and body.get_content().strip() == "一切正常"
        assert box.messages[0]["Subject"] == "chiefs"


async def test_an_action_is_done_and_delivered(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (served, _, box):
        job = await done(served, "sums")
        assert (job.kind, job.place.outcome) == ("action", "ok")
        await letters(box, 1)
        body = box.messages[0].get_body()
        assert body is not None and "2" in body.get_content()


async def test_where_nothing_comes_of_it_that_is_told(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (served, _, box):
        job = await done(served, "empty")
        assert job.place.outcome == "refused"
        await letters(box, 1)
        assert box.recipients == [["ops@example.com"]]
        assert box.messages[0]["Subject"] == "未完成：empty"
        body = box.messages[0].get_body()
        assert body is not None and body.get_content().strip()
        assert not list(box.messages[0].iter_attachments())
        job = await done(served, "story")  # its model is gone
        assert job.place.disposition == "dead"
        await letters(box, 2)
        assert box.messages[1]["Subject"] == "未完成：story"
        body = box.messages[1].get_body()
        assert body is not None and job.id in body.get_content()
        await asyncio.sleep(0.1)
        assert len(box.letters) == 2


async def test_what_no_rule_takes_any_more_goes_to_no_model(tmp_path: Path) -> None:
    """As of a job that was submitted before the rules changed."""
    async with gateway(tmp_path) as (served, client, box):
        serving: Any = served.app._serving
        config = served.app.setup.config
        changed = msgspec.structs.replace(config.schedules["weekly"], ask="讲个故事")
        [submitted] = await serving.jobs.store.submit([submission_of("weekly", changed, config, MONDAY + 60)])
        async with asyncio.timeout(30):
            while not (job := await serving.jobs.store.get(submitted.id)).over:
                await asyncio.sleep(0.02)
        assert (job.place.outcome, job.error) == ("failed", "not_by_rule")
        await letters(box, 1)
        assert box.recipients == [["ops@example.com"]]
        log = (await client.get(f"/v1/requests/{submitted.id}")).json()
        assert log["outcome"] == "failed"


async def test_the_clock_submits_and_a_reload_changes_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[dict[str, Any]] = []
    install = Scheduler.install

    def seen(self: Scheduler, planned: Any, idle: Any = ()) -> None:
        looks.append(dict(planned))
        install(self, planned, idle)

    monkeypatch.setattr(Scheduler, "install", seen)
    async with gateway(tmp_path) as (served, client, _):
        assert set(looks[-1]) == {"weekly", "chiefs", "sums", "story"}
        assert looks[-1]["weekly"].timing.zone == "Asia/Shanghai"
        config = yaml.safe_load(served.config.read_text(encoding="utf-8"))
        config["schedules"] = {
            "daily": {"cron": "30 7 * * *", "ask": ASK, "timezone": "Europe/Berlin", "missed": "skip"}
        }
        served.config.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
        assert (await client.post("/admin/reload")).status_code == 200
        [(name, planned)] = looks[-1].items()
        assert (name, planned.timing.cron, planned.timing.zone, planned.missed) == (
            "daily",
            "30 7 * * *",
            "Europe/Berlin",
            "skip",
        )
        config["schedules"]["daily"]["ask"] = "讲个故事"
        served.config.write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
        refused = await client.post("/admin/reload")
        assert refused.status_code == 400 and "schedules.daily.ask" in json.dumps(refused.json())
        [(name, _)] = looks[-1].items()
        assert name == "daily"


async def test_nobody_takes_a_key_of_schedules(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (_, client, _):
        body = {"model": "auto", "messages": [{"role": "user", "content": "x"}]}
        wish = {"endpoint": "/v1/chat/completions", "body": body}
        headers = {"idempotency-key": "schedule:weekly:2026-11-30T00:00:00Z"}
        reply = await client.post("/v1/jobs", json=wish, headers=headers)
        assert reply.status_code == 400 and "schedule:" in reply.json()["error"]["message"]
