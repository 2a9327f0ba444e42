"""Who gets which job, and for how long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any

from pointsman.domain.job import Change, Held, Job, Queue
from pointsman.ports.job_store import Standing
from pointsman.store.jobs.redis_calls import claiming, renewing
from pointsman.store.jobs.redis_jobs import WHOLE, job
from pointsman.store.jobs.redis_looks import Look, Looks, places
from pointsman.store.jobs.redis_shards import Shards, all_of
from pointsman.store.jobs.redis_watch import Due, Sign

_PEEK = 50  # entries of each stream of a cluster that are put in order
_ROUNDS = 5
Given = tuple[int, str, int]
"""Shard, id and token of a job that was given out."""


class Claims:
    """All that changes who has a job tells the watch, so that this process sees its own jobs run out without a look."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._keys = shards.keys
        self._looks = Looks(shards)
        self._watches = self._looks.watches
        self._one_at_a_time = asyncio.Lock()

    async def claim(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Job]:
        await self._looks.watch()
        if most <= 0 or not queues:
            return []
        if self._shards.server.cluster:
            given = await self._claim_of_many(queues, worker, most, lease)
        else:
            now = time.monotonic()
            due = [(queue, self._watches[0].due(queue, now)[:most]) for queue in queues]
            given = await self._claim_of(0, due, worker, most, lease)
        jobs = await self._read(given)
        now = time.monotonic()
        for shard, each in jobs:
            self._watches[shard].note(Sign(each.id, each.queue, each.token, 0, lease, True), now)
        return [each for _, each in jobs]

    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        parts: dict[int, list[int]] = {}
        for at, each in enumerate(held):
            parts.setdefault(self._keys.shard(each.id), []).append(at)
        calls = [
            self._shards.write(shard, renewing([held[at] for at in indexes], lease)) for shard, indexes in parts.items()
        ]
        standings: list[Standing] = ["lost"] * len(held)
        for (shard, indexes), beats in zip(parts.items(), await all_of(calls), strict=True):
            for at, beat in zip(indexes, beats, strict=True):
                if beat >= 0:
                    standings[at] = "held"
                    self._watches[shard].touch(held[at].id, held[at].token, beat, lease, time.monotonic())
        return standings

    def advanced(self, shard: int, after: Held, stands: int, queue: Queue, change: Change) -> None:
        """`stands`: 1 where its holder goes on, 0 where nobody is waited for, the beat of a delay."""
        watch = self._watches[shard]
        if stands < 0:
            watch.note(Sign(after.id, queue, after.token, stands, change.delay, False), time.monotonic())
        elif not stands:
            watch.drop(after.id)

    async def wait(self, queues: Sequence[Queue], seconds: float) -> None:
        await self._looks.wait(queues, seconds)

    async def _claim_of(
        self, shard: int, due: Sequence[tuple[Queue, Sequence[Due]]], worker: str, most: int, lease: float
    ) -> list[Given]:
        watch = self._watches[shard]
        named = [(queue, [each.sign for each in some]) for queue, some in due]
        for _, signs in named:  # other claims of this process need not try them too
            for sign in signs:
                watch.drop(sign.id)
        reply = await self._shards.write(shard, claiming(self._keys, shard, named, worker, most, lease))
        given = [(shard, reply[at].decode(), reply[at + 1]) for at in range(0, len(reply), 2)]
        if len(given) == most:  # some may not have been tried
            taken = {job_id for _, job_id, _ in given}
            for each in (each for _, some in due for each in some if each.sign.id not in taken):
                watch.put_back(each.sign, each.since)
        return given

    async def _claim_of_many(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Given]:
        """Of a cluster: looks first what the shards have, puts it in order, and takes so much of each as comes first.
        Once more where others were quicker."""
        given: list[Given] = []
        async with self._one_at_a_time:
            for _ in range(_ROUNDS):
                wanted = min(most - len(given), _PEEK)
                calls, order = self._planned(await self._looks.all(wanted), queues, worker, most - len(given), lease)
                some = [each for got in await all_of(calls) for each in got]
                given += sorted(some, key=lambda each: order.get(each[1], len(order)))
                if len(given) >= most or len(some) >= len(order):
                    break
        return given

    def _planned(
        self, looks: Sequence[Look], queues: Sequence[Queue], worker: str, most: int, lease: float
    ) -> tuple[list[Coroutine[Any, Any, list[Given]]], dict[str, int]]:
        """The calls, and the ids that they are to give, as far as they are known, with the place of each."""
        calls: list[Coroutine[Any, Any, list[Given]]] = []
        order: dict[str, int] = {}
        for queue in queues:
            due = self._due(queue)[:most]
            fresh, beyond = _in_order(looks, queue, most - len(due))
            for job_id in [each.sign.id for _, each in due] + [job_id for _, job_id in fresh]:
                order[job_id] = len(order)
            wanted = [shard for shard, _ in fresh] + beyond
            most -= len(due) + len(wanted)
            for shard in sorted({*wanted, *(shard for shard, _ in due)}):
                some = [each for where, each in due if where == shard]
                number = len(some) + wanted.count(shard)
                calls.append(self._claim_of(shard, [(queue, some)], worker, number, lease))
        return calls, order

    def _due(self, queue: Queue) -> list[tuple[int, Due]]:
        """Of all shards, in order."""
        now = time.monotonic()
        ready = [(shard, each) for shard, watch in enumerate(self._watches) for each in watch.due(queue, now)]
        return sorted(ready, key=lambda each: each[1][:2])

    async def _read(self, given: Sequence[Given]) -> list[tuple[int, Job]]:
        """Those that were given out, as far as nobody has called them off since."""
        parts: dict[int, list[str]] = {}
        for shard, job_id, _ in given:
            parts.setdefault(shard, []).append(job_id)
        calls = [self._shards.found(shard, ids, WHOLE) for shard, ids in parts.items()]
        jobs: dict[str, Job] = {}
        for ids, found in zip(parts.values(), await all_of(calls), strict=True):
            for job_id, fields in zip(ids, found, strict=True):
                each = job(job_id, fields)
                if each is not None and fields[-1] is not None:
                    jobs[job_id] = each
        return [
            (shard, jobs[job_id]) for shard, job_id, token in given if job_id in jobs and jobs[job_id].token == token
        ]


def _in_order(looks: Sequence[Look], queue: Queue, most: int) -> tuple[list[tuple[int, str]], list[int]]:
    """The shard and id of those that come first, at most so many: what was given back, then what is fresh, the oldest
    first. Where more are wanted than were shown, the shards that have them."""
    found: list[tuple[int, str]] = []
    for at in places(queue):
        shown = [
            (float(fields[5]), int(fields[7]), shard, fields[1].decode())
            for shard, look in enumerate(looks)
            for _, fields in look.first[at]
        ]
        found += [(shard, job_id) for _, _, shard, job_id in sorted(shown)]
    found = found[: max(most, 0)]
    beyond: list[int] = []
    for shard, look in enumerate(looks):
        shown_of = sum(len(look.first[at]) for at in places(queue))
        beyond += [shard] * min(look.count(queue) - shown_of, most - len(found) - len(beyond))
    return found, beyond
