"""Submissions, and the names that callers have for their jobs."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from pointsman.domain.job import Submission, Submitted
from pointsman.domain.said import said
from pointsman.store.jobs.redis_batch import MOST
from pointsman.store.jobs.redis_calls import Call, creating, naming
from pointsman.store.jobs.redis_jobs import name, named
from pointsman.store.jobs.redis_shards import Shards, all_of

_PATIENCE = 1.0
"""Seconds for somebody who has taken a name and not yet made the job; they may have died over it."""
_PAUSE = 0.05  # seconds


class Submits:
    """A name lies in a shard of its own, so it is taken first and the job made after it, under the id that the name leads
    to. Who dies between the two leaves a name without a job: the next one that submits the same under it makes the job,
    and one that submits something else takes the name over."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._keys = shards.keys
        self._turns = itertools.count(1)
        self._process = secrets.token_hex(6)

    def _turn(self) -> tuple[str, int]:
        """The name of a creation, which is done once however often it is sent, and its turn."""
        turn = next(self._turns)
        return f"{self._process}.{turn}", turn

    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        """Raises ValueError where a parent's id is none for that child: they must lie in one shard."""
        for submission in submissions:
            self._check(submission)
        done: list[Submitted] = []
        for first in range(0, len(submissions), MOST):
            done += await self._submit(submissions[first : first + MOST])
        return done

    async def _submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        """At most MOST, so that they come one after the other in the streams."""
        resolved = await self._resolved(submissions)
        calls: dict[int, list[Call]] = {}
        places_of: dict[int, list[int]] = {}
        for at, (each, conflict) in enumerate(resolved):
            if not conflict:
                shard = self._keys.shard(each.id)
                calls.setdefault(shard, []).append(creating(self._keys, each, *self._turn()))
                places_of.setdefault(shard, []).append(at)
        replies = [reply for shard, part in calls.items() for reply in self._shards.write_in_order(shard, part)]
        made = dict(zip((at for places in places_of.values() for at in places), await all_of(replies), strict=True))
        return [Submitted(each.id, bool(made.get(at)), conflict) for at, (each, conflict) in enumerate(resolved)]

    async def spawned(self, parent: str, submissions: Sequence[Submission]) -> list[tuple[Submission, str, int]]:
        """Those of them that are to be made with a change of this job, each with the name of its creation and its turn."""
        for submission in submissions:
            self._check(submission)
            self._check_family(submission.id, parent)
        resolved = await self._resolved(submissions)
        return [
            (submission, *self._turn())
            for submission, (each, conflict) in zip(submissions, resolved, strict=True)
            if not conflict and each.id == submission.id
        ]

    async def find(self, caller: str, key: str) -> str | None:
        blob = await self._shards.server.command("GET", self._name(caller, key)[1])
        job_id = named(blob)[0] if blob is not None else None
        return job_id if job_id is not None and await self._exists(job_id) else None

    async def forget(self, caller: str, key: str, job_id: str) -> None:
        """That job is no more."""
        shard, where = self._name(caller, key)
        blob = await self._shards.server.command("GET", where)
        if blob is not None and named(blob)[0] == job_id:
            await self._shards.write(shard, naming(where, b"", blob))

    async def _resolved(self, submissions: Sequence[Submission]) -> Sequence[tuple[Submission, bool]]:
        """Each under the id that its name leads to. True: its name is that of something else."""
        resolved: list[tuple[Submission, bool]] = []
        coming: set[str] = set()
        for submission in submissions:  # of two with one name, the first is to have it
            each, conflict = await self._named(submission, coming)
            resolved.append((each, conflict))
            if not conflict:
                coming.add(each.id)
        return resolved

    async def _named(self, submission: Submission, coming: Collection[str]) -> tuple[Submission, bool]:
        """`coming`: ids of jobs that are about to be made. An id that is there makes nothing, and names nothing."""
        if submission.key is None or submission.id in coming or await self._exists(submission.id):
            return submission, False
        shard, where = self._name(submission.caller, submission.key)
        value, instead = name(submission.id, submission.digest), b""
        deadline = asyncio.get_running_loop().time() + _PATIENCE
        while True:
            there = await self._shards.write(shard, naming(where, value, instead))
            if there is None or there == instead:
                return submission, False
            job_id, digest = named(there)
            if job_id == submission.id or digest == submission.digest:
                return replace(submission, id=job_id), False
            if job_id in coming or await self._exists(job_id):
                return replace(submission, id=job_id), True
            if asyncio.get_running_loop().time() > deadline:
                instead = there
            else:
                await asyncio.sleep(_PAUSE)

    async def _exists(self, job_id: str) -> bool:
        return bool(await self._shards.server.command("EXISTS", self._keys.job(self._keys.shard(job_id), job_id)))

    def _name(self, caller: str, key: str) -> tuple[int, bytes]:
        shard = self._keys.shard_of_name(caller, key)
        return shard, self._keys.name(shard, caller, key)

    def _check(self, submission: Submission) -> None:
        if submission.parent is not None:
            self._check_family(submission.id, submission.parent)

    def _check_family(self, child: str, parent: str) -> None:
        if self._keys.shard(child) != self._keys.shard(parent):
            raise ValueError(
                said(
                    "{child} cannot belong to {parent}: their ids do not begin with the same digits",
                    "{child} 不能属于 {parent}：两者的 ID 开头的数字不同",
                    child=child,
                    parent=parent,
                )
            )
