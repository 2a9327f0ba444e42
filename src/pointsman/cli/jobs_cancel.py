"""Call jobs off. Whoever works on one stops; of a batch, what was done is delivered."""

from __future__ import annotations

import argparse
import secrets
import time

from pointsman.cli.command import again
from pointsman.cli.on_store import Desk, declare_store, no_job, on_store, print_wrong
from pointsman.cli.output import print_json, print_line
from pointsman.domain.said import said, told
from pointsman.pipeline.batches.cancel import cancel
from pointsman.pipeline.job_worker import call_off
from pointsman.pipeline.webhooks import notices_of

_VERB = "jobs cancel"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", metavar="ID", nargs="+", help="a job, or a batch with all of its requests")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    async def work(desk: Desk) -> int:
        good = True
        for job_id in options.ids:
            good &= await _cancel(desk, job_id, options)
        return 0 if good else 1

    return on_store(options, _VERB, work)


async def _cancel(desk: Desk, job_id: str, options: argparse.Namespace) -> bool:
    before = await desk.store.get(job_id)
    now, op = time.time(), secrets.token_hex(8)
    if before is not None and before.kind == "batch":
        job = await cancel(desk.store, job_id, now, op, notices_of, lambda child: None)
    else:
        job = await call_off(desk.store, job_id, now, op, notices_of)
    if before is None or job is None:
        print_wrong(_VERB, no_job(job_id, desk.config, options), options)
        return False
    if before.over:
        where = f"{before.place.state}, {before.place.outcome or before.place.disposition}"
        print_wrong(_VERB, said(*_OVER, id=job_id, where=where), options)
        return False
    if options.json:
        print_json({"id": job_id, "state": job.place.state, "disposition": job.place.disposition})
    elif job.over:
        print_line(told(said(*_CANCELLED, id=job_id), options.tongue))
    else:
        print_line(told(said(*_ENDING, id=job_id, watch=again(options, f"jobs watch {job_id}")), options.tongue))
    return True


_OVER = ("{id} is over already ({where})", "{id} 已经结束（{where}）")
_CANCELLED = ("{id}: called off", "{id}：已取消")
_ENDING = (
    "{id}: is being called off; what was done is delivered (`{watch}`)",
    "{id}：正在取消，已完成的部分照常交付（`{watch}`）",
)
