"""One timer for all requests under way: those that take long are noted, so that none is lost without a trace."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from pointsman.domain.record import Record
from pointsman.pipeline.handle import Pipeline, Progress
from pointsman.ports.journal import Journal

EVERY = 0.2  # seconds between two looks
AFTER = 0.3  # seconds under way from which on a request is noted
DIED = "gateway_died"
"""The error of a request that its gateway did not live to end."""
_AT_ONCE = 8  # notes after which whatever else waits for the loop has its turn


async def keep_journal(pipeline: Pipeline, journal: Journal) -> None:
    """Until it is cancelled. Jobs are left out: their store has them done again."""
    noted: dict[str, Progress] = {}
    while True:
        await asyncio.sleep(EVERY)
        await look(pipeline, journal, noted)


async def look(pipeline: Pipeline, journal: Journal, noted: dict[str, Progress]) -> None:
    """Notes what is old enough, and again what has got further since. `noted` is how far each was when it was noted; those
    that ended leave it."""
    under_way = pipeline.under_way
    for name in [name for name in noted if name not in under_way]:
        del noted[name]
    young = pipeline.clock.monotonic() - AFTER
    told = 0
    for name, run in list(under_way.items()):  # the oldest first
        if run.began > young:
            break
        if run.is_job or noted.get(name) == run.progress or under_way.get(name) is not run:
            continue
        noted[name] = run.progress
        journal.note(cut_off(run.record()), *run.decided_by)
        told += 1
        if told % _AT_ONCE == 0:
            await asyncio.sleep(0)


def cut_off(record: Record) -> Record:
    """What is to be said of a request under way if its gateway dies: nobody knows when that was, nor what had come."""
    return replace(
        record,
        outcome="failed",
        status=502,
        error=DIED,
        timings=replace(record.timings, total=None),
        input_tokens=None,
        output_tokens=None,
        cached_tokens=None,
        output_estimated=False,
    )
