"""Jobs in Redis or Valkey, one server or a cluster, for gateways and workers on many machines."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from pointsman.domain.job import QUEUES, Change, Held, Job, Queue, Step, Submission, Submitted
from pointsman.domain.said import Said
from pointsman.ports.job_store import Fenced, Standing, Wanted
from pointsman.store.jobs import redis_list, redis_values
from pointsman.store.jobs.redis_calls import advancing
from pointsman.store.jobs.redis_claims import Claims
from pointsman.store.jobs.redis_jobs import WHOLE, job, parent
from pointsman.store.jobs.redis_server import Server
from pointsman.store.jobs.redis_shards import Shards
from pointsman.store.jobs.redis_submits import Submits
from pointsman.store.jobs.redis_url import read_url

_KNOWN = 50_000  # jobs whose parents are remembered
_step = msgspec.msgpack.Decoder(Step).decode


class RedisJobStore:
    """`url`: `redis://[user:password@]host[:port][/db]`, `rediss://…` with TLS, `unix:///path/of/socket`, or
    `redis+cluster://host:port,host:port…`. Options: `prefix` of all keys; `wait=N`, so that nothing is acknowledged before N
    replicas confirm it, within `wait_ms`; `db`; `ca`, a file with the authorities that TLS trusts.

    Raises ValueError for a URL that is none and ImportError where the client is not installed. Nothing is connected before
    the first call; a server that is gone is found again when it is back."""

    def __init__(self, url: str) -> None:
        place = read_url(url)
        self._server = Server(place)
        self._shards = Shards(self._server, place.prefix)
        self._keys = self._shards.keys
        self._submits = Submits(self._shards)
        self._claims = Claims(self._shards)
        self._parents: OrderedDict[str, str | None] = OrderedDict()

    async def check(self) -> list[Said]:
        """What of the server's settings endangers jobs, for a person to read. Raises StoreError where it is too old or
        cannot be reached."""
        return await self._server.check()

    async def submit(self, submissions: Sequence[Submission]) -> list[Submitted]:
        return await self._submits.submit(submissions)

    async def claim(self, queues: Sequence[Queue], worker: str, most: int, lease: float) -> list[Job]:
        jobs = await self._claims.claim(queues, worker, most, lease)
        for each in jobs:
            self._know(each.id, each.parent)
        return jobs

    async def advance(self, held: Held, change: Change) -> Held:
        shard = self._keys.shard(held.id)
        spawn = await self._submits.spawned(held.id, change.spawn) if change.spawn else ()
        while True:
            of = await self._parent(held.id)
            call = advancing(self._keys, held, change, of, spawn)
            version, token, *more = await self._shards.write(shard, call)
            if version > 0:
                after = Held(held.id, version, token)
                if more:
                    self._claims.advanced(shard, after, more[0], QUEUES[more[1] - 1], change)
                return after
            if version == 0:
                raise Fenced(held.id)
            self._parents.pop(held.id, None)  # the job is another than it was

    async def renew(self, held: Sequence[Held], lease: float) -> list[Standing]:
        return await self._claims.renew(held, lease)

    async def get(self, job_id: str) -> Job | None:
        (fields,) = await self._shards.found(self._keys.shard(job_id), [job_id], WHOLE)
        found = job(job_id, fields)
        if found is not None:
            self._know(job_id, found.parent)
        return found

    async def find(self, caller: str, key: str) -> str | None:
        return await self._submits.find(caller, key)

    async def trace(self, job_id: str) -> list[Step]:
        steps = await self._server.command("LRANGE", self._keys.trace(self._keys.shard(job_id), job_id), 0, -1)
        return [_step(step) for step in steps]

    async def ls(self, wanted: Wanted, most: int, before: str | None = None) -> list[Job]:
        return await redis_list.ls(self._shards, wanted, most, before)

    async def counts(self) -> dict[str, int]:
        return await redis_list.counts(self._shards)

    async def purge(self, before: float, most: int = 1000) -> list[Job]:
        return await redis_list.purge(self._shards, self._submits, before, most)

    async def wait(self, queues: Sequence[Queue], seconds: float) -> None:
        await self._claims.wait(queues, seconds)

    async def put(self, key: str, value: bytes, seconds: float) -> None:
        await redis_values.put(self._shards, key, value, seconds)

    async def read(self, key: str) -> bytes | None:
        return await redis_values.read(self._shards, key)

    async def delete(self, key: str) -> None:
        await redis_values.delete(self._shards, key)

    async def scan(self, prefix: str) -> dict[str, bytes]:
        return await redis_values.scan(self._shards, prefix)

    async def close(self) -> None:
        await self._shards.close()

    async def _parent(self, job_id: str) -> str | None:
        """A script must be told all keys that it may touch, and a job that ends touches its parent."""
        if job_id not in self._parents:
            (fields,) = await self._shards.found(self._keys.shard(job_id), [job_id], ("facts",))
            self._know(job_id, parent(fields))
        return self._parents[job_id]

    def _know(self, job_id: str, of: str | None) -> None:
        self._parents[job_id] = of
        if len(self._parents) > _KNOWN:
            self._parents.popitem(last=False)
