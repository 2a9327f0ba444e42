"""Begin dead jobs anew, where each of them stopped."""

from __future__ import annotations

import argparse
import secrets
import time

from pointsman.cli.command import again
from pointsman.cli.on_store import Desk, declare_store, no_job, on_store, print_wrong
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.domain.job import Job
from pointsman.domain.said import Said, said, told
from pointsman.pipeline.job_list import every
from pointsman.pipeline.job_worker import revive
from pointsman.ports.job_store import Wanted

_VERB = "jobs retry"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", metavar="ID", nargs="*", help="a job that is dead")
    parser.add_argument("--all-dead", action="store_true", help="all that are dead")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    if bool(options.ids) == options.all_dead:
        print_error(_VERB, said(*_WHICH, dead=again(options, "jobs dead")), options.tongue)
        return 2

    async def work(desk: Desk) -> int:
        ids = options.ids or await _dead(desk, options)
        good = True
        for job_id in ids:
            good &= await _retry(desk, job_id, options)
        if not ids:
            print_line(told(_NONE, options.tongue))
        return 0 if good else 1

    return on_store(options, _VERB, work)


async def _dead(desk: Desk, options: argparse.Namespace) -> list[str]:
    """All that are of use to somebody."""
    dead = await every(desk.store, Wanted(phase="dead"))
    parents = {job.parent: await desk.store.get(job.parent) for job in dead if job.parent is not None}
    over = {name for name, parent in parents.items() if parent is None or parent.over}
    if late := sum(job.parent in over for job in dead):
        print_error(_VERB, said(*_LATE, count=late), options.tongue)
    return [job.id for job in dead if job.parent not in over]


async def _retry(desk: Desk, job_id: str, options: argparse.Namespace) -> bool:
    before = await desk.store.get(job_id)
    job = await revive(desk.store, job_id, time.time(), secrets.token_hex(8)) if before else None
    if before is None or job is None:
        print_wrong(_VERB, no_job(job_id, desk.config, options), options)
        return False
    if job.generation == before.generation:
        print_wrong(_VERB, said(*_NOT_DEAD, id=job_id, where=_where(job), dead=again(options, "jobs dead")), options)
        return False
    if options.json:
        print_json({"id": job_id, "generation": job.generation, "state": job.place.state})
    else:
        print_line(told(said(*_BEGUN, id=job_id, state=job.place.state), options.tongue))
    return True


def _where(job: Job) -> str:
    return f"{job.place.state}, {job.place.outcome or job.place.disposition}"


_WHICH = (
    "name the jobs that are to be begun anew, or --all-dead; `{dead}` lists them",
    "请指定要重新开始的任务 id，或用 --all-dead；`{dead}` 会列出它们",
)
_NOT_DEAD = (
    "{id} is not dead ({where}), so there is nothing to begin anew; `{dead}` lists those that are",
    "{id} 没有被放弃（{where}），无需重新开始；`{dead}` 列出被放弃的任务",
)
_BEGUN = ("{id}: goes on from {state}", "{id}：从 {state} 继续")
_NONE = Said("there is no job to begin anew", "没有需要重新开始的任务")
_LATE = (
    "{count} are parts of batches that are over, whose files are written; they stay as they are: send these requests again",
    "{count} 个属于已结束的批处理，结果文件已经写好，保持原样：请重新提交这些请求",
)
