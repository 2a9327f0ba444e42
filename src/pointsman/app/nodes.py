"""Backends that several nodes serve: where these are found, and what gateways tell each other of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pointsman.app.node_registry import open_registry
from pointsman.app.targets import Served, node_backend
from pointsman.balancing.outlier import Ejection
from pointsman.config.schema import Backend as BackendConfig
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.node import NodeReport
from pointsman.domain.said import Said, said
from pointsman.domain.target import Target
from pointsman.fleet.registry.static import StaticRegistry
from pointsman.fleet.registry.watching import Watching
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.replicas.member import Care
from pointsman.pipeline.replicas.peers import Peers
from pointsman.pipeline.replicas.pool import Pool, PoolSettings
from pointsman.pipeline.replicas.watch import NodesWatch
from pointsman.ports.clock import Clock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.telemetry.counts import Levels


class Nodes:
    """For one process. `changed` hears the name of a target whose nodes are other ones now, or otherwise."""

    def __init__(self, shared: Ephemeral, clock: Clock, changed: Callable[[str], None], pipeline: Pipeline) -> None:
        self._shared = shared
        self._clock = clock
        self._changed = changed
        self._pipeline = pipeline
        self._peers = Peers(shared)
        self._pools: dict[str, Pool] = {}
        self._watching: Watching | None = None
        self._followed: frozenset[str] = frozenset()
        self._by_registry: set[str] = set()
        self._refused: Said | None = None
        self._kind = ""
        pipeline.watch = NodesWatch(lambda target: self._pools.get(target), pipeline.watch)

    def served(self, target: Target, config: BackendConfig) -> Served:
        """It begins with `install`."""
        limit, health = config.limits.sequences, config.node_health
        ejection = Ejection(health.pause, max(health.pause, health.longest_pause))
        settings = PoolSettings(
            limit if isinstance(limit, int) else None,
            config.spread.prefix,
            config.spread.slow_start,
            config.first_byte_timeout,
            Care(health.every, health.timeout, health.silent, ejection),
        )
        pool = Pool(
            target,
            partial(node_backend, target, config),
            self._clock.monotonic,
            settings,
            self._peers.me,
            self._shared,
            partial(self._peers.around, target.name),
            partial(self._changed, target.name),
        )
        return Served(config, pool, None)

    def install(self, config: Config, made: Mapping[str, Served]) -> None:
        """These from now on."""
        pools = {name: served.backend for name, served in made.items() if isinstance(served.backend, Pool)}
        fresh = [name for name, pool in pools.items() if self._pools.get(name) is not pool]
        self._pools = pools
        self._pipeline.gate.pools = pools
        self._peers.install(pools)
        for name in fresh:
            nodes = made[name].config.nodes
            if isinstance(nodes, list):
                pools[name].install(StaticRegistry(nodes).all)
        self._by_registry = {name for name in pools if made[name].config.nodes == "registry"}
        models = frozenset(pools[name].target.model for name in self._by_registry)
        if models != self._followed or not self._by_registry.isdisjoint(fresh):
            self._followed = models
            self._follow(config, models)

    def _follow(self, config: Config, models: frozenset[str]) -> None:
        if self._watching is None and models:
            self._kind = config.registry.kind
            try:
                self._watching = Watching(open_registry(config, self._shared), self._found)
            except Problem as problem:
                self._refused = said("{path}: {why}", "{path}：{why}", path=problem.path, why=problem.message)
                return
        if self._watching is not None:
            self._watching.follow(models)

    def _found(self, model: str, reports: tuple[NodeReport, ...]) -> None:
        for name, pool in self._pools.items():
            if pool.target.model == model and name in self._by_registry:
                pool.install(reports)

    @property
    def problems(self) -> list[Said]:
        """What a person should know."""
        told = self._refused or (self._watching.problem if self._watching is not None else None)
        return [told] if told is not None else []

    def levels(self) -> dict[str, Levels]:
        """For metrics."""
        health: Levels = {}
        slots: Levels = {}
        inside: Levels = {}
        success: Levels = {}
        for name, pool in self._pools.items():
            for node, member in pool.members.items():
                health[name, node, member.health] = 1.0
                success[name, node] = round(member.standing.success, 2)
                inside[name, node] = float(pool.line.held.get(node, 0))
                if member.slots is not None:
                    slots[name, node] = float(member.slots)
        levels: dict[str, Levels] = {
            "node_state": health,
            "node_slots": slots,
            "node_inside": inside,
            "node_success_ratio": success,
            "node_gateways": {(): float(self._peers.gateways)},
        }
        if self._watching is not None:
            levels["registry_up"] = {(self._kind,): 0.0 if self._watching.problem is not None else 1.0}
        return levels

    async def close(self) -> None:
        if self._watching is not None:
            await self._watching.close()
        await self._peers.close()
