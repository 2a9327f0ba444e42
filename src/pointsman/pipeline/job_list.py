"""Jobs of all kinds in one list, newest first. Stores list by id, in which the kind comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import get_args

from pointsman.domain.job import Job, Kind, shard_of
from pointsman.ports.job_store import JobStore, Phase, Wanted

_PREFIXES: dict[Kind, str] = {
    "batch": "batch",
    "request": "job",
    "action": "job",
    "webhook": "webhook",
    "delivery": "delivery",
}
_PAST = "`"  # the character after `_`: above all ids of a kind
_SELF = "!"  # below `.`: above an id, and below those of its children


async def newest(
    store: JobStore, wanted: Wanted, most: int, after: str | None = None, kinds: Collection[Kind] = get_args(Kind)
) -> list[Job]:
    """At most so many, those behind the job `after` in this order, of these kinds. Children are shown with their parent's
    name, or where they are dead; else their parent stands for them. Raises StoreError."""
    if wanted.parent is not None:
        return await store.ls(wanted, most, after)
    prefixes = sorted({_PREFIXES[kind] for kind in kinds if wanted.kind in (None, kind)})
    parts = await asyncio.gather(*(_of_prefix(store, prefix, wanted, most, after) for prefix in prefixes))
    return sorted((job for part in parts for job in part), key=_order, reverse=True)[:most]


def _order(job: Job) -> tuple[str, str]:
    prefix, _, digits = job.id.partition("_")
    return digits, prefix


async def _of_prefix(store: JobStore, prefix: str, wanted: Wanted, most: int, after: str | None) -> list[Job]:
    found: list[Job] = []
    before = _start(prefix, after)
    while len(found) < most:
        page = await store.ls(wanted, most - len(found), before)
        for job in page:
            if not job.id.startswith(f"{prefix}_"):
                return found
            if job.parent is not None and wanted.phase != "dead":
                before = f"{prefix}_{shard_of(job.id)}."  # past all of its siblings
                break
            found.append(job)
            before = job.id
        else:
            if not page or len(found) >= most:
                return found
    return found


def _start(prefix: str, after: str | None) -> str:
    if after is None:
        return prefix + _PAST
    behind, _, digits = after.rpartition("_")
    return f"{prefix}_{digits}{_SELF if prefix < behind else ''}"


async def every(store: JobStore, wanted: Wanted, page: int = 500) -> list[Job]:
    """All of them, which may be many. Raises StoreError."""
    found: list[Job] = []
    while True:
        more = await newest(store, wanted, page, found[-1].id if found else None)
        found += more
        if len(more) < page:
            return found


def phase_of(job: Job) -> Phase:
    """What lists are asked for by."""
    if job.over:
        return "dead" if job.place.disposition == "dead" else "over"
    if job.place.disposition == "parked":
        return "parked"
    return "running" if job.worker else "waiting"
