"""What is wrong with the nodes of a backend, by the config alone."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.config.schema import Backend, Config
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said


def wrong_nodes(config: Config, backend: Backend, path: str) -> Iterator[Problem]:
    """Of a backend that has nodes; `path` is where it stands."""
    if backend.base_url:
        one = Said("with nodes it is not used: leave one of them out", "有了 nodes 就不用它：两者只写一个")
        yield Problem(f"{path}.base_url", one)
    if backend.engine == "embedded":
        own = Said(
            "an embedded engine has none: the gateway runs it itself", "内置引擎（embedded）没有节点：由网关自己运行"
        )
        yield Problem(f"{path}.nodes", own)
    for name, value in (("load", backend.load), ("command", backend.command)):
        if value is not None:
            yield Problem(f"{path}.{name}", Said(*_NOT_OURS))
    if backend.nodes == []:
        yield Problem(f"{path}.nodes", Said("names no node", "没有列出任何节点"), valid="http://host:port/v1, registry")
    if (
        backend.nodes == "registry"
        and config.registry.kind == "kubernetes"
        and not config.registry.services.get(backend.model)
    ):
        none = said("names no service for {model}", "没有为 {model} 指定服务", model=backend.model)
        yield Problem("registry.services", none, valid=f"{backend.model}: SERVICE")


_NOT_OURS = (
    "is for an engine that the gateway starts or steers; nodes are started by others",
    "只用于网关自己启动或控制的引擎；节点由别处启动",
)
