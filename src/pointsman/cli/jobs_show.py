"""One job: where it is, its way step by step, and what it gave. Replies are shown with --text, and with --json."""

from __future__ import annotations

import argparse
from typing import Any

import msgspec

from pointsman.cli.job_words import size
from pointsman.cli.jobs_ls import job_json
from pointsman.cli.on_store import Desk, declare_store, no_job, on_store, print_wrong
from pointsman.cli.output import print_json, print_line
from pointsman.cli.trace_lines import path_lines, plain, summary_lines
from pointsman.domain.batch import order_of, progress_of
from pointsman.domain.job import Job, Step
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.domain.webhook import Notice
from pointsman.http.jobs.kept import action_of, reply_of, request_of
from pointsman.http.jobs.shown import shown, trace_shown
from pointsman.http.openai.batches import batch_object
from pointsman.pipeline.delivery.parcel import parcel_of
from pointsman.pipeline.passage import PROGRESS

_VERB = "jobs show"
_MOST_PROBLEMS = 10


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a job, a batch, or a webhook")
    parser.add_argument("--text", action="store_true", help="show what it gave, too")
    parser.add_argument("--json", action="store_true", help="all of it, as one JSON object")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    async def work(desk: Desk) -> int:
        job = await desk.store.get(options.id)
        if job is None:
            print_wrong(_VERB, no_job(options.id, desk.config, options), options)
            return 1
        steps = await desk.store.trace(job.id)
        progress = None if job.over else await desk.store.read(PROGRESS + job.id)
        summary = plain({**job_json(job), **shown(job, steps, progress)}, options.tongue)
        if options.json:
            batch = {"batch": batch_object(job)} if job.kind == "batch" else {}
            print_json(plain({**summary, **batch, "trace": trace_shown(steps)}, options.tongue))
            return 0
        for line in _lines(job, summary, steps, options):
            print_line(line)
        return 0

    return on_store(options, _VERB, work)


def _lines(job: Job, summary: dict[str, Any], steps: list[Step], options: argparse.Namespace) -> list[str]:
    tongue: Tongue = options.tongue
    more = [
        (_CALLER, job.caller),
        (_KEY, job.key),
        (_PARENT, job.parent),
        (_SCHEDULE, _scheduled(job)),
        (_WHAT, _what(job)),
        *_outcome(job, tongue),
    ]
    lines = summary_lines(summary, tongue, more)
    lines += [f"    {line}" for line in _problems(job, tongue)]
    lines += ["", *path_lines(plain(trace_shown(steps), tongue), tongue)]
    if options.text and job.result and job.kind in ("request", "action"):
        lines += ["", *reply_of(job.result).body.decode(errors="replace").splitlines()]
    return lines


def _what(job: Job) -> str | None:
    """What is to be done, without a word of any prompt."""
    try:
        if job.kind == "request":
            return f"POST {request_of(job.body).path}"
        if job.kind == "action":
            return action_of(job.body).action
        if job.kind == "delivery":
            parcel = parcel_of(job.body)
            return f"{parcel.request_id} → {parcel.channel}"
        if job.kind == "webhook":
            notice = Notice.decode(job.body)
            return f"{notice.type} {notice.subject_id} → {notice.url}"
        order = order_of(job)
        return f"{order.input_file} → {order.endpoint} ({order.window})"
    except msgspec.DecodeError:  # another version's
        return None


def _scheduled(job: Job) -> str | None:
    return None if job.schedule is None else f"{job.schedule[0]} ({job.schedule[1]})"


def _outcome(job: Job, tongue: Tongue) -> list[tuple[Said, str | None]]:
    if job.kind == "batch":
        progress = progress_of(job)
        made = progress.completed or progress.failed
        counts = said(
            *(_MADE if made else _SO_FAR),
            total=progress.total,
            over=job.spent,
            left=job.left,
            completed=progress.completed,
            failed=progress.failed,
        )
        return [(_COUNTS, told(counts, tongue)), (_OUTPUT, progress.output_file), (_ERRORS, progress.error_file)]
    if not job.result or job.kind in ("webhook", "delivery"):
        return []
    reply = reply_of(job.result)
    kind = (reply.header(b"content-type") or b"").decode("latin-1")
    return [(_RESULT, f"{reply.status}, {kind}, {size(len(reply.body))}")]


def _problems(job: Job, tongue: Tongue) -> list[str]:
    """What is wrong with the lines of a batch's input."""
    problems = progress_of(job).problems if job.kind == "batch" else ()
    lines = [
        told(
            said("line {line}: {why}", "第 {line} 行：{why}", line=problem.line or "-", why=Said(*problem.message)),
            tongue,
        )
        for problem in problems[:_MOST_PROBLEMS]
    ]
    return [*lines, "…"] if len(problems) > _MOST_PROBLEMS else lines


_CALLER, _KEY, _PARENT = Said("caller", "调用者"), Said("key", "幂等键"), Said("part of", "所属批次")
_SCHEDULE = Said("schedule", "计划任务")
_WHAT, _COUNTS, _OUTPUT = Said("what", "内容"), Said("requests", "请求数"), Said("output", "输出文件")
_ERRORS, _RESULT = Said("errors", "错误文件"), Said("result", "结果")
_SO_FAR = ("{total}: {over} over, {left} left", "{total}：已结束 {over}，剩余 {left}")
_MADE = ("{total}: {completed} succeeded, {failed} failed", "{total}：成功 {completed}，失败 {failed}")
