"""List jobs, newest first. Requests of a batch are listed with --parent."""

from __future__ import annotations

import argparse
import time
from typing import Any, get_args

from pointsman.cli.job_words import counted, span, tries
from pointsman.cli.on_store import Desk, declare_store, on_store
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.table import table
from pointsman.domain.job import Job, Kind, Queue
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.http.jobs.shown import shown
from pointsman.pipeline.job_list import newest, phase_of
from pointsman.ports.job_store import Phase, Wanted


def declare(parser: argparse.ArgumentParser) -> None:
    declare_store(parser)
    parser.add_argument("--phase", choices=get_args(Phase), help="only those that are there")
    declare_list(parser)


def declare_list(parser: argparse.ArgumentParser) -> None:
    """What lists of jobs have in common."""
    parser.add_argument("--kind", choices=get_args(Kind), help="only this kind")
    parser.add_argument("--queue", choices=get_args(Queue), help="only this queue")
    parser.add_argument("--caller", metavar="NAME", help="only this caller's")
    parser.add_argument("--parent", metavar="ID", help="only the parts of that batch")
    parser.add_argument("--limit", type=int, default=20, help="at most so many (default 20)")
    parser.add_argument("--after", metavar="ID", help="the next page: those behind that one")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")


def run(options: argparse.Namespace) -> int:
    if wrong_limit(options, "jobs ls"):
        return 2

    async def work(desk: Desk) -> int:
        found = await newest(desk.store, wanted(options, options.phase), options.limit + 1, options.after)
        jobs = found[: options.limit]
        if options.json:
            for job in jobs:
                print_json(job_json(job))
            return 0
        tongue: Tongue = options.tongue
        if jobs:
            now = time.time()
            for line in table([told(head, tongue) for head in _HEADS], [_row(job, now, tongue) for job in jobs], {6}):
                print_line(line)
        else:
            print_line(told(_NOTHING, tongue))
        if len(found) > len(jobs):
            print_line(told(more(jobs[-1]), tongue))
        print_line("")
        print_line(told(_NOW, tongue) + counted(await desk.store.counts(), tongue))
        return 0

    return on_store(options, "jobs ls", work)


def wrong_limit(options: argparse.Namespace, verb: str) -> bool:
    if options.limit >= 1:
        return False
    print_error(verb, said("--limit must be at least 1", "--limit 至少是 1"), options.tongue)
    return True


def wanted(options: argparse.Namespace, phase: Phase | None) -> Wanted:
    return Wanted(caller=options.caller, queue=options.queue, kind=options.kind, parent=options.parent, phase=phase)


def more(last: Job) -> str:
    return said("more: --after {id}", "还有更多：--after {id}", id=last.id)


def job_json(job: Job) -> dict[str, Any]:
    """As clients see it, and what only the owner does."""
    about = {"phase": phase_of(job), "caller": job.caller, "parent": job.parent, "key": job.key}
    return {**shown(job), **about, "children": {"left": job.left, "over": job.spent}}


def _row(job: Job, now: float, tongue: Tongue) -> list[str]:
    place = job.place
    return [
        job.id,
        job.kind,
        phase_of(job),
        place.state,
        place.outcome or "-",
        job.schedule[0] if job.schedule else "-",
        span(now - job.created),
        tries(job, tongue),
        job.worker or "-",
        job.error or "-",
    ]


_HEADS = (
    Said("id", "id"),
    Said("kind", "类型"),
    Said("phase", "阶段"),
    Said("state", "状态"),
    Said("outcome", "结局"),
    Said("schedule", "计划任务"),
    Said("age", "已过"),
    Said("failed", "失败"),
    Said("worker", "工作进程"),
    Said("error", "错误"),
)
_NOW = Said("now  ", "当前  ")
_NOTHING = Said("there is no such job", "没有符合条件的任务")
