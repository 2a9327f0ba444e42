"""Follow a job or a batch until it is over. Ctrl-C ends the watching alone."""

from __future__ import annotations

import argparse
import asyncio

import msgspec

from pointsman.cli.command import again, command
from pointsman.cli.job_words import BATCH_STATUSES, size
from pointsman.cli.on_store import Desk, declare_store, no_job, on_store, print_wrong
from pointsman.cli.output import print_line
from pointsman.cli.progress_bar import ProgressBar
from pointsman.domain.batch import progress_of, status_of
from pointsman.domain.job import Job
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.http.jobs.kept import reply_of
from pointsman.pipeline.job_list import phase_of
from pointsman.pipeline.passage import PROGRESS

_VERB = "jobs watch"
_LOOK = 0.5  # seconds


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a job or a batch")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    async def work(desk: Desk) -> int:
        bar = ProgressBar(options.tongue)
        try:
            job = await _followed(desk, options.id, bar, options.tongue)
        finally:
            bar.end()
        if job is None:
            print_wrong(_VERB, no_job(options.id, desk.config, options), options)
            return 1
        for line in await _ended(desk, job, options):
            print_line(line)
        return 0 if job.place.outcome == "ok" else 1

    try:
        return on_store(options, _VERB, work)
    except KeyboardInterrupt:
        print_line(
            told(said(*_GOES_ON, id=options.id, watch=again(options, f"jobs watch {options.id}")), options.tongue)
        )
        return 130


async def _followed(desk: Desk, job_id: str, bar: ProgressBar, tongue: Tongue) -> Job | None:
    """As it is once it is over. None: there is none, or none any more."""
    while True:
        job = await desk.store.get(job_id)
        if job is None:
            return None
        bar.show(told(_where(job), tongue), *await _progress(desk, job))
        if job.over:
            return job
        await asyncio.sleep(_LOOK)


async def _progress(desk: Desk, job: Job) -> tuple[int | None, int | None]:
    if job.kind == "batch":
        total = progress_of(job).total
        return (job.spent, total) if total else (None, None)
    found = None if job.over else await desk.store.read(PROGRESS + job.id)
    done, of = msgspec.msgpack.decode(found) if found else (None, None)
    return done, of


def _where(job: Job) -> str:
    if job.kind == "batch":
        return BATCH_STATUSES[status_of(job)]
    phase = phase_of(job)
    if phase == "over":
        return f"{job.place.state} ({job.place.outcome})"
    failed = said(", failed tries: {count}", "，失败次数：{count}", count=job.failures) if job.failures else ""
    by = said(", by {worker}", "，由 {worker} 执行", worker=job.worker) if job.worker else ""
    return said(
        "{phase} ({state}){by}{failed}",
        "{phase}（{state}）{by}{failed}",
        phase=phase,
        state=job.place.state,
        by=by,
        failed=failed,
    )


async def _ended(desk: Desk, job: Job, options: argparse.Namespace) -> list[str]:
    """What came of it, and where that is."""
    tongue: Tongue = options.tongue
    lines = []
    if job.kind == "batch":
        progress = progress_of(job)
        counts = said(*_COUNTS, completed=progress.completed, failed=progress.failed)
        lines.append(told(counts, tongue))
        if progress.output_file or progress.error_file:
            lines.append(told(said(*_FETCH, command=command(), id=job.id), tongue))
    elif job.result and job.kind != "webhook":
        reply = reply_of(job.result)
        show = again(options, f"jobs show {job.id} --text")
        lines.append(told(said(*_RESULT, status=reply.status, size=size(len(reply.body)), show=show), tongue))
    if job.error:
        steps = await desk.store.trace(job.id)
        why = next((Said(*step.why) for step in reversed(steps) if step.why), None)
        lines.append(told(said("{code}: {why}", "{code}：{why}", code=job.error, why=why or "-"), tongue))
    if job.place.disposition == "dead":
        lines.append(told(said(*_DEAD, retry=again(options, f"jobs retry {job.id}")), tongue))
    return lines


_GOES_ON = (
    "{id} goes on. To watch it again: {watch}",
    "{id} 仍在继续。要再次查看：{watch}",
)
_COUNTS = ("{completed} requests succeeded, {failed} failed", "成功 {completed} 个请求，失败 {failed} 个")
_FETCH = (
    "to fetch the replies: {command} jobs batch --resume {id}",
    "取回结果：{command} jobs batch --resume {id}",
)
_RESULT = (
    "reply: status {status}, {size}; to see it: {show}",
    "结果：状态码 {status}，{size}；查看：{show}",
)
_DEAD = (
    "it was given up; once the cause is gone: {retry}",
    "任务已被放弃；原因消除后：{retry}",
)
