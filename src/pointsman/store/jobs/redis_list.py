"""Lists of jobs, their numbers, and the removal of those that are long over."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

from pointsman.domain.job import QUEUES, Job
from pointsman.ports.job_store import StoreError, Wanted
from pointsman.store.jobs.redis_calls import SIZES, looking
from pointsman.store.jobs.redis_jobs import job, leased, signs
from pointsman.store.jobs.redis_keys import NUMBER
from pointsman.store.jobs.redis_server import Script
from pointsman.store.jobs.redis_shards import Shards
from pointsman.store.jobs.redis_submits import Submits

_PAGE = 200  # jobs that are read at a time
_PURGE = Script("redis_purge", writes=True)


async def ls(shards: Shards, wanted: Wanted, most: int, before: str | None) -> list[Job]:
    async def some(source: AsyncIterator[tuple[str, list[Any]]]) -> list[Job]:
        found: list[Job] = []
        async for job_id, fields in source:
            if len(found) >= most:
                break
            each = job(job_id, fields)
            if each is not None and _shows(wanted, each, fields):
                found.append(each)
        return found

    parts = await asyncio.gather(*(some(source) for source in _sources(shards, wanted, before)))
    return sorted((each for part in parts for each in part), key=lambda each: each.id, reverse=True)[:most]


def _sources(shards: Shards, wanted: Wanted, before: str | None) -> list[AsyncIterator[tuple[str, list[Any]]]]:
    """The narrowest indexes that hold all that is wanted."""
    keys = shards.keys
    if wanted.parent is not None:
        shard = keys.shard(wanted.parent)
        return [_indexed(shards, shard, keys.children(shard, wanted.parent), before)]
    if wanted.phase == "running":
        return [_running(shards, shard, before) for shard in shards.all]
    if wanted.phase in ("parked", "dead"):
        of = keys.parked if wanted.phase == "parked" else keys.dead
        queues = QUEUES if wanted.queue is None else (wanted.queue,)
        return [_indexed(shards, shard, of(shard, queue), before) for shard in shards.all for queue in queues]
    if wanted.caller is not None:
        return [_indexed(shards, shard, keys.caller(shard, wanted.caller), before) for shard in shards.all]
    index = keys.open if wanted.phase == "waiting" else keys.ids
    return [_indexed(shards, shard, index(shard), before) for shard in shards.all]


async def _indexed(
    shards: Shards, shard: int, index: bytes, before: str | None
) -> AsyncIterator[tuple[str, list[Any]]]:
    """All jobs of an index before that one, newest first."""
    start = b"+" if before is None else b"(" + before.encode()
    while True:
        names = await shards.server.command("ZRANGE", index, start, b"-", "BYLEX", "REV", "LIMIT", 0, _PAGE)
        ids = [name.decode() for name in names]
        for each in zip(ids, await shards.found(shard, ids), strict=True):
            yield each
        if len(ids) < _PAGE:
            return
        start = b"(" + names[-1]


async def _running(shards: Shards, shard: int, before: str | None) -> AsyncIterator[tuple[str, list[Any]]]:
    held = await shards.server.command("HKEYS", shards.keys.held(shard))
    ids = sorted((name.decode() for name in held), reverse=True)
    ids = [job_id for job_id in ids if before is None or job_id < before]
    for at in range(0, len(ids), _PAGE):
        for each in zip(ids[at : at + _PAGE], await shards.found(shard, ids[at : at + _PAGE]), strict=True):
            yield each


def _shows(wanted: Wanted, each: Job, fields: Sequence[Any]) -> bool:
    return all(
        asked in (None, found)
        for asked, found in (
            (wanted.phase, _phase(each, fields)),
            (wanted.caller, each.caller),
            (wanted.queue, each.queue),
            (wanted.kind, each.kind),
            (wanted.parent, each.parent),
        )
    )


def _phase(each: Job, fields: Sequence[Any]) -> str:
    if each.over:
        return "dead" if each.place.disposition == "dead" else "over"
    if each.place.disposition == "parked":
        return "parked"
    return "running" if leased(fields) else "waiting"


async def counts(shards: Shards) -> dict[str, int]:
    numbers = dict.fromkeys(
        (f"{queue}.{phase}" for queue in QUEUES for phase in ("waiting", "running", "parked", "dead")), 0
    )
    for shard in shards.all:
        (waiting, _, held, _), sizes = await asyncio.gather(
            shards.read(shard, looking(held=True)), shards.read(shard, ((), SIZES))
        )
        for queue in QUEUES:
            number = NUMBER[queue]
            numbers[f"{queue}.waiting"] += waiting[2 * number - 2] + waiting[2 * number - 1]
            numbers[f"{queue}.parked"] += sizes[number - 1]
            numbers[f"{queue}.dead"] += sizes[number + 2]
        for sign in signs(held):
            numbers[f"{sign.queue}.{'running' if sign.leased else 'waiting'}"] += 1
    return {name: number for name, number in numbers.items() if number}


async def purge(shards: Shards, submits: Submits, before: float, most: int) -> list[Job]:
    gone: list[Job] = []
    again = True
    while again:  # once its children are gone, a parent can go too
        removed: list[Job] = []
        for shard in shards.all:
            removed += await _purged(shards, shard, before, most - len(gone) - len(removed))
        gone += removed
        again = len(gone) < most and any(each.parent is not None for each in removed)
    for each in gone:
        if each.key is not None:
            with contextlib.suppress(StoreError):  # a name without a job does no harm
                await submits.forget(each.caller, each.key, each.id)
    return gone


async def _purged(shards: Shards, shard: int, before: float, most: int) -> list[Job]:
    """Of one shard, those that were changed first before all others: children mostly before their parents."""
    gone: list[Job] = []
    stayed = 0
    while len(gone) < most:
        few = ("LIMIT", stayed, min(_PAGE, most - len(gone)))
        names = await shards.server.command("ZRANGE", shards.keys.over(shard), "-inf", f"({before!r}", "BYSCORE", *few)
        if not names:
            break
        ids = [name.decode() for name in names]
        found = zip(ids, await shards.found(shard, ids), strict=True)
        jobs = [each for job_id, fields in found if (each := job(job_id, fields)) is not None]
        removed = await _remove(shards, shard, before, jobs)
        gone += removed
        stayed += len(ids) - len(removed)
    return gone


async def _remove(shards: Shards, shard: int, before: float, jobs: Sequence[Job]) -> list[Job]:
    """Those that really went: the script looks once more."""
    keys = shards.keys
    touched, args = list(keys.own[shard]), [repr(before)]
    for each in jobs:
        children = keys.children(shard, each.id)
        touched += (keys.job(shard, each.id), keys.trace(shard, each.id), keys.caller(shard, each.caller), children)
        touched.append(children if each.parent is None else keys.children(shard, each.parent))
        args += (each.id, str(NUMBER[each.queue]), each.parent or "")
    gone = await shards.server.script(_PURGE, touched, args) if jobs else []
    return [each for each, went in zip(jobs, gone, strict=True) if went]
