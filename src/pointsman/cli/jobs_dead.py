"""List the jobs that were given up, each with the reason: it failed too often, or its workers died over it."""

from __future__ import annotations

import argparse
import time

from pointsman.cli.command import again
from pointsman.cli.job_words import span, tries
from pointsman.cli.jobs_ls import declare_list, job_json, more, wanted, wrong_limit
from pointsman.cli.on_store import Desk, declare_store, on_store
from pointsman.cli.output import print_json, print_line
from pointsman.domain.job import Step
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.pipeline.job_list import newest


def declare(parser: argparse.ArgumentParser) -> None:
    declare_store(parser)
    declare_list(parser)


def run(options: argparse.Namespace) -> int:
    if wrong_limit(options, "jobs dead"):
        return 2

    async def work(desk: Desk) -> int:
        tongue: Tongue = options.tongue
        found = await newest(desk.store, wanted(options, "dead"), options.limit + 1, options.after)
        jobs = found[: options.limit]
        for job in jobs:
            died = next((step for step in reversed(await desk.store.trace(job.id)) if step.event == "died"), None)
            why = _why(died)
            if options.json:
                print_json({**job_json(job), "error": {"code": job.error, "message": why}})
                continue
            line = said(
                "{id}  {kind}, in {state}, {since} ago, failed tries: {tries}",
                "{id}  {kind}，停在 {state}，{since} 前，失败次数：{tries}",
                id=job.id,
                kind=job.kind,
                state=job.place.state,
                since=span(time.time() - job.updated),
                tries=tries(job, tongue),
            )
            print_line(told(line, tongue))
            print_line(told(said("    {code}: {why}", "    {code}：{why}", code=job.error or "-", why=why), tongue))
        if options.json:
            return 0
        if len(found) > len(jobs):
            print_line(told(more(jobs[-1]), tongue))
        print_line(told(said(*_AGAIN, retry=again(options, "jobs retry")) if jobs else _NONE, tongue))
        return 0

    return on_store(options, "jobs dead", work)


def _why(step: Step | None) -> str:
    return Said(*step.why) if step is not None and step.why else Said("no reason is known", "原因不明")


_AGAIN = (
    "Once the cause is gone: `{retry} ID…`, or --all-dead, begins them anew.",
    "原因消除后，用 `{retry} ID…` 或 --all-dead 重新开始。",
)
_NONE = Said("no job is dead", "没有被放弃的任务")
