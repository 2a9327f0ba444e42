"""Have a schedule done now, as at one of its times: as a job, by whoever does jobs on this store. Exit code 0: done."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import time
from zoneinfo import ZoneInfo

import msgspec

from pointsman.app.schedules import submission_of, timing_of
from pointsman.cli.on_store import Desk, declare_store, on_store
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.schedule_words import named_schedule
from pointsman.cli.trace_lines import plain
from pointsman.domain.job import Job
from pointsman.domain.said import Tongue, said, told
from pointsman.http.jobs.handing_on import HEADER
from pointsman.http.jobs.kept import reply_of
from pointsman.http.jobs.shown import shown

_VERB = "schedules run"
_LOOK = 0.2  # seconds


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a schedule of the config")
    parser.add_argument("--at", metavar="TIME", help="as if at that time of its zone: 2026-11-30T08:00; default: now")
    parser.add_argument("--no-wait", action="store_true", help="submit it, and do not wait for what comes of it")
    parser.add_argument("--json", action="store_true", help="print the job as one JSON object")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    async def work(desk: Desk) -> int:
        tongue: Tongue = options.tongue
        schedule = named_schedule(options.name, desk.config)
        at = _moment(options.at, timing_of(schedule, desk.config).zone)
        if at is None:
            print_error(_VERB, said(*_NO_TIME, it=options.at), tongue)
            return 2
        [done] = await desk.store.submit([submission_of(options.name, schedule, desk.config, at)])
        if not options.json:
            print_line(told(said(*(_BEGUN if done.created else _THERE), id=done.id), tongue))
        job = await desk.store.get(done.id)
        while job is not None and not job.over and not options.no_wait:
            await asyncio.sleep(_LOOK)
            job = await desk.store.get(done.id)
        if job is None:
            return 1
        return await _told(desk, job, options)

    try:
        return on_store(options, _VERB, work)
    except KeyboardInterrupt:
        return 130


async def _told(desk: Desk, job: Job, options: argparse.Namespace) -> int:
    tongue: Tongue = options.tongue
    steps = await desk.store.trace(job.id) if job.error else None
    seen = plain(shown(job, steps), tongue)
    if options.json:
        print_json(seen)
    elif job.over:
        error = seen["error"] or {}
        for line in (_text(job) or error.get("message") or "").splitlines():
            print_line(line)
        for delivery in _deliveries(job):
            print_line(told(said(*_DELIVERED, id=delivery), tongue))
    return 0 if options.no_wait or job.place.outcome == "ok" else 1


def _moment(text: str | None, zone: str) -> float | None:
    if text is None:
        return float(int(time.time()))
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(zone))).timestamp()


def _text(job: Job) -> str:
    if not job.result:
        return ""
    try:
        body = msgspec.json.decode(reply_of(job.result).body)
        found = body.get("text") or (body["choices"][0].get("message") or {}).get("content")
        return str(found or "")
    except (msgspec.DecodeError, KeyError, IndexError, TypeError, AttributeError):
        return ""


def _deliveries(job: Job) -> list[str]:
    header = reply_of(job.result).header(HEADER) if job.result else None
    return header.decode().split(", ") if header else []


_BEGUN = "job {id}", "任务 {id}"
_THERE = "job {id} is there already for that time", "该时间的任务已经存在：{id}"
_DELIVERED = "handed over for delivery: {id}", "已交付发送：{id}"
_NO_TIME = (
    "--at: {it!r} is no time such as 2026-11-30T08:00",
    "--at：{it!r} 不是时间，应如 2026-11-30T08:00",
)
