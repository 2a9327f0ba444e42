"""The server, or the servers of a cluster: scripts and commands, with what goes wrong as StoreError."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Coroutine, Sequence
from importlib import resources
from typing import Any

from pointsman.domain.said import Said, said
from pointsman.ports.job_store import StoreError
from pointsman.store.jobs.redis_errors import closed, explained, unconfirmed
from pointsman.store.jobs.redis_url import Place

_CONNECT = 3.0  # seconds
_ANSWER = 10.0  # seconds for any answer, a blocking one too


class Script:
    """A Lua file in `package`. The server knows it by `sha` once it has seen it; `writes`: it is to be confirmed by
    replicas where that is wanted."""

    def __init__(self, name: str, *, writes: bool, package: str = __package__) -> None:
        self.text = resources.files(package).joinpath(f"{name}.lua").read_bytes()
        self.sha = hashlib.sha1(self.text, usedforsecurity=False).hexdigest()
        self.writes = writes


class Server:
    """One client for all, and one for reads that block, so that nothing waits behind them. Connections are made when they
    are needed, and made anew when they break: it works again as soon as the server does. A command that met a broken
    connection is sent a second time at once; so whatever is sent here may be done twice.

    Raises ImportError where the client is not installed, and StoreError whenever the server cannot do it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.where = place.shown
        self.cluster = place.mode == "cluster"
        try:
            import redis.asyncio
        except ImportError:
            raise ImportError(
                said(
                    "a store of the kind redis:// needs more packages: pip install 'pointsman[redis]'",
                    "redis:// 存储需要额外的软件包：pip install 'pointsman[redis]'",
                )
            ) from None
        self._redis = redis
        failures = (redis.exceptions.RedisError, redis.exceptions.RedisClusterException, OSError)
        # The connections of a cluster are closed under other calls' feet when it is down: AttributeError.
        self._failures: tuple[type[Exception], ...] = (*failures, AttributeError) if self.cluster else failures
        self._client = self._made()
        self._blocking = self._client if self.cluster else self._made()
        self._under_way: set[asyncio.Task[Any]] = set()
        self._closed = False

    def _made(self) -> Any:
        from redis.asyncio.retry import Retry
        from redis.backoff import NoBackoff

        place = self._place
        options: dict[str, Any] = {
            "username": place.username,
            "password": place.password,
            "socket_connect_timeout": _CONNECT,
            "socket_timeout": _ANSWER,
            "socket_keepalive": True,
            "protocol": 2,
        }
        if place.tls:
            options |= {"ssl": True, "ssl_ca_certs": place.ca}
        if self.cluster:
            from redis.asyncio.cluster import ClusterNode, RedisCluster

            nodes = [ClusterNode(host, port) for host, port in place.hosts]
            # reinitialize_steps: it must not close all connections, others' too, when a slot has moved.
            return RedisCluster(startup_nodes=nodes, retry=Retry(NoBackoff(), 3), reinitialize_steps=0, **options)
        options |= {"db": place.db, "retry": Retry(NoBackoff(), 1, (self._redis.exceptions.ConnectionError,))}
        if place.path is not None:
            return self._redis.asyncio.Redis(unix_socket_path=place.path, **options)
        host, port = place.hosts[0]
        return self._redis.asyncio.Redis(host=host, port=port, **options)

    async def script(self, script: Script, keys: Sequence[bytes], args: Sequence[Any]) -> Any:
        """Durable on so many replicas as are wanted, if it writes."""
        sent = (len(keys), *keys, *args)
        run = self._confirmed if self._place.wait and script.writes else self._plain
        try:
            return await run("EVALSHA", script.sha, *sent)
        except _Unknown:
            return await run("EVAL", script.text, *sent)

    async def command(self, *args: Any) -> Any:
        return await self._apart(self._plain(*args))

    async def block(self, *args: Any) -> Any:
        """A read that waits at the server, for less than `_ANSWER` seconds."""
        return await self._apart(self._plain(*args, client=self._blocking))

    async def _apart(self, what: Coroutine[Any, Any, Any]) -> Any:
        """In a task of its own: the client may swallow a cancellation (asyncio.wait_for of Python 3.11 does), and who is
        cancelled here must not wait for it. Closing ends it too."""
        task = asyncio.create_task(what)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled() and self._closed:
                raise closed() from None
            task.cancel()
            raise

    async def _plain(self, *args: Any, client: Any = None) -> Any:
        if self._closed:
            raise closed()
        try:
            if self.cluster:
                await self._client.initialize()  # else it would ask nodes at random
            return await (client or self._client).execute_command(*args)
        except self._failures as error:
            raise await self._explained(error) from error

    async def _confirmed(self, *args: Any) -> Any:
        """A script, and on its connection the wait for replicas. In a cluster the two may be parted, when the slot has
        just moved: then nothing is confirmed."""
        if self._closed:
            raise closed()
        place = self._place
        node: dict[str, Any] = {}
        try:
            if self.cluster:
                await self._client.initialize()
                node = {"target_nodes": self._client.get_node_from_key(args[3])}
            pipeline = self._client.pipeline() if self.cluster else self._client.pipeline(transaction=False)
            pipeline.execute_command(*args)
            pipeline.execute_command("WAIT", place.wait, place.wait_ms, **node)
            reply, confirmed = await pipeline.execute(raise_on_error=False)
            if isinstance(reply, Exception):
                raise reply
            if isinstance(confirmed, Exception):
                raise confirmed
            if self.cluster and self._client.get_node_from_key(args[3]) != node["target_nodes"]:
                confirmed = 0
        except self._failures as error:
            raise await self._explained(error) from error
        if confirmed < place.wait:
            raise unconfirmed(self.where, confirmed, place.wait)
        return reply

    async def _explained(self, error: Exception) -> Exception:
        if isinstance(error, self._redis.exceptions.NoScriptError):
            return _Unknown()
        if isinstance(error, self._redis.exceptions.ReadOnlyError) and not self.cluster:
            # The name may lead to another server by now.
            await asyncio.gather(
                *(
                    client.connection_pool.disconnect(inuse_connections=False)
                    for client in (self._client, self._blocking)
                ),
                return_exceptions=True,
            )
        return explained(error, self.where)

    async def check(self) -> list[Said]:
        """What of the server's settings endangers jobs, for a person to read. Raises StoreError where it is too old."""
        info = await self._info()
        version = str(info.get("redis_version", "0"))
        if int(version.partition(".")[0]) < 7:
            raise StoreError(
                said(
                    "the job store at {where} is version {version}; Redis 7.0 or Valkey is needed",
                    "任务存储 {where} 的版本是 {version}；需要 Redis 7.0 以上或 Valkey",
                    where=self.where,
                    version=version,
                )
            )
        return [
            said("the job store at {where}: {note}", "任务存储 {where}：{note}", where=self.where, note=note)
            for note in _notes(info, await self._fsync())
        ]

    async def _info(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for section in ("server", "persistence", "memory"):
            reply = await self._at_one("INFO", section)
            found |= reply
        return found

    async def _fsync(self) -> str | None:
        """None where the server does not say."""
        try:
            reply = await self._at_one("CONFIG GET", "appendfsync")
        except StoreError:
            return None
        value = reply.get("appendfsync", reply.get(b"appendfsync"))
        return value.decode() if isinstance(value, bytes) else value

    async def _at_one(self, *args: Any) -> Any:
        """A command without a key, asked of one primary."""
        if not self.cluster:
            return await self.command(*args)
        try:
            await self._client.initialize()
            return await self._client.execute_command(*args, target_nodes=self._client.get_random_primary_node())
        except self._failures as error:
            raise await self._explained(error) from error

    async def close(self) -> None:
        self._closed = True
        for task in list(self._under_way):
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        for client in {id(client): client for client in (self._client, self._blocking)}.values():
            await client.aclose()


class _Unknown(Exception):
    """The server has not seen that script since it was started."""


def _notes(info: dict[str, Any], fsync: str | None) -> list[Said]:
    notes = []
    if not int(info.get("aof_enabled", 0)):
        notes.append(
            Said(
                "appendonly is off: what it has acknowledged is lost when it is killed; set `appendonly yes`",
                "appendonly 已关闭：服务器被终止时，已确认的任务会丢失；请设置 `appendonly yes`",
            )
        )
    elif fsync is None:
        notes.append(
            Said(
                "it does not tell its appendfsync; only `always` survives a power cut without loss",
                "无法读取 appendfsync；只有 `always` 能在断电后不丢数据",
            )
        )
    elif fsync != "always":
        notes.append(
            said(
                "appendfsync is {fsync}: a power cut loses what it acknowledged last; set `appendfsync always`",
                "appendfsync 是 {fsync}：断电会丢失最近确认的任务；请设置 `appendfsync always`",
                fsync=fsync,
            )
        )
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        notes.append(
            said(
                "maxmemory-policy {policy} throws jobs away when memory runs out; set `noeviction`",
                "maxmemory-policy {policy} 会在内存不足时丢弃任务；请设置 `noeviction`",
                policy=policy,
            )
        )
    return notes
